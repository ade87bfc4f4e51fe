/** An offset as people write it: a number with a unit, ns where there is none. Pure. */
import { MOST_OFFSET_NS } from '../../engine/sync/clock-transform.ts';

const UNITS: Readonly<Record<string, number>> = { s: 9, ms: 6, us: 3, µs: 3, ns: 0, '': 0 };

/** Whole ns; undefined: it is no such number, finer than a ns, or more than a clock can be off. */
export function offsetNsOf(text: string): bigint | undefined {
  const match = /^\s*([+-]?)(\d+)(?:\.(\d+))?\s*([a-zµ]*)\s*$/.exec(text.replaceAll('−', '-'));
  if (match === null) return undefined;
  const [, sign, whole, part = '', unit] = match;
  const digits = UNITS[unit];
  if (digits === undefined || part.length > digits) return undefined;
  const ns = BigInt(whole + part.padEnd(digits, '0'));
  if (ns > MOST_OFFSET_NS) return undefined;
  return sign === '-' ? -ns : ns;
}

/**
 * The offset of a clock, ns, by which its event at one time is shown at another; times in display ns by what is shown now.
 * @returns undefined: a time is missing, or the clock runs by packets, so that no one offset is right
 */
export function offsetByMoment(
  { source, offsetNs }: { readonly source: string; readonly offsetNs: number },
  ownNs: number | undefined,
  otherNs: number | undefined,
): bigint | undefined {
  if (source === 'packets' || ownNs === undefined || otherNs === undefined) return undefined;
  return BigInt(Math.round(offsetNs)) + BigInt(Math.round(otherNs)) - BigInt(Math.round(ownNs));
}
