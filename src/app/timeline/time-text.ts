/** Points in time as text: relative to the experiment's begin, UTC or local. Exact to the ns. */
import type { DisplayNs } from '../../engine/base/units.ts';
import { THIN, fixedDigits } from '../format/numbers.ts';

const TIME_MODES = ['relative', 'utc', 'local'] as const;
export type TimeMode = (typeof TIME_MODES)[number];

export function isTimeMode(value: unknown): value is TimeMode {
  return TIME_MODES.some((mode) => mode === value);
}

/** Style of points in time: the mode, and ns since 1970 of display time 0 ('' unknown: always relative). */
export interface TimeStyle {
  readonly mode: TimeMode;
  readonly originNs: string;
}

/** Digits after the seconds' point that a step of `ns` needs: 9 for 1 ns, 0 from one second. */
export function digitsOf(ns: number): number {
  return Math.max(0, Math.min(9, Math.ceil(9 - Math.log10(Math.max(1, ns)) - 1e-9)));
}

/** A time to the nanosecond: "4 236.400 213 ms" or "14:02:51.204 113 907". */
export function exactTime(time: DisplayNs, style: TimeStyle): string {
  return wallTime(time, style, 9) ?? `${fixedDigits(time, 9)}${THIN}s`;
}

/** Clock time with `digits` digits of the second; undefined where times are relative. */
export function wallTime(time: DisplayNs, style: TimeStyle, digits: number): string | undefined {
  if (style.mode === 'relative' || style.originNs === '') return undefined;
  const ns = BigInt(style.originNs) + BigInt(Math.round(time));
  const second = floorDiv(ns, 1_000_000_000n);
  const rest = String(ns - second * 1_000_000_000n).padStart(9, '0');
  const date = new Date(Number(second) * 1000);
  const clock = style.mode === 'utc' ? date.toISOString().slice(11, 19) : localClock(date);
  return digits === 0 ? clock : `${clock}.${rest.slice(0, digits).replace(/(\d{3})(?=\d)/g, `$1${THIN}`)}`;
}

/** Day of a time, "2024-05-17"; undefined where times are relative. */
export function dayOf(time: DisplayNs, style: TimeStyle): string | undefined {
  if (style.mode === 'relative' || style.originNs === '') return undefined;
  const ns = BigInt(style.originNs) + BigInt(Math.round(time));
  const date = new Date(Number(floorDiv(ns, 1_000_000n)));
  if (style.mode === 'utc') return date.toISOString().slice(0, 10);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function localClock(date: Date): string {
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b;
  return a % b < 0n ? quotient - 1n : quotient;
}
