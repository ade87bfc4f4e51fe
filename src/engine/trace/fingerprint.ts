/**
 * The identity of a trace (spec 01 "store"): SHA-256 over the names and sizes of its files, its metadata, and the
 * first and last packet header of every data stream file. Independent of where the trace lies.
 */
import type { Result } from '../base/result.ts';
import { ok } from '../base/result.ts';
import { sha256Of } from '../base/sha256.ts';
import type { PacketTable } from '../ctf/packets/packet-table.ts';
import type { ByteSource } from '../io/byte-source.ts';

/** What is hashed of one file. */
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
export function fingerprint(metadata: Uint8Array, files: readonly FileMark[]): Promise<string> {
  const text = new TextEncoder();
  const parts: Uint8Array[] = [];
  // Every part is led by its length, so that no two lists of parts read the same.
  const add = (bytes: Uint8Array): void => void parts.push(text.encode(`${bytes.byteLength}:`), bytes);
  add(metadata);
  for (const { name, size, heads } of files) {
    add(text.encode(name));
    add(text.encode(String(size)));
    add(text.encode(String(heads.length)));
    heads.forEach(add);
  }
  return sha256Of(joined(parts));
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
