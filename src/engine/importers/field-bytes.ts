/** Fields of events as consecutive bytes, and times. */
import { wideOf } from '../base/wide-integer.ts';

/** A time by its upper and lower 32 bits, ns: a `bigint` for each event would cost more than the rest of its import. */
export class Moment {
  high = 0;
  low = 0;

  get time(): bigint {
    return wideOf(this.low, this.high);
  }

  set time(time: bigint) {
    this.high = Number((time >> 32n) & 0xffffffffn);
    this.low = Number(time & 0xffffffffn);
  }

  static of(time: bigint): Moment {
    const moment = new Moment();
    moment.time = time;
    return moment;
  }

  set(high: number, low: number): void {
    this.high = high;
    this.low = low;
  }

  /** Adds a 64-bit number. */
  add(high: number, low: number): void {
    const sum = this.low + low;
    this.low = sum >>> 0;
    this.high = (this.high + high + (sum > 0xffffffff ? 1 : 0)) >>> 0;
  }

  isBefore({ high, low }: Moment): boolean {
    return this.high < high || (this.high === high && this.low < low);
  }

  /** Raises it to another time if that is later. */
  raise(other: Moment): void {
    if (this.isBefore(other)) this.set(other.high, other.low);
  }
}

/**
 * Bytes that fields are written to. Numbers have the byte order of the file they come from, so that they are copied
 * unchanged.
 */
export class FieldBytes {
  readonly isBig: boolean;
  bytes: Uint8Array<ArrayBuffer>;
  view: DataView;
  /** Offset after the last field. */
  at = 0;

  /** @param bytes initial room */
  constructor(isBig: boolean, bytes: number) {
    this.isBig = isBig;
    this.bytes = new Uint8Array(bytes);
    this.view = new DataView(this.bytes.buffer);
  }

  u16(value: number): void {
    this.reserve(2);
    this.view.setUint16(this.at, value, !this.isBig);
    this.at += 2;
  }

  u32(value: number): void {
    this.reserve(4);
    this.view.setUint32(this.at, value, !this.isBig);
    this.at += 4;
  }

  u64(value: bigint): void {
    this.reserve(8);
    this.view.setBigUint64(this.at, BigInt.asUintN(64, value), !this.isBig);
    this.at += 8;
  }

  /** Writes a 64-bit number from its upper and lower halves. */
  halves(high: number, low: number): void {
    this.reserve(8);
    const { view, at, isBig } = this;
    view.setUint32(at, isBig ? high : low, !isBig);
    view.setUint32(at + 4, isBig ? low : high, !isBig);
    this.at += 8;
  }

  copy(bytes: Uint8Array, from: number, to: number): void {
    this.reserve(to - from);
    const out = this.bytes;
    let at = this.at;
    if (to - from > 64) out.set(bytes.subarray(from, to), at);
    else for (let i = from; i < to; i++) out[at++] = bytes[i];
    this.at += to - from;
  }

  /** Copies the bytes [from, to) of a view, mostly in words: there are few. */
  copyWords(view: DataView, from: number, to: number): void {
    this.reserve(to - from);
    let at = this.at;
    let i = from;
    for (; i + 4 <= to; i += 4, at += 4) this.view.setInt32(at, view.getInt32(i, true), true);
    for (; i < to; i++) this.bytes[at++] = view.getUint8(i);
    this.at = at;
  }

  /** Copies the text in the bytes [from, to) up to its first null, and appends a null. */
  text(bytes: Uint8Array, from: number, to: number): void {
    this.reserve(to - from + 1);
    const out = this.bytes;
    let at = this.at;
    for (let i = from; i < to && bytes[i] !== 0; i++) out[at++] = bytes[i];
    out[at++] = 0;
    this.at = at;
  }

  /** Writes a text as UTF-8 with a null after it. */
  string(text: string): void {
    this.reserve(3 * text.length + 1);
    const { bytes } = this;
    let at = this.at;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === 0 || code > 127) {
        // A null within it would end it.
        at = this.at + encoder.encodeInto(text.replaceAll('\0', ' '), bytes.subarray(this.at)).written;
        break;
      }
      bytes[at++] = code;
    }
    bytes[at++] = 0;
    this.at = at;
  }

  /** Makes room for bytes after the last field. */
  reserve(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.at + bytes));
    grown.set(this.bytes.subarray(0, this.at));
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }
}

const encoder = new TextEncoder();
