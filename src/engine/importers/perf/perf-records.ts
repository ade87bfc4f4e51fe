/** Records of a perf.data file one after the other, out of compressed ones too. */
import { Decompress } from 'fzstd';
import type { Fault } from '../../base/fault.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { byteBudget } from '../types.ts';

/** `type` of records that have to do with the form of the file (tools/lib/perf/include/perf/event.h). */
const TRACING_DATA = 66;
const AUXTRACE = 71;
const COMPRESSED = 81;
const COMPRESSED2 = 83;
const HEADER_BYTES = 8;
/** Bytes that are read at once. */
const PIECE_BYTES = 4 * 1024 * 1024;
/** Bytes of tracing data that are read at most. */
const MOST_BEHIND = 256 * 1024 * 1024;

/** A record: the bytes [from, to) of `bytes`, with those that follow a record of some types up to `behind`. */
export interface PerfRecord {
  type: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  from: number;
  to: number;
  behind: number;
  /** Byte of the file; of a compressed record that of its container. */
  offset: number;
}

export interface PerfRecords {
  readonly source: ByteSource;
  readonly isBig: boolean;
  readonly from: number;
  readonly to: number;
  /** Is given the same object for each record, filled anew. */
  readonly onRecord: (record: PerfRecord) => void;
  /** Called after some megabytes; a fault ends the reading. */
  readonly onPiece: (bytesRead: number) => Promise<Fault | undefined>;
}

/** Reads all records; the fault that ended it before the end, if any. */
export async function readPerfRecords(given: PerfRecords): Promise<Fault | undefined> {
  const { source, isBig, from, to, onPiece } = given;
  const unpacked = new Unpacked(given);
  let rest = new Uint8Array(0);
  let at = from;
  while (at < to) {
    // A record that is longer than a piece is read whole.
    const wanted = Math.max(PIECE_BYTES, neededBytes(rest, isBig) - rest.length);
    const read = await source.read(at, Math.min(wanted, to - at));
    if (!read.ok) return read.fault;
    const bytes = joined(rest, read.value);
    const begin = at - rest.length;
    at += read.value.length;
    const used = walk(bytes, isBig, begin, (record) => {
      if (record.type === COMPRESSED || record.type === COMPRESSED2) unpacked.push(record);
      else given.onRecord(record);
    });
    if (typeof used !== 'number') return { ...used, place: { file: source.name, ...used.place } };
    const damage = unpacked.fault ?? (await onPiece(at - from));
    if (damage !== undefined) return damage;
    rest = bytes.slice(used);
    // What lies behind a record of another kind of data is left out.
    at = Math.max(at, begin + used);
  }
  if (rest.length === 0) return undefined;
  return {
    code: 'truncated',
    place: { file: source.name, byte: to - rest.length },
    expected: `a record of ${neededBytes(rest, isBig)} bytes`,
    found: `${rest.length} bytes`,
  };
}

/** The stream of compressed records: they are one frame of zstd, cut anywhere. */
class Unpacked {
  fault: Fault | undefined;
  readonly #given: PerfRecords;
  readonly #stream: Decompress;
  #rest = new Uint8Array(0);
  #offset = 0;
  /** Bytes that may still come. */
  #left: number;

  constructor(given: PerfRecords) {
    this.#given = given;
    this.#left = byteBudget(given.source);
    this.#stream = new Decompress((bytes) => this.#take(bytes));
  }

  push({ bytes, view, type, from, to, offset }: PerfRecord): void {
    if (this.fault !== undefined) return;
    this.#offset = offset;
    const begin = from + HEADER_BYTES + (type === COMPRESSED2 ? 8 : 0);
    const size =
      type === COMPRESSED2 ? Number(view.getBigUint64(from + HEADER_BYTES, !this.#given.isBig)) : to - begin;
    try {
      this.#stream.push(bytes.slice(begin, Math.min(to, begin + size)));
    } catch (error) {
      const found = error instanceof Error ? error.message : String(error);
      const place = { file: this.#given.source.name, byte: offset };
      this.fault = { code: 'recording-damaged', place, expected: 'records packed by zstd', found };
    }
  }

  #take(unpacked: Uint8Array): void {
    this.#left -= unpacked.length;
    if (this.#left < 0) throw new Error('more than a recording would unpack to');
    const { isBig, onRecord, source } = this.#given;
    const bytes = joined(this.#rest, unpacked);
    const used = walk(bytes, isBig, this.#offset, (record) => {
      record.offset = this.#offset;
      onRecord(record);
    });
    if (typeof used === 'number') this.#rest = bytes.slice(used);
    else this.fault = { ...used, place: { file: source.name, byte: this.#offset } };
  }
}

/** Calls `onRecord` with every whole record; bytes that they take, or the fault of one without a size. */
function walk(
  bytes: Uint8Array,
  isBig: boolean,
  begin: number,
  onRecord: (record: PerfRecord) => void,
): number | Fault {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const record: PerfRecord = { type: 0, bytes, view, from: 0, to: 0, behind: 0, offset: 0 };
  let at = 0;
  while (at + HEADER_BYTES <= bytes.length) {
    const type = view.getUint32(at, !isBig);
    const size = view.getUint16(at + 6, !isBig);
    if (size < HEADER_BYTES)
      return damage(begin + at, `a record of at least ${HEADER_BYTES} bytes`, `one of ${size} bytes`);
    const more = bytesBehind(view, type, at, isBig);
    if (type === TRACING_DATA && more > MOST_BEHIND)
      return damage(begin + at, `at most ${MOST_BEHIND} bytes of tracing data`, `${more} bytes`);
    const behind = at + size + more;
    if (at + size > bytes.length || (type !== AUXTRACE && behind > bytes.length)) break;
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

/** Bytes of the first record, with those behind it; as far as they are known. */
function neededBytes(bytes: Uint8Array, isBig: boolean): number {
  if (bytes.length < HEADER_BYTES) return HEADER_BYTES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = view.getUint32(0, !isBig);
  return view.getUint16(6, !isBig) + (type === AUXTRACE ? 0 : bytesBehind(view, type, 0, isBig));
}

/** Bytes that follow a record and that its size leaves out. */
function bytesBehind(view: DataView, type: number, at: number, isBig: boolean): number {
  if (type === TRACING_DATA && at + 12 <= view.byteLength)
    return 8 * Math.ceil(view.getUint32(at + 8, !isBig) / 8);
  if (type === AUXTRACE && at + 16 <= view.byteLength)
    return Number(view.getBigUint64(at + 8, !isBig) & 0xffffffffffffn);
  return 0;
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  if (a.length === 0 && b.buffer instanceof ArrayBuffer) return b as Uint8Array<ArrayBuffer>;
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
