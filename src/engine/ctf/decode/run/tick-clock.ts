/**
 * The running value of a stream's default clock (CTF 1.8.3 section 8) and its time in ns. The value is kept as `base
 * + ticks`, where `ticks` is an exact double: the base moves when the distance to it reaches 2^52 cycles or ns, in
 * real streams at most once, at their first packet.
 * A time is the double nearest to the exact one, whatever the base, so that it does not depend on earlier chunks. A
 * sum of two exact doubles is that; if the time of the base itself is not exact, times are computed in whole numbers.
 */
import { wideOf } from '../../../base/wide-integer.ts';
import { cyclesToNs, FARTHEST_NS, type ClockMap } from './clock-map.ts';

const NS_PER_S = 1_000_000_000n;
const WORD = 2 ** 32;
const FAR_NS = 2 ** 52;
/** Far bases of 1 GHz have times that are multiples of 2^12, which a double holds exactly up to 2^65. */
const FAR_STEP_BITS = 12;

/** Scale of a clock, which depends on its frequency alone. */
export interface ClockScale {
  /** HostNs of ticks since the base = that of the base + floor((ticks x multiplier + remainder) / divisor). */
  readonly multiplier: bigint;
  readonly divisor: bigint;
  /** Limit on the distance from the base, ticks. */
  readonly far: bigint;
}

/** Scale of streams without clock, whose times are all 0. */
export const NO_SCALE: ClockScale = { multiplier: 1n, divisor: 1n, far: BigInt(FAR_NS) };

export function clockScale(frequency: bigint): ClockScale {
  const common = greatestDivisor(NS_PER_S, frequency);
  const far = (BigInt(FAR_NS) * (frequency < NS_PER_S ? frequency : NS_PER_S)) / NS_PER_S;
  return { multiplier: NS_PER_S / common, divisor: frequency / common, far };
}

export class TickClock {
  readonly scale: ClockScale;
  /** [0]: cycles since the base; [1]: HostNs of the base. Shared with the packet loop. */
  readonly state = new Float64Array(2);
  /** [0]: low 32 bits of the value. */
  readonly low = new Int32Array(1);
  /** True when a cycle is a ns and every base exact: HostNs = state[0] + state[1]. */
  readonly nanoseconds: boolean;
  readonly #map: ClockMap;
  readonly #division: TickDivision;
  readonly #farTicks: number;
  readonly #lastUsual: bigint;
  /** Cycles of the base. */
  base = 0n;
  /** Remainder of the division of the base, in 1 / divisor ns. */
  remainder = 0;
  #baseLow = 0;
  #baseHigh = 0;
  /** Whether the HostNs of the base is exactly state[1]. */
  #exact = true;

  constructor(map: ClockMap) {
    this.scale = clockScale(map.frequency);
    this.nanoseconds = map.frequency === NS_PER_S && BigInt.asIntN(64, map.baseNs) === map.baseNs;
    this.#map = map;
    this.#division = new TickDivision(this.scale);
    this.#farTicks = Number(this.scale.far);
    this.#lastUsual = 2n ** 64n - this.scale.far;
    this.#moveBase(0n);
  }

  /** The value without wrapping at 2^64. */
  get total(): bigint {
    return this.base + BigInt(this.state[0]);
  }

  /**
   * Whether the base is a 64-bit number whose HostNs is exactly state[1], and far from 2^64. Then sums in doubles and
   * words are right, a word that is less than the base is far from it, and no time near the base is too far.
   */
  get isUsual(): boolean {
    const isNear = this.nanoseconds || Math.abs(this.state[1]) < FARTHEST_NS - 2 * FAR_NS;
    return isNear && this.#exact && this.base >= 0n && this.base <= this.#lastUsual;
  }

  /** Sets the whole value. */
  set(cycles: bigint): void {
    const { far } = this.scale;
    const ticks = cycles - this.base;
    if (ticks > -far && ticks < far) this.state[0] = Number(ticks);
    else this.#moveBase(cycles);
    this.low[0] = Number(BigInt.asIntN(32, cycles));
  }

