/** Losses while a trace was recorded: lost events, and times of CPUs in which events were lost. */
import { groupBy } from '../../engine/base/group-by.ts';
import { cachedByKey } from '../../engine/base/cached-by-key.ts';
import { lostShare } from '../../engine/answers/statistics/cpu-usage.ts';
import type { DisplayNs } from '../../engine/base/units.ts';
import type { ExperimentInfo, HostInfo } from '../../engine/protocol/session.ts';
import type { TimeRange } from '../../engine/protocol/range.ts';
import type { Fault } from '../../engine/base/fault.ts';
import { formatCount } from '../format/numbers.ts';

export interface Losses {
  /** Events lost in the whole trace, and their share of all; their times are not known. */
  readonly events: number;
  readonly eventShare: number;
  /** Time of all CPUs in which events were lost, within the range, in ns, and its share. */
  readonly timeNs: DisplayNs;
  readonly timeShare: number;
}

/** Share of events or time above which losses falsify the numbers of a trace. */
const MUCH = 0.01;

/** @param range display ns; undefined: the whole trace */
export function lossesOf(info: ExperimentInfo, range?: TimeRange): Losses {
  const { discardedEvents, hosts } = info;
  let timeNs = 0;
  let allNs = 0;
  for (const host of hosts) {
    const from = Math.max(host.firstNs, range?.from ?? -Infinity);
    const to = Math.min(host.lastNs, range?.to ?? Infinity);
    if (to <= from) continue;
    const within = (piece: TimeRange) => Math.max(0, Math.min(to, piece.to) - Math.max(from, piece.from));
    const recorded = host.notRecorded.reduce((ns, gap) => ns - within(gap), to - from);
    allNs += recorded * host.cpus;
    for (const lost of lostTimes(host)) timeNs += within(lost);
  }
  return {
    events: discardedEvents,
    eventShare: lostShare(info),
    timeNs,
    timeShare: allNs === 0 ? 0 : timeNs / allNs,
  };
}

/** Whether losses are large enough to falsify numbers. */
export function isMuchLost({ eventShare, timeShare }: Losses): boolean {
  return eventShare >= MUCH || timeShare >= MUCH;
}

/** Times at which CPUs lost events, without overlaps within a CPU, as two of its channels may lose at once. */
const lostTimes = cachedByKey(({ lost }: HostInfo): readonly TimeRange[] =>
  [...groupBy(lost, ({ cpu }) => cpu).values()].flatMap(union),
);

function union(pieces: readonly TimeRange[]): TimeRange[] {
  const apart: { from: DisplayNs; to: DisplayNs }[] = [];
  for (const { from, to } of [...pieces].sort((a, b) => a.from - b.from)) {
    const last = apart.at(-1);
    if (last === undefined || from > last.to) apart.push({ from, to });
    else last.to = Math.max(last.to, to);
  }
  return apart;
}

type Known = Pick<ExperimentInfo, 'faults' | 'events' | 'discardedEvents' | 'discardedPackets'>;

/** Faults of the trace and losses while recording; losses come first, as they are why states are unknown. */
export function problemsOf({ faults, events, discardedEvents, discardedPackets }: Known): readonly Fault[] {
  const problems: Fault[] = [];
  if (discardedEvents > 0) {
    const found = `${formatCount(discardedEvents)} lost, ${formatCount(events)} recorded`;
    problems.push({ code: 'events-discarded', place: {}, found });
  }
  if (discardedPackets > 0)
    problems.push({ code: 'packets-discarded', place: {}, found: `${formatCount(discardedPackets)} lost` });
  return [...problems, ...faults];
}
