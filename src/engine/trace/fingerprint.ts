/**
 * The identity of a trace: SHA-256 over the names and sizes of its files, its metadata, and the first and last packet
 * header of every data stream file. Independent of where the trace lies.
 */
import type { Result } from '../base/result.ts';
import { ok } from '../base/result.ts';
import { sha256Hex, sha256HexOf } from '../base/sha256.ts';
import type { PacketTable } from '../ctf/packets/packet-table.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { leftOutTexts } from './left-out.ts';
import type { Experiment } from './types.ts';

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

/** Hex digest of all traces, by which links, notes and examples name them; the order of files has no part in it. */
export function experimentFingerprint({ traces, hosts, sideBySide }: Experiment): string {
  const fingerprints = traces.map((trace) => trace.fingerprint).sort();
  // Rows and times mean something else there: to links and notes it is another trace.
  const layout = sideBySide === true ? ['side by side'] : [];
  const leftOut = hosts.some((host) => host.leftOut !== undefined)
    ? [JSON.stringify(leftOutTexts(hosts))]
    : [];
  return sha256Hex(new TextEncoder().encode([...fingerprints, ...layout, ...leftOut].join('\n')));
}
