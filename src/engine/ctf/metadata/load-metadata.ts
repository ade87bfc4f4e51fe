/** The same as `readMetadata`, with a reader of CTF 2 that is loaded with the first trace of that form. */
import { laterCode } from '../../base/later-code.ts';
import type { Result } from '../../base/result.ts';
import { isCtf2, type Metadata, metadataOf, metadataText } from './metadata-text.ts';
import { readTsdl } from './tsdl/read-tsdl.ts';

const ctf2 = laterCode(() => import('./ctf2/read-ctf2.ts'));

/** @param file its name in faults */
export async function loadMetadata(bytes: Uint8Array, file: string): Promise<Result<Metadata>> {
  const read = metadataText(bytes, file);
  if (!read.ok) return read;
  const source = read.value;
  const readText = isCtf2(source) ? (await ctf2()).readCtf2 : readTsdl;
  return metadataOf(source, readText(source));
}
