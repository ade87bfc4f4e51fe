/** Metadata of a trace → its model: which of the forms a file has, and the reader for it. */
import type { Fault } from '../../base/fault.ts';
import { fail, ok } from '../../base/result.ts';
import type { Result } from '../../base/result.ts';
import type { TraceModel } from '../model.ts';
import { isJsonSequence } from './ctf2/json-sequence.ts';
import { readCtf2 } from './ctf2/read-ctf2.ts';
import { isPacketised, joinPackets } from './packetised.ts';
import { readTsdl } from './tsdl/read-tsdl.ts';

export interface Metadata {
  readonly model: TraceModel;
  /** What was ignored: unknown attributes. */
  readonly warnings: readonly Fault[];
}

/**
 * Reads the bytes of a `metadata` file, CTF 1.8 or CTF 2, packetised or plain; `file` is its name in faults.
 *
 * @returns the model, or the first fault with its place: line and column in the (joined) text where it has one.
 */
export function readMetadata(bytes: Uint8Array, file: string): Result<Metadata> {
  if (bytes.byteLength === 0) {
    return fail({ code: 'metadata-empty', place: { file }, expected: 'metadata', found: 'an empty file' });
  }
  if (!isPacketised(bytes)) return readText(bytes, file);
  const joined = joinPackets(bytes, file);
  if (!joined.ok) return joined;
  const { text, cut } = joined.value;
  const read = readText(text, file);
  if (cut === undefined) return read;
  // Often only padding is missing. Where it is text, reading it stopped at its end.
  if (read.ok) {
    const warning: Fault = { ...cut, code: 'metadata-incomplete' };
    return ok({ ...read.value, warnings: [...read.value.warnings, warning] });
  }
  return fail({ ...cut, place: { ...read.fault.place, ...cut.place } });
}

function readText(bytes: Uint8Array, file: string): Result<Metadata> {
  const source = { text: new TextDecoder().decode(bytes), file };
  return isJsonSequence(source.text) ? readCtf2(source) : readTsdl(source);
}
