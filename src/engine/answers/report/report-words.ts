/** Words, tables and sections that all forms of reports share. Pure. */
import type {
  ReportPicture,
  Report,
  PathState,
  PathPicture,
  MatrixPicture,
  ReportWhatIf,
  ReportGroupWhatIf,
  ReportExecutions,
  MetricSums,
  CheckedCondition,
} from '../../protocol/report.ts';
import type { Name, NamedPart } from '../../protocol/summary.ts';
import type { Saving } from '../../protocol/what-if.ts';
import { formatCount, formatDuration, formatShare } from '../../words/numbers.ts';
import { parseCondition } from './conditions.ts';
import { count, listed, name, ns, said, share, word } from '../../words/sentence.ts';

/** Content of a table's cell: words, or a saving with the ns that it is of. */
export type Cell = readonly NamedPart[] | { readonly saving: Saving; readonly of: number };

export interface Table {
  readonly heads: readonly (string | Name)[];
  /** Index of the first column with numbers. */
  readonly numbersFrom: number;
  readonly rows: readonly (readonly Cell[])[];
}

/** A section behind the findings. */
export interface Section {
  readonly title: string;
  readonly lead?: readonly NamedPart[];
  readonly picture?: ReportPicture;
  readonly table?: Table;
  readonly list?: readonly (readonly NamedPart[])[];
  readonly note?: readonly NamedPart[];
}

export function sectionsOf({ whatIf, whatIfSlow, executions, recorded, unknown }: Report): Section[] {
  return [
    ...(whatIf === undefined ? [] : [whatIfSection(whatIf)]),
    ...(whatIfSlow === undefined ? [] : [slowSection(whatIfSlow)]),
    ...(executions === undefined ? [] : [executionsSection(executions)]),
    hostsSection(recorded),
    ...(unknown.length === 0 ? [] : [{ title: 'What is not known', list: unknown }]),
  ];
}

export const STATE_WORDS: Readonly<Record<PathState, string>> = {
  running: 'Running',
  preempted: 'Ready, without a CPU',
  blocked: 'Blocked',
  network: 'Packet on its way',
  unknown: 'Unknown',
};

/** Words for a part of a thread's time, after its name, and after the length of the part. */
const DURING = {
  life: ['', ''],
  'longest wait': [' during its longest wait', ' for its longest wait'],
  'longest execution': [' during the longest execution', ' for the longest execution'],
} as const;

/** Title of a report: the first finding. */
export function titleWords({ findings }: Report): readonly NamedPart[] {
  return findings.length === 0 ? ['Nothing stands out.'] : findings[0].sentence;
}

/** "Recorded on imb for 988 ms from 2024-05-01 12:00:00 UTC: 44 365 events, none lost." */
export function factWords({ hosts, ...recorded }: Report['recorded']): NamedPart[] {
  const { began, lengthNs, events, lostEvents, lostPackets } = recorded;
  const names = hosts.map((host) => host.name);
  const from = began !== undefined && said` from ${word(began.replace('T', ' ').replace(/\..*$/, ''))} UTC`;
  const some =
    lostEvents > 0 && said`${count(lostEvents)} lost, ${share(lostEvents / (events + lostEvents))} of all`;
  const packets = lostPackets > 0 && said`${count(lostPackets)} packets of events lost`;
  const lost = !some && !packets ? said`none lost` : said`${some}${some && packets && ', '}${packets}`;
  return said`Recorded on ${listed(names, 'host')} for ${ns(lengthNs)}${from}: ${count(events)} events, ${lost}.`;
}

export function pictureWords(picture: ReportPicture): NamedPart[] {
  if (picture.kind === 'histogram') return said`How long executions took, on a logarithmic axis`;
  if (picture.kind === 'matrix')
    return said`Who waited (rows) for whom (columns) for ${name(picture.lock, 'lock')}`;
  const of = name(picture.workers[0]?.name ?? '', 'thread');
  return said`Critical path of ${of}${DURING[picture.during][0]}: what it did, and whom it waited for`;
}

/** Maximum number of lines on a path's time, and the smallest share with a line. */
const MOST_SUMS = 6;
const LEAST_SHARE = 0.005;

