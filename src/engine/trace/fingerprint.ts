/**
 * The identity of a trace: SHA-256 over the names and sizes of its files, its metadata, and the first and last packet
 * header of every data stream file. Independent of where the trace lies.
 */
import { ok, type Result } from '../base/fault.ts';
import { createSha256, sha256Hex, sha256HexOf } from '../base/sha256.ts';
import type { PacketTable } from '../ctf/packets/packet-table.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { leftOutTexts } from './left-out.ts';
import type { Experiment, Trace } from './types.ts';

/** Mark of one file: the input of the hash. */
export interface FileMark {
  readonly name: string;
  readonly size: number;
  /** Bytes of the first and last packet's header and context; none for files without packets. */
  readonly heads: readonly Uint8Array[];
}

/** Longest piece of a packet header that counts, in bytes. */
const HEAD_BYTES = 4096;

/** Reads the mark of a data stream file that was indexed. */
export async function markFile(
  name: string,
  source: ByteSource,
  packets: PacketTable,
): Promise<Result<FileMark>> {
  const heads: Uint8Array[] = [];
  for (const packet of new Set(packets.length === 0 ? [] : [0, packets.length - 1])) {
    const length = Math.min(Math.ceil(packets.eventsBits[packet] / 8), packets.size[packet], HEAD_BYTES);
    const head = await source.read(packets.offset[packet], length);
    if (!head.ok) return head;
    heads.push(head.value);
  }
  return ok({ name, size: source.size, heads });
}

/** Hex digest; `files` in order of name. */
export async function fingerprint(metadata: Uint8Array, files: readonly FileMark[]): Promise<string> {
  const parts: Uint8Array[] = [];
  const text = new TextEncoder();
  // Every part is led by its length, so that no two lists of parts read the same.
  const part = (bytes: Uint8Array): void => void parts.push(text.encode(`${bytes.byteLength}:`), bytes);
  part(metadata);
  for (const { name, size, heads } of files) {
    part(text.encode(name));
    part(text.encode(String(size)));
    part(text.encode(String(heads.length)));
    heads.forEach(part);
  }
  return sha256HexOf(parts);
}

/** Parts of an experiment that its fingerprint is made of. */
export interface Fingerprinted extends Pick<Experiment, 'hosts' | 'sideBySide'> {
  readonly traces: readonly Pick<Trace, 'fingerprint'>[];
}

/** Longest recording of which all bytes count; of longer ones so many pieces of so many bytes do. */
const WHOLE_BYTES = 16 * 1024 * 1024;
const PIECES = 256;
const PIECE_BYTES = WHOLE_BYTES / PIECES;

/** Hex digest of a recording by another tracer, for traces that are made of it: of its size and its bytes. */
export async function recordingFingerprint(source: ByteSource): Promise<Result<string>> {
  const { size } = source;
  const digest = createSha256().update(new TextEncoder().encode(`recording ${size}:`));
  const step = size <= WHOLE_BYTES ? PIECE_BYTES : (size - PIECE_BYTES) / (PIECES - 1);
  for (let i = 0; i < PIECES && i * step < size; i++) {
    const at = Math.floor(i * step);
    const piece = await source.read(at, Math.min(PIECE_BYTES, size - at));
    if (!piece.ok) return piece;
    digest.update(piece.value);
  }
  return ok(digest.hex());
}

/** Hex digest of all traces, by which links, notes and examples name them; the order of files has no part in it. */
export function experimentFingerprint({ traces, hosts, sideBySide }: Fingerprinted): string {
  const fingerprints = traces.map((trace) => trace.fingerprint).sort();
  // Rows and times mean something else there: to links and notes it is another trace.
  const layout = sideBySide === true ? ['side by side'] : [];
  if (hosts.some(({ joined }) => joined !== undefined)) layout.push('joined by switches');
  const leftOut = hosts.some((host) => host.leftOut !== undefined)
    ? [JSON.stringify(leftOutTexts(hosts))]
    : [];
  return sha256Hex(new TextEncoder().encode([...fingerprints, ...layout, ...leftOut].join('\n')));
}
