/** Bytes of a `metadata` file → its text, whatever form that has; and what it takes to say of it. */
import { fail, type Fault, ok, type Result } from '../../base/fault.ts';
import type { TraceModel } from '../model.ts';
import { isPacketised, joinPackets } from './packetised.ts';

export interface Metadata {
  readonly model: TraceModel;
  /** Warnings about what was ignored: unknown attributes. */
  readonly warnings: readonly Fault[];
}

export interface MetadataText {
  readonly text: string;
  /** Its name in faults. */
  readonly file: string;
  /** The last packet is not whole. */
  readonly cut?: Fault;
}

/** Begins each JSON text of metadata in the form of CTF 2 (RFC 7464). */
export const RECORD_SEPARATOR = '\u001e';

/**
 * Whether metadata are in the form of CTF 2, a sequence of JSON texts, and not in that of CTF 1.8. White space before it, such
 * as an editor leaves, is none of either.
 */
export function isCtf2({ text }: MetadataText): boolean {
  return text.trimStart().startsWith(RECORD_SEPARATOR);
}

/** @param file its name in faults */
export function metadataText(bytes: Uint8Array, file: string): Result<MetadataText> {
  if (bytes.byteLength === 0) {
    return fail({ code: 'metadata-empty', place: { file }, expected: 'metadata', found: 'an empty file' });
  }
  if (!isPacketised(bytes)) return ok({ text: new TextDecoder().decode(bytes), file });
  const joined = joinPackets(bytes, file);
  if (!joined.ok) return joined;
  const { text, cut } = joined.value;
  return ok({ text: new TextDecoder().decode(text), file, cut });
}

/** @param read what the text says */
export function metadataOf({ cut }: MetadataText, read: Result<Metadata>): Result<Metadata> {
  if (cut === undefined) return read;
  // Often only padding is missing. Where it is text, reading it stopped at its end.
  if (read.ok) {
    const warning: Fault = { ...cut, code: 'metadata-incomplete' };
    return ok({ ...read.value, warnings: [...read.value.warnings, warning] });
  }
  return fail({ ...cut, place: { ...read.fault.place, ...cut.place } });
}
