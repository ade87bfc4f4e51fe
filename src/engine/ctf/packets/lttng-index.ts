/**
 * LTTng's packet index files, `index/NAME.idx` (all versions): a header of four 32-bit words - magic, major, minor,
 * bytes per entry - and entries of 64-bit words, everything big-endian. Version 1.1 added stream instance and
 * sequence number; later versions may add more at the end of an entry.
 */
export interface LttngIndexEntry {
  /** Bytes. */
  readonly offset: bigint;
  /** Bits. */
  readonly totalBits: bigint;
  readonly contentBits: bigint;
  /** Cycles. */
  readonly begin: bigint;
  readonly end: bigint;
  readonly discarded: bigint;
  readonly streamClassId: bigint;
  readonly streamId?: bigint;
  readonly sequence?: bigint;
}

const MAGIC = 0xc1f1dcc1;
const HEADER_BYTES = 16;
const ENTRY_BYTES_1_0 = 56;
const ENTRY_BYTES_1_1 = 72;

/** The entries, or undefined where the form is not that of an index file. */
export function parseLttngIndex(bytes: Uint8Array): readonly LttngIndexEntry[] | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const entryBytes = view.getUint32(12);
  if (view.getUint32(0) !== MAGIC || view.getUint32(4) !== 1 || entryBytes < ENTRY_BYTES_1_0)
    return undefined;
  if ((bytes.length - HEADER_BYTES) % entryBytes !== 0) return undefined;
  const entries: LttngIndexEntry[] = [];
  for (let at = HEADER_BYTES; at < bytes.length; at += entryBytes) {
    const word = (index: number): bigint => view.getBigUint64(at + 8 * index);
    entries.push({
      offset: word(0),
      totalBits: word(1),
      contentBits: word(2),
      begin: word(3),
      end: word(4),
      discarded: word(5),
      streamClassId: word(6),
      streamId: entryBytes >= ENTRY_BYTES_1_1 ? word(7) : undefined,
      sequence: entryBytes >= ENTRY_BYTES_1_1 ? word(8) : undefined,
    });
  }
  return entries;
}
