/** Times that people type ("4.2", "4.2 s", "350ms", "12 us", "17 ns"; seconds if no unit is given), and times of links. */
import type { DisplayNs } from '../../engine/base/units.ts';

const UNITS: Record<string, number> = { '': 1e9, s: 1e9, ms: 1e6, us: 1e3, µs: 1e3, μs: 1e3, ns: 1 };

/** A typed number in a form that programs read: without spaces, with a decimal point and an ASCII minus sign. */
export function plainNumber(text: string): string {
  return text
    .replace(/\s/g, '')
    .replace('−', '-')
    .replace(/^([+-]?\d*),(?=\d)/, '$1.');
}

/** Reads a typed time, in ns; undefined: it is none. */
export function parseTime(text: string): number | undefined {
  const plain = plainNumber(text);
  const match = /^([+-]?\d+(?:\.\d*)?|\.\d+)(s|ms|us|µs|μs|ns)?$/.exec(plain);
  if (match === null) return undefined;
  const [whole, part = ''] = match[1].split('.');
  const unit = UNITS[match[2] ?? ''];
  // Whole part and fraction are converted separately, so that nanoseconds stay exact.
  const sign = whole.startsWith('-') ? -1 : 1;
  return Number(whole) * unit + sign * Math.round(Number(`0.${part || '0'}`) * unit);
}

/** Sets a time of a link, in whole display ns. */
export function setTime(parts: URLSearchParams, name: string, timeNs: DisplayNs | undefined): void {
  if (timeNs !== undefined) parts.set(name, String(Math.round(timeNs)));
}

/** A time of a link, display ns; undefined: it is missing or no time. */
export function readTime(text: string | null): DisplayNs | undefined {
  if (text === null || !/^-?\d{1,16}$/.test(text)) return undefined;
  const time = Number(text);
  return Number.isSafeInteger(time) ? time : undefined;
}
