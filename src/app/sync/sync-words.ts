/** Synchronisation in words. Pure. */
import type { SyncInfo, SyncPairInfo } from '../../engine/protocol/sync.ts';
import { formatDuration, formatExact, formatCount, THIN } from '../format/numbers.ts';
import type { JoinedClock } from '../../engine/trace/types.ts';
import { plural, visibleText } from '../format/text.ts';

/** A part of the tab. */
export interface SyncProps {
  readonly info: SyncInfo;
  readonly nameOf: (host: number) => string;
}

export const STATE_WORDS: Readonly<
  Record<SyncPairInfo['state'], { readonly word: string; readonly about: string }>
> = {
  absent: { word: 'Not known', about: 'No packet tells how their clocks relate.' },
  incomplete: {
    word: 'Offset only',
    about: 'Packets went one way: the offset has one bound, the drift is not known.',
  },
  approximate: { word: 'Approximate', about: 'The drift has one bound only.' },
  accurate: { word: 'Accurate', about: 'Offset and drift are bounded from both sides.' },
  failed: {
    word: 'Not linear',
    about:
      'No straight line fits: a clock was set, or ran unevenly. Several lines are used, one after the other.',
  },
};

/** Summary in a sentence or two. @param nameOf name of a host */
export function syncSentence(info: SyncInfo, nameOf: (host: number) => string): string {
  const packets = info.pairs.reduce((sum, { matched }) => sum + matched, 0);
  const known = info.pairs.filter(({ offsetNs }) => offsetNs !== undefined);
  if (known.length === 0)
    return 'How the clocks of these hosts relate is not known: the hosts are shown as if they began together.';
  const before = info.pairs.reduce((sum, pair) => sum + pair.inversionsBefore, 0);
  const after = info.pairs.reduce((sum, pair) => sum + pair.inversionsAfter, 0);
  const clocks = known.map((pair) => aheadOf(pair, nameOf)).join('; ');
  const turned =
    before === 0
      ? ''
      : ` By their own clocks ${plural(before, 'packet')} arrived before ${before === 1 ? 'it was' : 'they were'} sent; now ${after === 0 ? 'none does' : formatCount(after)}.`;
  return `${plural(packets, 'packet')} show how the clocks relate: ${clocks}.${turned}`;
}

/** Sentence that says why two recordings are of the same host. */
export function joinedSentence({ by, clocks, offsetNs, drift, switches, ...spread }: JoinedClock): string {
  const [own, other] = clocks.map(visibleText);
  const apart = `${own} is ${formatExact(Math.abs(Number(offsetNs)))} ${offsetNs < 0n ? 'ahead of' : 'behind'} ${other}`;
  const drifts = drift === 0 ? '' : `, which gains ${(drift * 1e6).toFixed(1)}${THIN}ppm`;
  const { deviationNs, leastNs, greatestNs } = spread;
  const within = `${signedText(leastNs)} to ${signedText(greatestNs)}, in the median ${formatExact(Math.round(deviationNs))}`;
  return `It counts time as ${visibleText(by)}, by ${plural(switches, 'switch', 'switches')} of threads that both recorded: ${apart}${drifts}. Single switches differ by ${within}.`;
}

function aheadOf(
  { from, to, offsetNs = 0, uncertaintyNs }: SyncPairInfo,
  nameOf: (host: number) => string,
): string {
  const [late, early] = offsetNs >= 0 ? [to, from] : [from, to];
  const within = Number.isFinite(uncertaintyNs) ? `, within ${formatDuration(uncertaintyNs)}` : '';
  return `${nameOf(late)} is ${formatExact(Math.abs(Math.round(offsetNs)))} ahead of ${nameOf(early)}${within}`;
}

/** "22.5 ± 186.8 ppm"; "within ± 186.8 ppm" where clocks are taken to run equally fast. */
export function driftText({ slope, driftUncertainty }: SyncPairInfo): string {
  if (slope === undefined) return '–';
  const ppm = (value: number) => (value * 1e6).toFixed(1);
  if (slope === 1 && Number.isFinite(driftUncertainty)) return `within ± ${ppm(driftUncertainty)}${THIN}ppm`;
  const within = Number.isFinite(driftUncertainty) ? ` ± ${ppm(driftUncertainty)}` : '';
  return `${ppm(slope - 1)}${within}${THIN}ppm`;
}

/** "+5.508 863 833 s ± 70.8 µs". */
export function offsetText({ offsetNs, uncertaintyNs }: SyncPairInfo): string {
  if (offsetNs === undefined) return '–';
  const within = Number.isFinite(uncertaintyNs) ? ` ± ${formatDuration(uncertaintyNs)}` : '';
  return signedText(offsetNs) + within;
}

/** "−5.4 s". @param ns rounded to whole ones */
export function signedText(ns: number): string {
  return (ns < 0 ? '−' : '+') + formatExact(Math.abs(Math.round(ns)));
}
