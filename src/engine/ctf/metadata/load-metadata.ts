/** Metadata of a trace → its model: which of the forms a file has, and the reader for it, that of CTF 2 loaded when needed. */
import { laterCode } from '../../base/later-code.ts';
import type { Result } from '../../base/fault.ts';
import { isCtf2, type Metadata, metadataOf, metadataText } from './metadata-text.ts';
import { readTsdl } from './tsdl/read-tsdl.ts';

const ctf2 = laterCode(() => import('./ctf2/read-ctf2.ts'));

/**
 * Reads the bytes of a `metadata` file, CTF 1.8 or CTF 2, packetised or plain; `file` is its name in faults.
 *
 * @returns the model, or the first fault with its place: line and column in the (joined) text where it has one.
 */
export async function loadMetadata(bytes: Uint8Array, file: string): Promise<Result<Metadata>> {
  const read = metadataText(bytes, file);
  if (!read.ok) return read;
  const source = read.value;
  const readText = isCtf2(source) ? (await ctf2()).readCtf2 : readTsdl;
  return metadataOf(source, readText(source));
}
