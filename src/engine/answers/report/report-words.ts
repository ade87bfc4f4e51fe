/** Words and tables that reports of all forms have. Pure. */
import type {
  CheckedCondition,
  MetricSums,
  PathPicture,
  PathState,
  Report,
  ReportExecutions,
} from '../../protocol/report.ts';
import type { NamedPart } from '../../protocol/summary.ts';
import { formatCount, formatDuration, formatShare } from '../../words/numbers.ts';
import { parseCondition } from './conditions.ts';
import { count, listed, ns, said, share, word } from '../../words/sentence.ts';

export const STATE_WORDS: Readonly<Record<PathState, string>> = {
  running: 'Running',
  preempted: 'Ready, without a CPU',
  blocked: 'Blocked',
  network: 'Packet on its way',
  unknown: 'Unknown',
};

/** Words for a part of a thread's time, behind its name. */
export const DURING_WORDS: Readonly<Record<PathPicture['during'], string>> = {
  life: '',
  'longest wait': ' during its longest wait',
  'longest execution': ' during the longest execution',
};

/** Lines of what a path's time consists of, and the share that is worth one. */
const MOST_SUMS = 6;
const LEAST_SHARE = 0.005;

/** Sums of a path that are worth a line. */
export function longSums({ sums, from, to }: PathPicture): PathPicture['sums'] {
  return sums.slice(0, MOST_SUMS).filter(({ ns: time }, i) => i === 0 || time >= LEAST_SHARE * (to - from));
}

/** "Recorded on imb for 988 ms from 2024-05-01 12:00:00 UTC: 44 365 events, none lost." */
export function factWords({ hosts, ...recorded }: Report['recorded']): NamedPart[] {
  const { began, lengthNs, events, lostEvents, lostPackets } = recorded;
  const names = hosts.map(({ name }) => name);
  const from = began !== undefined && said` from ${word(began.replace('T', ' ').replace(/\..*$/, ''))} UTC`;
  const some =
    lostEvents > 0 && said`${count(lostEvents)} lost, ${share(lostEvents / (events + lostEvents))} of all`;
  const packets = lostPackets > 0 && said`${count(lostPackets)} packets of events lost`;
  const lost = !some && !packets ? said`none lost` : said`${some}${some && packets && ', '}${packets}`;
  return said`Recorded on ${listed(names, 'host')} for ${ns(lengthNs)}${from}: ${count(events)} events, ${lost}.`;
}

/** "p95(requests) > 5ms: met, it is 6.100 ms"; all digits of a value that would be shown as the limit, and is another. */
export function conditionWords({ condition, outcome, value, unit, metrics }: CheckedCondition): string {
  if (value === undefined)
    return `${condition}: not known${metrics === undefined ? '' : `, there are ${metrics.join(', ')}`}`;
  const { limit } = parseCondition(condition);
  const shown = (of: number): string => (unit === '' ? of.toFixed(2) : valueText(of, unit));
  const isClose = value !== limit && shown(value) === shown(limit);
  const is = isClose ? exactText(value, unit) : valueText(value, unit);
  return `${condition}: ${outcome === 'unknown' ? `not known, it is ${is} or more` : `${outcome}, it is ${is}`}`;
}

function exactText(value: number, unit: CheckedCondition['unit']): string {
  if (unit === 'share') return `${100 * value} %`;
  return unit === 'ns' ? `${value} ns` : String(value);
}

export const EXECUTION_HEADS = ['Of each execution', 'Mean', 'Median', '90 %', '95 %', '99 %', 'Most'];

/** Rows of durations and of other metrics. */
export function executionRows({ metrics, ...duration }: ReportExecutions): string[][] {
  const row = (name: string, unit: 'ns' | '', { mean, p50, p90, p95, p99, max }: MetricSums): string[] => [
    ...[name, ...[mean, p50, p90, p95, p99, max].map((value) => valueText(value, unit))],
  ];
  return [
    row('Duration', 'ns', duration),
    ...metrics.map(({ name, unit, ...sums }) =>
      row(METRICS.get(name) ?? name.replace(/^b/, 'B'), unit, sums),
    ),
  ];
}

function valueText(value: number, unit: CheckedCondition['unit']): string {
  if (unit !== '') return unit === 'ns' ? formatDuration(value) : formatShare(value);
  return Number.isInteger(value) ? formatCount(value) : value.toFixed(2);
}

const METRICS: ReadonlyMap<string, string> = new Map([
  ['running', 'Running, on the path'],
  ['preempted', 'Ready, on the path'],
  ['network', 'On the network'],
  ['unknown', 'Unknown'],
  ['threads', 'Threads on the path'],
  ['hosts', 'Hosts on the path'],
  ['systemCalls', 'System calls'],
  ['lockWaits', 'Waits for locks'],
  ['pageFaults', 'Page faults'],
  ['diskBytes', 'Bytes at disks'],
  ['networkBytes', 'Bytes on the network'],
  ['samples', 'Stack samples'],
]);
