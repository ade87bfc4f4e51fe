/**
 * One interval as bytes: how long it lasts and its value. The first byte holds in how many bytes the length goes on (bits
 * 0-2), a code of the value (3-6) and the lowest bit of the length (7); its other bits follow, little-endian. 7 says
 * that the length, of 2^49 ns or more, follows as a double. Codes 0-8 stand for GAP and the values 0-7: states, CPU
 * numbers. Codes 9-14 are places of a ring of the larger values met last; code 15 says that a value not in the ring
 * follows, as varint of value + 2 (so that MIXED, -2, has one too), which takes the place of the oldest. Writer and
 * reader keep equal rings, empty at the begin of every run, so that a run can be read by itself. An interval of a usual
 * trace takes 2 to 4 bytes.
 */
import { readVarint, VARINT_BYTES, type ByteWriter } from './bytes.ts';

/** Values below are their own code, less `SMALL_FIRST`. */
export const SMALL_END = 8;
const SMALL_FIRST = -1;
export const RING_CODE = SMALL_END - SMALL_FIRST;
export const ESCAPE = 15;
export const RING = ESCAPE - RING_CODE;
/** Bytes in which the rest of a length follows, at most; one more stands for a double. */
export const REST_BYTES = 6;
export const DOUBLE_BYTES = 8;
/** Lengths below are written as integers. */
const INTEGER_END = 2 ** (1 + 8 * REST_BYTES);
/** Most bytes an interval takes. */
export const INTERVAL_BYTES = 1 + DOUBLE_BYTES + VARINT_BYTES;
/** No value: GAP and MIXED are -1 and -2. */
export const EMPTY = -3;

export class IntervalWriter {
  readonly #ring = new Float64Array(RING);
  #next = 0;

  constructor(private readonly out: ByteWriter) {}

  begin(): void {
    for (let place = 0; place < RING; place++) this.#ring[place] = EMPTY;
    this.#next = 0;
  }

  /**
   * Writes touching intervals as a run, from number `first`, which begins at `begin`, to `stop` or to the one that takes
   * the bytes beyond `full`.
   * @returns the number after the last one written
   */
  writeRun(
    end: Float64Array,
    value: Float64Array,
    first: number,
    stop: number,
    begin: number,
    full: number,
  ): number {
    const out = this.out;
    out.reserve(full + INTERVAL_BYTES - out.length);
    this.begin();
    let i = first;
    for (let from = begin; i < stop && out.length <= full; from = end[i++])
      this.write(end[i] - from, value[i]);
    return i;
  }

  /** `duration` in ns, above 0; within `INTERVAL_BYTES` reserved before. */
  write(duration: number, value: number): void {
    const out = this.out;
    const code = this.#codeOf(value);
    if (duration < INTEGER_END) {
      writeLength(out, duration, code);
    } else {
      out.byte((code << 3) | (REST_BYTES + 1));
      out.float64(duration);
    }
    if (code === ESCAPE) out.reservedVarint(value + 2);
  }

  #codeOf(value: number): number {
    if (value < SMALL_END && value >= SMALL_FIRST) return value - SMALL_FIRST;
    const ring = this.#ring;
    for (let place = 0; place < RING; place++) if (ring[place] === value) return RING_CODE + place;
    ring[this.#next] = value;
    this.#next = this.#next === RING - 1 ? 0 : this.#next + 1;
    return ESCAPE;
  }
}

/** Writes the code and a length below `INTEGER_END`. */
function writeLength(out: ByteWriter, duration: number, code: number): void {
  const { bytes } = out;
  const head = out.length;
  let at = head + 1;
  let rest = Math.floor(duration / 2);
  for (; rest >= 0x80000000; rest = Math.floor(rest / 256)) bytes[at++] = rest % 256;
  for (; rest > 0; rest >>= 8) bytes[at++] = rest & 255;
  bytes[head] = ((duration % 2) << 7) | (code << 3) | (at - head - 1);
  out.length = at;
}

/** Reads intervals one after the other; `end` and `value` are those of the interval read last. */
export class IntervalReader {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0;
  end = 0;
  value = 0;
  readonly #ring = new Float64Array(RING);
  #next = 0;

  /** Goes to the run at byte `at` of `bytes` whose first interval begins at `begin`. */
  open(bytes: Uint8Array, at: number, begin: number): void {
    this.bytes = bytes;
    this.at = at;
    this.end = begin;
    this.#next = 0;
  }

  read(): void {
    const { bytes } = this;
    const first = bytes[this.at++];
    const low = first >> 7;
    const count = first & 7;
    if (count === 2) {
      this.end += low + 2 * (bytes[this.at] | (bytes[this.at + 1] << 8));
      this.at += 2;
    } else if (count === 1) {
      this.end += low + 2 * bytes[this.at++];
    } else {
      this.end += this.#readLength(low, count);
    }
    const code = (first >> 3) & 15;
    if (code < RING_CODE) this.value = code + SMALL_FIRST;
    else if (code < ESCAPE) this.value = this.#ring[code - RING_CODE];
    else this.#readValue();
  }

  #readLength(low: number, count: number): number {
    const { bytes, at } = this;
    if (count > REST_BYTES) {
      this.at += DOUBLE_BYTES;
      return new DataView(bytes.buffer, bytes.byteOffset).getFloat64(at, true);
    }
    let rest = 0;
    for (let i = count - 1; i >= 0; i--) rest = rest * 256 + bytes[at + i];
    this.at += count;
    return low + 2 * rest;
  }

  #readValue(): void {
    this.value = readVarint(this) - 2;
    this.#ring[this.#next] = this.value;
    this.#next = this.#next === RING - 1 ? 0 : this.#next + 1;
  }
}
