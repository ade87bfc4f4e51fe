/**
 * The running value of a stream's default clock (spec 02 section 3, "Clock values") and its time in ns. The value is
 * kept as `base + ticks`, where `ticks` is a double that stays exact: the base moves when the distance to it reaches
 * 2^52 cycles or ns, which real streams do at most once, at their first packet.
 *
 * A time is the double nearest to the exact one, whatever the base: so it depends on no chunk before. A sum of two
 * exact doubles is that; where the base's own time is none, times are made of whole numbers.
 */
import { cyclesToNs, type ClockMap } from './clock-map.ts';

const NS_PER_S = 1_000_000_000n;
const WORD = 2 ** 32;
const FAR_NS = 2 ** 52;
/** Far bases of 1 GHz have a multiple of it as time, which a double holds up to 2^65. */
const FAR_STEP_BITS = 12;

/** What depends on the clock's frequency alone. */
export interface ClockScale {
  /** TimeNs of ticks since the base = that of the base + floor((ticks x multiplier + remainder) / divisor). */
  readonly multiplier: bigint;
  readonly divisor: bigint;
  /** The base is nearer than so many ticks. */
  readonly far: bigint;
}

/** Of streams without clock, whose times are all 0. */
export const NO_SCALE: ClockScale = { multiplier: 1n, divisor: 1n, far: BigInt(FAR_NS) };

export interface TickClock {
  readonly scale: ClockScale;
  /** [0]: cycles since the base; [1]: TimeNs of the base. Shared with the packet loop. */
  readonly state: Float64Array;
  /** [0]: low 32 bits of the value. */
  readonly low: Int32Array;
  /** True when a cycle is a ns and every base exact: TimeNs = state[0] + state[1]. */
  readonly nanoseconds: boolean;
  /** Whether the base is a 64-bit number whose TimeNs is exactly state[1]: then sums in doubles and words are right. */
  readonly isUsual: () => boolean;
  /** Sets the whole value. */
  set(cycles: bigint): void;
  /** Takes an n-bit value: it replaces the low n bits of the clock, which never goes back by it unless n = 64. */
  update(low: number, high: number, bits: number): void;
  /** The value's 64 bits, low and high word. */
  writeValue(words: Int32Array, at: number): void;
  /** To be called now and then by who adds to state[0]: moves the base where it is far. */
  settle(): void;
  /** The value, which steps lead on beyond 2^64. */
  total(): bigint;
  /** Cycles of the base, and what its division left over, in 1 / divisor ns. */
  base(): bigint;
  remainder(): number;
  /** TimeNs of `ticks` since the base, rounded down. */
  timeAt(ticks: number): number;
}

export function createTickClock(map: ClockMap): TickClock {
  const state = new Float64Array(2);
  const low = new Int32Array(1);
  const common = greatestDivisor(NS_PER_S, map.frequency);
  const multiplier = NS_PER_S / common;
  const divisor = map.frequency / common;
  const far = (BigInt(FAR_NS) * (map.frequency < NS_PER_S ? map.frequency : NS_PER_S)) / NS_PER_S;
  const farTicks = Number(far);
  const scaleTicks = createScale(Number(multiplier), Number(divisor));
  let base = 0n;
  let baseLow = 0;
  let baseHigh = 0;
  /** What the division of the base left over, in 1 / divisor ns. */
  let remainder = 0;
  let exact = true;
  const nanoseconds = map.frequency === NS_PER_S && BigInt.asIntN(64, map.baseNs) === map.baseNs;

  const moveBase = (cycles: bigint): void => {
    const ns = cyclesToNs(cycles, map.frequency, map.ticksOffset) - map.baseNs;
    exact = BigInt(Number(ns)) === ns;
    const above = exact || !nanoseconds ? 0n : BigInt.asUintN(FAR_STEP_BITS, ns);
    exact ||= nanoseconds;
    base = cycles - above;
    baseLow = Number(BigInt.asUintN(32, base));
    baseHigh = Number(base >> 32n);
    const scaled = (base + map.ticksOffset) * multiplier;
    const left = scaled % divisor;
    remainder = Number(left < 0n ? left + divisor : left);
    state[0] = Number(above);
    state[1] = Number(ns - above);
  };
  const set = (cycles: bigint): void => {
    const ticks = cycles - base;
    if (ticks > -far && ticks < far) state[0] = Number(ticks);
    else moveBase(cycles);
    low[0] = Number(BigInt.asIntN(32, cycles));
  };
  const setWords = (lowWord: number, highWord: number): void => {
    const ticks = ((highWord >>> 0) - baseHigh) * WORD + ((lowWord >>> 0) - baseLow);
    if (ticks > -farTicks && ticks < farTicks) {
      state[0] = ticks;
      low[0] = lowWord;
    } else set((BigInt(highWord >>> 0) << 32n) | BigInt(lowWord >>> 0));
  };
  const total = (): bigint => base + BigInt(state[0]);
  moveBase(0n);
  return {
    scale: { multiplier, divisor, far },
    state,
    low,
    base: () => base,
    remainder: () => remainder,
    nanoseconds,
    isUsual: () => exact && BigInt.asUintN(64, base) === base,
    set,
    writeValue: (words, at) => {
      // Exact doubles, of which an Int32Array keeps the low 32 bits.
      const fromBase = baseLow + state[0];
      words[at] = fromBase;
      words[at + 1] = baseHigh + Math.floor(fromBase / WORD);
    },
    total,
    settle: () => {
      if (state[0] >= farTicks) moveBase(total());
    },
    update(lowWord, highWord, bits) {
      if (bits === 64) setWords(lowWord, highWord);
      else if (bits <= 32) {
        const step = ((lowWord - low[0]) & (bits === 32 ? -1 : (1 << bits) - 1)) >>> 0;
        if (state[0] + step < farTicks) {
          state[0] += step;
          low[0] += step;
        } else set(total() + BigInt(step));
      } else {
        const given = (BigInt(highWord >>> 0) << 32n) | BigInt(lowWord >>> 0);
        set(total() + BigInt.asUintN(bits, given - total()));
      }
    },
    timeAt(ticks) {
      const scaled = scaleTicks(ticks, remainder);
      if (exact && Math.abs(scaled) <= Number.MAX_SAFE_INTEGER) return state[1] + scaled;
      return Number(cyclesToNs(base + BigInt(ticks), map.frequency, map.ticksOffset) - map.baseNs);
    },
  };
}

/**
 * floor((ticks x multiplier + remainder) / divisor) in doubles, or NaN where they cannot prove the last digit: the
 * whole part of ticks / divisor is split off, so that what is rounded is below multiplier + 1 <= 10^9 + 1. If its
 * numerator is exact (below 2^53), so is the floor of the correctly rounded quotient; else three roundings leave an
 * error below 4 x 10^-7, which matters only near a whole number.
 */
function createScale(multiplier: number, divisor: number): (ticks: number, remainder: number) => number {
  const exact = (multiplier + 1) * divisor < 2 ** 53;
  const usable = divisor < 2 ** 53;
  return (ticks, remainder) => {
    if (!usable) return Number.NaN;
    const whole = Math.floor(ticks / divisor);
    const rest = ticks - whole * divisor;
    if (rest < 0 || rest >= divisor) return Number.NaN;
    const quotient = (rest * multiplier + remainder) / divisor;
    const floor = Math.floor(quotient);
    const fraction = quotient - floor;
    if (!exact && (fraction < 1e-6 || fraction > 1 - 1e-6)) return Number.NaN;
    return whole * multiplier + floor;
  };
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