  /** Takes an n-bit value: it replaces the low n bits of the clock, which never goes back by it unless n = 64. */
  update(low: number, high: number, bits: number): void {
    if (bits === 64) this.#setWords(low, high);
    else if (bits <= 32) this.#step(((low - this.low[0]) & (bits === 32 ? -1 : (1 << bits) - 1)) >>> 0);
    else {
      const { total } = this;
      this.set(total + BigInt.asUintN(bits, wideOf(low, high) - total));
    }
  }

  /** The value's 64 bits, low and high word. */
  writeValue(words: Int32Array, at: number): void {
    // Exact doubles, of which an Int32Array keeps the low 32 bits.
    const fromBase = this.#baseLow + this.state[0];
    words[at] = fromBase;
    words[at + 1] = this.#baseHigh + Math.floor(fromBase / WORD);
  }

  /** Moves the base if it is far; code that adds to state[0] calls it now and then. */
  settle(): void {
    if (this.state[0] >= this.#farTicks) this.#moveBase(this.total);
  }

  /** HostNs of `ticks` since the base, rounded down. */
  timeAt(ticks: number): number {
    const scaled = this.#division.floor(ticks, this.remainder);
    if (this.#exact && Math.abs(scaled) <= Number.MAX_SAFE_INTEGER) return this.state[1] + scaled;
    return Number(this.#exactNs(this.base + BigInt(ticks)));
  }

  #moveBase(cycles: bigint): void {
    const ns = this.#exactNs(cycles);
    const isDouble = BigInt(Number(ns)) === ns;
    const above = isDouble || !this.nanoseconds ? 0n : BigInt.asUintN(FAR_STEP_BITS, ns);
    this.#exact = isDouble || this.nanoseconds;
    this.base = cycles - above;
    this.#baseLow = Number(BigInt.asUintN(32, this.base));
    this.#baseHigh = Number(this.base >> 32n);
    const { multiplier, divisor } = this.scale;
    const left = ((this.base + this.#map.ticksOffset) * multiplier) % divisor;
    this.remainder = Number(left < 0n ? left + divisor : left);
    this.state[0] = Number(above);
    this.state[1] = Number(ns - above);
  }

  #setWords(low: number, high: number): void {
    const ticks = ((high >>> 0) - this.#baseHigh) * WORD + ((low >>> 0) - this.#baseLow);
    if (ticks > -this.#farTicks && ticks < this.#farTicks) {
      this.state[0] = ticks;
      this.low[0] = low;
    } else this.set(wideOf(low, high));
  }

  #step(ticks: number): void {
    if (this.state[0] + ticks < this.#farTicks) {
      this.state[0] += ticks;
      this.low[0] += ticks;
    } else this.set(this.total + BigInt(ticks));
  }

  #exactNs(cycles: bigint): bigint {
    return cyclesToNs(cycles, this.#map.frequency, this.#map.ticksOffset) - this.#map.baseNs;
  }
}

/**
 * floor((ticks x multiplier + remainder) / divisor) in doubles, or NaN if they cannot prove the last digit. The whole
 * part of ticks / divisor is split off, so that what is rounded is below multiplier + 1 <= 10^9 + 1. If its numerator
 * is exact (below 2^53), so is the floor of the correctly rounded quotient; else three roundings leave an error below
 * 4 x 10^-7, which matters only near a whole number.
 */
class TickDivision {
  readonly #multiplier: number;
  readonly #divisor: number;
  readonly #exact: boolean;
  readonly #usable: boolean;

  constructor(scale: ClockScale) {
    this.#multiplier = Number(scale.multiplier);
    this.#divisor = Number(scale.divisor);
    this.#exact = (this.#multiplier + 1) * this.#divisor < 2 ** 53;
    this.#usable = this.#divisor < 2 ** 53;
  }

  floor(ticks: number, remainder: number): number {
    if (!this.#usable) return Number.NaN;
    const divisor = this.#divisor;
    const whole = Math.floor(ticks / divisor);
    const rest = ticks - whole * divisor;
    if (rest < 0 || rest >= divisor) return Number.NaN;
    const quotient = (rest * this.#multiplier + remainder) / divisor;
    const floor = Math.floor(quotient);
    const fraction = quotient - floor;
    if (!this.#exact && (fraction < 1e-6 || fraction > 1 - 1e-6)) return Number.NaN;
    return whole * this.#multiplier + floor;
  }
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