/** Sums of a path with a large enough share. */
export function pathTable({ sums, from, to, workers }: PathPicture): Table {
  const length = Math.max(1, to - from);
  const long = sums.slice(0, MOST_SUMS).filter(({ ns: time }, i) => i === 0 || time >= LEAST_SHARE * length);
  const rows = long.map(({ worker, state, ns: time }) => [
    ...[[name(workers[worker].name, 'thread')], [STATE_WORDS[state]]],
    ...[[formatDuration(time)], [formatShare(time / length)]],
  ]);
  return { heads: ['Thread', 'State', 'Time', 'Share'], numbersFrom: 2, rows };
}

export function matrixTable({ waiters, holders, ns: times }: MatrixPicture): Table {
  return {
    heads: ['Waits for', ...holders.map((holder) => name(holder, 'thread'))],
    numbersFrom: 1,
    rows: waiters.map((waiter, i) => [
      [name(waiter, 'thread')],
      ...times[i].map((time) => [time === 0 ? '' : formatDuration(time)]),
    ]),
  };
}

const MODEL = said`A model, no promise: the order in which locks were got and queues were served is kept. Of two numbers the first is careful, the second hopeful.`;

function whatIfSection({ thread, during, ns: took, changes }: ReportWhatIf): Section {
  const lead = said`Thread ${name(thread, 'thread')} took ${ns(took)}${DURING[during][1]}.`;
  const heads = ['Change', 'Saves if half as long', 'Saves if gone', 'Takes now, all threads'];
  const rows = changes.map(({ what, ns: takes, half, gone }) => [
    ...[what, { saving: half, of: took }, { saving: gone, of: took }, [formatDuration(takes)]],
  ]);
  return changesSection('What would help', lead, { heads, numbersFrom: 3, rows });
}

function slowSection({ executions, replayed, median, changes }: ReportGroupWhatIf): Section {
  const lead = said`Of ${count(executions)} slow requests ${count(replayed)} are looked at, which take ${ns(median)} in the median.`;
  const heads = ['Change', 'Saves on average if half as long', 'Requests that gain 5 % or more'];
  const rows = changes.map(({ what, gain, mean }) => [
    ...[what, { saving: mean, of: median }, [`${formatCount(gain)} of ${formatCount(replayed)}`]],
  ]);
  return changesSection('What would help the slow requests', lead, { heads, numbersFrom: 2, rows });
}

function changesSection(title: string, lead: readonly NamedPart[], table: Table): Section {
  if (table.rows.length === 0) return { title, lead: said`${lead} No single change would save 1 % of that.` };
  return { title, lead: said`${lead} Replayed with one thing changed at a time:`, table, note: MODEL };
}

function executionsSection({ begin, end, count: all, histogram, ...sums }: ReportExecutions): Section {
  const { metrics, ...duration } = sums;
  const row = (of: string, unit: 'ns' | '', { mean, p50, p90, p95, p99, max }: MetricSums) => [
    ...[[of], ...[mean, p50, p90, p95, p99, max].map((value) => [valueText(value, unit)])],
  ];
  const rows = [
    row('Duration', 'ns', duration),
    ...metrics.map(({ name: metric, unit, ...each }) =>
      row(METRICS.get(metric) ?? metric.replace(/^b/, 'B'), unit, each),
    ),
  ];
  const heads = ['Of each execution', 'Mean', 'Median', '90 %', '95 %', '99 %', 'Most'];
  return {
    title: 'Requests',
    lead: said`${count(all)} executions from ${word(begin)} to ${word(end)}. The column 95 % has what 95 % of them did not exceed.`,
    picture: histogram,
    table: { heads, numbersFrom: 1, rows },
  };
}

function hostsSection({ hosts, trace }: Report['recorded']): Section {
  const rows = hosts.map(({ name: host, recorder, cpus, events, from, to }) => [
    ...[[name(host, 'host')], [recorder], [cpus === 0 ? '–' : String(cpus)]],
    ...[[formatCount(events)], [formatDuration(to - from)]],
  ]);
  return {
    title: 'What was recorded',
    table: { heads: ['Host', 'Recorder', 'CPUs', 'Events', 'Length'], numbersFrom: 2, rows },
    note: said`Fingerprint of the recording: ${word(trace)}`,
  };
}

/**
 * "p95(requests) > 5ms: met, it is 6.100 ms"; with all digits where the rounded value would look equal to the limit.
 */
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
