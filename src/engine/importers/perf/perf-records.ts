/** Reads the records of a perf.data file in order, including compressed ones. */
import { Decompress } from 'fzstd';
import type { Fault } from '../../base/fault.ts';
import { joinBytes } from '../../base/byte-arrays.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { byteBudget, damaged, type ImportRun, type Span } from '../import-run.ts';
import { RECORD } from './other-records.ts';

const HEADER_BYTES = 8;
/** Most bytes of tracing data. */
const MOST_BEHIND = 256 * 1024 * 1024;

/** A record: the bytes [from, to) of `bytes`; some types have further bytes up to `behind`. */
export interface PerfRecord {
  type: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  from: number;
  to: number;
  behind: number;
  /** Byte of the file; for a compressed record that of its container. */
  offset: number;
}

/** Takes a record; the object is reused. */
type OnRecord = (record: PerfRecord) => void;

/** Reads all records that are complete. */
export async function readPerfRecords(
  run: ImportRun,
  span: Span,
  isBig: boolean,
  onRecord: OnRecord,
): Promise<void> {
  const rest = await run.read(span, {
    take: recordTaker(span.source, isBig, onRecord),
    // A record longer than a piece is read as a whole.
    needed: (bytes) => neededBytes(bytes, isBig),
  });
  if (rest === undefined || rest.length === 0) return;
  run.faults.push({
    code: 'truncated',
    place: { file: span.source.name, byte: span.to - rest.length },
    expected: `a record of ${neededBytes(rest, isBig)} bytes`,
    found: `${rest.length} bytes`,
  });
}

/** Takes records out of consecutive bytes of a file. Compressed records are one zstd frame, cut anywhere. */
export function recordTaker(
  source: ByteSource,
  isBig: boolean,
  onRecord: OnRecord,
): (bytes: Uint8Array, byte: number) => number | Fault {
  let fault: Fault | undefined;
  let rest: Uint8Array = new Uint8Array(0);
  /** Offset of the record that is unpacked. */
  let packedAt = 0;
  let left = byteBudget(source);
  const stream = new Decompress((unpacked) => {
    left -= unpacked.length;
    if (left < 0) throw new Error('more than a recording would unpack to');
    const bytes = joinBytes([rest, unpacked]);
    const used = walk(bytes, isBig, packedAt, (record) => {
      record.offset = packedAt;
      onRecord(record);
    });
    if (typeof used === 'number') rest = bytes.slice(used);
    else fault = { ...used, place: { file: source.name, byte: packedAt } };
  });
  const unpack = ({ bytes, view, type, from, to, offset }: PerfRecord): void => {
    if (fault !== undefined) return;
    packedAt = offset;
    const isSized = type === RECORD.compressed2;
    const begin = from + HEADER_BYTES + (isSized ? 8 : 0);
    const size = isSized ? Number(view.getBigUint64(from + HEADER_BYTES, !isBig)) : to - begin;
    try {
      stream.push(bytes.slice(begin, Math.min(to, begin + size)));
    } catch (error) {
      const found = error instanceof Error ? error.message : String(error);
      fault = damaged(source.name, offset, 'records packed by zstd', found);
    }
  };
  return (bytes, byte) => {
    const used = walk(bytes, isBig, byte, (record) => {
      if (record.type === RECORD.compressed || record.type === RECORD.compressed2) unpack(record);
      else onRecord(record);
    });
    if (typeof used === 'number') return fault ?? used;
    return { ...used, place: { file: source.name, ...used.place } };
  };
}

/** Calls `onRecord` with every complete record; returns the bytes taken, or the fault of a record without a size. */
function walk(bytes: Uint8Array, isBig: boolean, begin: number, onRecord: OnRecord): number | Fault {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const record: PerfRecord = { type: 0, bytes, view, from: 0, to: 0, behind: 0, offset: 0 };
  let at = 0;
  while (at + HEADER_BYTES <= bytes.length) {
    const type = view.getUint32(at, !isBig);
    const size = view.getUint16(at + 6, !isBig);
    if (size < HEADER_BYTES)
      return damage(begin + at, `a record of at least ${HEADER_BYTES} bytes`, `one of ${size} bytes`);
    const more = bytesBehind(view, type, at, isBig);
    if (type === RECORD.tracingData && more > MOST_BEHIND)
      return damage(begin + at, `at most ${MOST_BEHIND} bytes of tracing data`, `${more} bytes`);
    const behind = at + size + more;
    if (at + size > bytes.length || (type !== RECORD.auxTrace && behind > bytes.length)) break;
    record.type = type;
    record.from = at;
    record.to = at + size;
    record.behind = behind;
    record.offset = begin + at;
    onRecord(record);
    at = behind;
  }
  return at;
}

function damage(byte: number, expected: string, found: string): Fault {
  return { code: 'recording-damaged', place: { byte }, expected, found };
}

/** Bytes of the first record with those after it, as far as known. */
function neededBytes(bytes: Uint8Array, isBig: boolean): number {
  if (bytes.length < HEADER_BYTES) return HEADER_BYTES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = view.getUint32(0, !isBig);
  return view.getUint16(6, !isBig) + (type === RECORD.auxTrace ? 0 : bytesBehind(view, type, 0, isBig));
}

/** Bytes that follow a record and are not in its size. */
function bytesBehind(view: DataView, type: number, at: number, isBig: boolean): number {
  if (type === RECORD.tracingData && at + 12 <= view.byteLength)
    return 8 * Math.ceil(view.getUint32(at + 8, !isBig) / 8);
  if (type === RECORD.auxTrace && at + 16 <= view.byteLength)
    return Number(view.getBigUint64(at + 8, !isBig) & 0xffffffffffffn);
  return 0;
}
