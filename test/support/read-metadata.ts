/** The same as `loadMetadata`, at once: both readers are there. */
import type { Result } from '../../src/engine/base/fault.ts';
import { readCtf2 } from '../../src/engine/ctf/metadata/ctf2/read-ctf2.ts';
import { isCtf2, metadataOf, metadataText } from '../../src/engine/ctf/metadata/load-metadata.ts';
import type { Metadata } from '../../src/engine/ctf/metadata/source.ts';
import { readTsdl } from '../../src/engine/ctf/metadata/tsdl/read-tsdl.ts';

/**
 * Reads the bytes of a `metadata` file, CTF 1.8 or CTF 2, packetised or plain; `file` is its name in faults.
 *
 * @returns the model, or the first fault with its place: line and column in the (joined) text where it has one.
 */
export function readMetadata(bytes: Uint8Array, file: string): Result<Metadata> {
  const read = metadataText(bytes, file);
  if (!read.ok) return read;
  const source = read.value;
  return metadataOf(source, isCtf2(source) ? readCtf2(source) : readTsdl(source));
}
