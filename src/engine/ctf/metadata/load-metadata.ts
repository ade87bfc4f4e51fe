/** Metadata of a trace → its model: detects the form of a file and chooses its reader; that of CTF 2 is loaded when needed. */
import { fail, type Fault, ok, type Result } from '../../base/fault.ts';
import { laterCode } from '../../base/later-code.ts';
import { isPacketised, joinPackets } from './packetised.ts';
import { RECORD_SEPARATOR, type Metadata } from './source.ts';
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

interface MetadataText {
  readonly text: string;
  /** Its name in faults. */
  readonly file: string;
  /** The last packet is cut. */
  readonly cut?: Fault;
}

/**
 * Whether metadata have the form of CTF 2, a sequence of JSON texts, rather than that of CTF 1.8. White space before
 * it, such as an editor leaves, does not matter.
 * @internal
 */
export function isCtf2({ text }: MetadataText): boolean {
  return text.trimStart().startsWith(RECORD_SEPARATOR);
}

/** @param file its name in faults @internal */
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

/** @param read result of reading the text @internal */
export function metadataOf({ cut }: MetadataText, read: Result<Metadata>): Result<Metadata> {
  if (cut === undefined) return read;
  // Often only padding is cut. If text is, the reader stopped at its end.
  if (read.ok) {
    const warning: Fault = { ...cut, code: 'metadata-incomplete' };
    return ok({ ...read.value, warnings: [...read.value.warnings, warning] });
  }
  return fail({ ...cut, place: { ...read.fault.place, ...cut.place } });
}
