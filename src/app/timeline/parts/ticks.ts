/**
 * Ticks and labels of a time axis. Steps are 1-2-5 of ns (of clock units in UTC and local time), at least 90 pixels
 * apart. Where a full label would be too long, ticks count from a round base ("+20 ns"), which is named at its place
 * and at the left edge.
 */
import type { DisplayNs } from '../../../engine/base/units.ts';
import { THIN, fixedDigits, formatCount } from '../../format/numbers.ts';
import { roundStep } from '../../../engine/words/scale.ts';
import { dayOf, digitsOf, wallTime, type TimeStyle } from '../time-text.ts';
import type { Viewport } from '../view/viewport.ts';

interface Tick {
  readonly timeNs: DisplayNs;
  readonly label: string;
  /** Whether it is a round base from which later ticks count. */
  readonly base: boolean;
}

export interface Axis {
  readonly ticks: readonly Tick[];
  readonly stepNs: number;
  /** Label at the left edge: the base of the first ticks where they count from one, the day of clock times. */
  readonly leading?: string;
}

const LEAST_PIXELS = 90;
/** Number of steps from zero above which labels count from a base. */
const MOST_STEPS = 100_000;
const SECOND = 1e9;
const CLOCK_STEPS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
].map((s) => s * SECOND);

export function axisOf(view: Viewport, width: number, style: TimeStyle, leastPixels = LEAST_PIXELS): Axis {
  const wall = style.mode !== 'relative' && style.originNs !== '';
  const step = stepOf((view.span / Math.max(1, width)) * leastPixels, wall);
  const end = view.start + view.fraction + view.span;
  const base = end / step > MOST_STEPS || (wall && step < 1e6) ? baseOf(step) : 0;
  // Clock times are rounded by time since 1970, not since the experiment's begin.
  const shift = wall ? Number(BigInt(style.originNs) % BigInt(Math.max(step, base))) : 0;
  const floorTo = (time: number, unit: number) => Math.floor((time + shift) / unit) * unit - shift;
  const full = (time: number, unit: number) =>
    wallTime(time, style, digitsOf(unit)) ?? relativeLabel(time, unit);
  const tickAt = (timeNs: DisplayNs): Tick => {
    if (base === 0) return { timeNs, label: full(timeNs, step), base: false };
    const from = floorTo(timeNs, base);
    if (from === timeNs) return { timeNs, label: full(timeNs, base), base: true };
    return { timeNs, label: `+${relativeLabel(timeNs - from, step)}`, base: false };
  };

  const ticks: Tick[] = [];
  for (let time = floorTo(view.start, step); time < end; time += step) {
    if (time >= view.start + view.fraction) ticks.push(tickAt(time));
  }
  const leading = base > 0 ? full(floorTo(view.start, base), base) : dayOf(view.start, style);
  return { ticks, stepNs: step, leading };
}

function stepOf(least: number, wall: boolean): number {
  const clock = wall && least > SECOND ? CLOCK_STEPS.find((step) => step >= least) : undefined;
  // Steps are whole ns.
  return clock ?? roundStep(Math.max(1, least));
}

/** The power of a thousand ns above a step. */
function baseOf(step: number): number {
  return 1000 ** (Math.floor(Math.log10(step) / 3 + 1e-9) + 1);
}

/** Time in the unit of the step, with the digits it needs. @internal */
export function relativeLabel(time: number, step: number): string {
  if (step >= 1e8) return decimal(time, 9, digitsOf(step), 's');
  if (step >= 1e5) return decimal(time, 6, Math.max(0, digitsOf(step) - 3), 'ms');
  if (step >= 1e2) return decimal(time, 3, Math.max(0, digitsOf(step) - 6), 'µs');
  return `${formatCount(time)}${THIN}ns`;
}

/** `time` in units of 10^places ns with `digits` of the digits after the point. */
function decimal(time: number, places: number, digits: number, unit: string): string {
  const [head, tail] = fixedDigits(time, places).split('.');
  const kept = tail.replaceAll(THIN, '').slice(0, digits);
  return `${head}${kept === '' ? '' : `.${kept}`}${THIN}${unit}`;
}
