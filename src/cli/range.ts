/** `--range FROM..TO`: times as people and programs write them, in ns since the experiment's first event. */
import type { TimeRange } from '../engine/protocol/range.ts';
import { UsageError } from './options.ts';

const NS_PER_S = 1_000_000_000n;
const NS_PER_DAY = 86_400n * NS_PER_S;
/** Number of digits of an integer that is ns since 1970. */
const ABSOLUTE_DIGITS = 19;

/**
 * Reads a range, either end of which may be left out. An end is an integer (ns since the origin; of 19 digits: since 1970), `HH:MM:SS.n` (UTC
 * of the origin's day) or `+1.5s`.
 *
 * @param originNs time of the first event since 1970, ns
 * @throws UsageError
 */
export function parseRange(text: string, originNs: bigint): TimeRange {
  const ends = text.split('..');
  if (ends.length !== 2) throw new UsageError(`--range: FROM..TO is expected, not "${text}"`);
  const [from, to] = ends.map((end) => parseTime(end.trim(), originNs));
  const range = { from: from ?? -Infinity, to: to ?? Infinity };
  if (range.from > range.to) throw new UsageError(`--range: "${text}" ends before it begins`);
  return range;
}

function parseTime(text: string, originNs: bigint): number | undefined {
  if (text === '') return undefined;
  if (/^-?\d+$/.test(text)) {
    return text.length === ABSOLUTE_DIGITS ? Number(BigInt(text) - originNs) : Number(text);
  }
  const seconds = /^\+(\d+)(?:\.(\d{1,9}))?s$/.exec(text);
  if (seconds !== null) return Number(BigInt(seconds[1]) * NS_PER_S + fraction(seconds[2]));
  const clock = /^(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/.exec(text);
  if (clock === null) throw new UsageError(`--range: "${text}" is no time`);
  const [hours, minutes, whole] = clock.slice(1, 4).map(BigInt);
  if (hours > 23n || minutes > 59n || whole > 59n)
    throw new UsageError(`--range: "${text}" is no time of day`);
  const midnight = originNs - (originNs % NS_PER_DAY);
  const ns = midnight + ((hours * 60n + minutes) * 60n + whole) * NS_PER_S + fraction(clock[4]);
  // A trace that goes on past midnight.
  return Number((ns < originNs - NS_PER_DAY / 2n ? ns + NS_PER_DAY : ns) - originNs);
}

/** Value of the digits after the point of seconds, ns. */
function fraction(digits: string | undefined): bigint {
  return BigInt((digits ?? '').padEnd(9, '0'));
}
