/**
 * Growing byte buffer and cursor for stored forms: whole numbers from 0 to 2^53 as LEB128 (little-endian base 128, as
 * in DWARF), and 64-bit floats.
 */

/** Longest varint of a time: 2^64 cycles of a 1 Hz clock plus an offset as large are below 2^98 ns. */
export const VARINT_BYTES = 14;

const TWO_28 = 268_435_456;

export class ByteWriter {
  bytes: Uint8Array;
  length = 0;

  constructor(capacity = 1024) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Reserves room for `count` more bytes, which other methods require where they say so. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + count));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  varint(value: number): void {
    this.reserve(VARINT_BYTES);
    this.reservedVarint(value);
  }

  /** Same as `varint`, within reserved bytes. */
  reservedVarint(value: number): void {
    const bytes = this.bytes;
    let at = this.length;
    let rest = value;
    while (rest >= TWO_28) {
      bytes[at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      bytes[at++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    bytes[at++] = rest;
    this.length = at;
  }

  float64(value: number): void {
    this.reserve(8);
    new DataView(this.bytes.buffer).setFloat64(this.length, value, true);
    this.length += 8;
  }

  uint32(value: number): void {
    this.reserve(4);
    new DataView(this.bytes.buffer).setUint32(this.length, value, true);
    this.length += 4;
  }

  /** Appends another writer's bytes: usually few, for which a view would cost more than the copy. */
  appendWritten({ bytes, length }: ByteWriter): void {
    this.reserve(length);
    if (length > 64) this.bytes.set(bytes.subarray(0, length), this.length);
    else for (let i = 0; i < length; i++) this.bytes[this.length + i] = bytes[i];
    this.length += length;
  }

  /** A copy of the bytes in a new buffer. */
  finish(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.length) as Uint8Array<ArrayBuffer>;
  }
}

/** A position in bytes, advanced by reading. */
export interface ByteCursor {
  readonly bytes: Uint8Array;
  at: number;
}

export function readVarint(cursor: ByteCursor): number {
  const { bytes } = cursor;
  let at = cursor.at;
  let byte = bytes[at++];
  let value = byte & 127;
  for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
    byte = bytes[at++];
    value |= (byte & 127) << shift;
  }
  for (let scale = TWO_28; byte > 127; scale *= 128) {
    byte = bytes[at++];
    value += (byte & 127) * scale;
  }
  cursor.at = at;
  return value;
}

/** Reads what `ByteWriter` wrote. Reading beyond the end gives zeros: damage is found by checksums. */
export class ByteReader {
  constructor(
    public bytes: Uint8Array,
    public at = 0,
  ) {}

  byte(): number {
    return this.bytes[this.at++] ?? 0;
  }

  varint(): number {
    return readVarint(this);
  }

  float64(): number {
    this.at += 8;
    if (this.at > this.bytes.length) return 0;
    return new DataView(this.bytes.buffer, this.bytes.byteOffset).getFloat64(this.at - 8, true);
  }

  uint32(): number {
    this.at += 4;
    if (this.at > this.bytes.length) return 0;
    return new DataView(this.bytes.buffer, this.bytes.byteOffset).getUint32(this.at - 4, true);
  }
}
