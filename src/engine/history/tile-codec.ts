/**
 * One tile as bytes: how long it lasts and its value. The first byte holds a code of the value (bits 0-3), the low
 * three bits of the length (4-6) and whether more follow (7); the rest of the length is a varint. Codes 0-8 stand for
 * GAP and the values 0-7: states, CPU numbers. Codes 9-14 are places of a ring of the larger values met last; code 15
 * says that a value not in the ring follows, as varint of value + 2 (so that MIXED, -2, has one too), which takes the
 * place of the oldest. Writer and reader keep equal rings, empty at the begin of every run, so that a run can be read
 * by itself. A tile of a usual trace takes 2 to 4 bytes.
 */
import { readVarint, VARINT_BYTES, type ByteWriter } from './bytes.ts';

/** Values below are their own code, less `SMALL_FIRST`. */
const SMALL_END = 8;
const SMALL_FIRST = -1;
const RING_CODE = SMALL_END - SMALL_FIRST;
const ESCAPE = 15;
const RING = ESCAPE - RING_CODE;
/** Most bytes a tile takes. */
export const TILE_BYTES = 1 + 2 * VARINT_BYTES;
/** No value: GAP and MIXED are -1 and -2. */
const EMPTY = -3;

export class TileWriter {
  readonly #out: ByteWriter;
  readonly #ring = new Float64Array(RING);
  #next = 0;

  constructor(out: ByteWriter) {
    this.#out = out;
  }

  /** Begins a run. */
  begin(): void {
    for (let place = 0; place < RING; place++) this.#ring[place] = EMPTY;
    this.#next = 0;
  }

  /**
   * Writes touching tiles as a run, from number `first`, which begins at `begin`, to `stop` or to the one that takes
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
    const out = this.#out;
    out.reserve(full + TILE_BYTES - out.length);
    this.begin();
    let i = first;
    for (let from = begin; i < stop && out.length <= full; from = end[i++])
      this.write(end[i] - from, value[i]);
    return i;
  }

  /** `duration` in ns, above 0; within `TILE_BYTES` reserved before. */
  write(duration: number, value: number): void {
    const out = this.#out;
    const code = this.#codeOf(value);
    if (duration < 0x80000000) {
      out.length += writeShort(out.bytes, out.length, duration, code);
    } else {
      const low = duration % 8;
      out.bytes[out.length++] = 128 | (low << 4) | code;
      out.reservedVarint((duration - low) / 8);
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

/**
 * Writes the code and a length below 2^31: always the five bytes of the longest one, of which those that the length
 * does not need are overwritten by what follows. No branch could foretell how many there are.
 * @returns the bytes needed
 */
function writeShort(bytes: Uint8Array, at: number, duration: number, code: number): number {
  const rest = duration >>> 3;
  bytes[at] = moreThan(rest, 0) | ((duration & 7) << 4) | code;
  bytes[at + 1] = moreThan(rest, 0x7f) | (rest & 127);
  bytes[at + 2] = moreThan(rest, 0x3fff) | ((rest >>> 7) & 127);
  bytes[at + 3] = moreThan(rest, 0x1fffff) | ((rest >>> 14) & 127);
  bytes[at + 4] = rest >>> 21;
  // One, and one for every seven bits: n / 7 as a product, exact for so few.
  return 1 + (((38 - Math.clz32(rest)) * 37) >>> 8);
}

/** The bit that tells of a further byte, where `rest` (below 2^28) is larger than `most`. */
function moreThan(rest: number, most: number): number {
  return ((most - rest) >>> 24) & 128;
}

/** Reads tiles one after the other; `end` and `value` are those of the tile read last. */
export class TileReader {
  bytes: Uint8Array = new Uint8Array(0);
  /** The next byte. */
  at = 0;
  end = 0;
  value = 0;
  readonly #ring = new Float64Array(RING);
  #next = 0;

  /** Goes to the run at byte `at` of `bytes` whose first tile begins at `begin`. */
  open(bytes: Uint8Array, at: number, begin: number): void {
    this.bytes = bytes;
    this.at = at;
    this.end = begin;
    this.#next = 0;
  }

  read(): void {
    const { bytes } = this;
    const first = bytes[this.at++];
    if (first < 128) {
      this.end += first >> 4;
    } else if (bytes[this.at] < 128) {
      this.end += ((first >> 4) & 7) + bytes[this.at++] * 8;
    } else {
      this.end += ((first >> 4) & 7) + readVarint(this) * 8;
    }
    const code = first & 15;
    if (code < RING_CODE) this.value = code + SMALL_FIRST;
    else if (code < ESCAPE) this.value = this.#ring[code - RING_CODE];
    else this.#readValue();
  }

  #readValue(): void {
    this.value = readVarint(this) - 2;
    this.#ring[this.#next] = this.value;
    this.#next = this.#next === RING - 1 ? 0 : this.#next + 1;
  }
}
