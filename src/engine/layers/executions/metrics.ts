/** Metrics by which executions are compared. */
import { compare } from '../../base/compare.ts';
import type { HistoryGraph } from '../../graph/history-graph.ts';
import { BLOCKED, NETWORK, PREEMPTED, RUNNING } from '../../graph/path-codes.ts';
import type { PathNames } from '../../graph/path-names.ts';
import type { Path } from '../../graph/path.ts';
import type { Executions } from './executions.ts';
import { COUNTED } from './delimiters/counted.ts';
import type { Counts, Delimiters } from './delimiters/delimiters.ts';
import type { DelimiterSettings, NumberField } from './delimiters/settings.ts';
import { lowerBound } from '../../base/lower-bound.ts';
import { rowsBy } from '../../base/rows-by.ts';
import type { DisplayNs, HostNs } from '../../base/units.ts';

export interface Metric {
  readonly name: string;
  /** Values by number of the execution; NaN: it has none. */
  readonly values: Float64Array;
  /**
   * Digits of values that a double cannot hold, by number of the execution; undefined: there are none. Such values
   * are identifiers.
   */
  readonly texts?: ReadonlyMap<number, string>;
}

/** Begin and duration, which are to be explained and so explain nothing. */
export const DURATION_METRICS: readonly string[] = ['begin', 'duration'];

/** ns by what happened on the path; with `blocked KIND` they sum to the duration. */
const TIMES = ['running', 'preempted', 'network', 'unknown'] as const;

const BLOCKED_BY = 'blocked ';

/** Whether a metric is a duration in ns. */
export function isTimeMetric(name: string): boolean {
  return name === 'duration' || name.startsWith(BLOCKED_BY) || TIMES.some((time) => time === name);
}

/** Counts of lock waits, if lock events were recorded. */
export const LOCK_WAITS = 'lockWaits';

/** Metrics that executions of some trace may have, besides fields of begin and end and kinds of blocking. */
export const METRICS: readonly string[] = [
  ...['duration', ...TIMES, `${BLOCKED_BY}KIND`, 'threads', 'hosts', ...COUNTED, LOCK_WAITS, 'samples'],
  ...['begin', 'begin.FIELD', 'end.FIELD'],
];

export function isMetric(name: string): boolean {
  return isTimeMetric(name) || METRICS.includes(name) || /^(begin|end)\../s.test(name);
}

/** Delimiters of hosts, and their settings. */
interface PayloadSources {
  readonly settings: DelimiterSettings;
  readonly hosts: readonly { readonly delimiters: Delimiters }[];
}

export interface MetricSources extends PayloadSources {
  readonly graph: HistoryGraph;
  readonly names: PathNames;
  /** Names of counts in threads, in the order in which metrics are listed. */
  readonly counted: readonly string[];
  /** Hosts in the graph's order; `counts` by kind of count. */
  readonly hosts: readonly { readonly delimiters: Delimiters; readonly counts: readonly CountsWithin[] }[];
}

/** Metrics of the executions of one definition; their paths are added one by one. */
export class MetricTable {
  readonly #sources: MetricSources;
  readonly #executions: Executions;
  readonly #times = new Map<string, Float64Array>();
  readonly #blocked = new Map<string, Float64Array>();
  readonly #threads: Float64Array;
  readonly #hosts: Float64Array;
  /** Amounts by kind of count. */
  readonly #counted: readonly Float64Array[];

  constructor(sources: MetricSources, executions: Executions) {
    this.#sources = sources;
    this.#executions = executions;
    const column = () => new Float64Array(executions.length);
    for (const name of TIMES) this.#times.set(name, column());
    this.#threads = column();
    this.#hosts = column();
    this.#counted = sources.counted.map(column);
  }

  /** @param path of the execution, by criterion `main task` */
  add(execution: number, path: Path): void {
    const { graph, hosts } = this.#sources;
    const { length, worker, from, to } = path.segments;
    const workers = new Set<number>();
    const onHosts = new Set<number>();
    for (let i = 0; i < length; i++) {
      this.#timeOf(path, i)[execution] += to[i] - from[i];
      const { host, thread } = graph.place(worker[i]);
      onHosts.add(host);
      // Interrupts have no thread.
      if (thread < 0) continue;
      workers.add(worker[i]);
      this.#counted.forEach((column, counted) => {
        column[execution] += hosts[host].counts[counted](thread, from[i], to[i]);
      });
    }
    this.#threads[execution] = workers.size;
    this.#hosts[execution] = onHosts.size;
  }

  /** Metrics in order, none without executions; `begin` in display ns. @param definition index in the settings */
  finish(definition: number): Metric[] {
    if (this.#executions.length === 0) return [];
    return [
      ...timesOf(this.#executions),
      ...metricsIn(this.#times),
      ...metricsIn(new Map([...this.#blocked].sort(([a], [b]) => compare(a, b)))),
      { name: 'threads', values: this.#threads },
      { name: 'hosts', values: this.#hosts },
      ...this.#sources.counted.map((name, i) => ({ name, values: this.#counted[i] })),
      ...payloadOf(this.#executions, this.#sources, definition),
    ];
  }

  /** Column to which the time of a segment belongs. */
  #timeOf({ segments }: Path, i: number): Float64Array {
    const label = segments.label[i];
    if (label !== BLOCKED) return this.#column(this.#times, nameOfTime(label));
    const kind = this.#sources.names.kind(segments.worker[i], label, segments.cause[i]);
    return this.#column(this.#blocked, BLOCKED_BY + kind);
  }

  #column(columns: Map<string, Float64Array>, name: string): Float64Array {
    let column = columns.get(name);
    if (column === undefined) columns.set(name, (column = new Float64Array(this.#executions.length)));
    return column;
  }
}

/** Metrics without kernel trace. @param definition index in the settings @param samples by execution, if any */
export function elapsedMetrics(
  executions: Executions,
  sources: PayloadSources,
  definition: number,
  samples: Float64Array | undefined,
): Metric[] {
  if (executions.length === 0) return [];
  return [
    ...timesOf(executions),
    ...(samples === undefined ? [] : [{ name: 'samples', values: samples }]),
    ...payloadOf(executions, sources, definition),
  ];
}

function timesOf({ begin, end }: Executions): Metric[] {
  return [
    { name: 'begin', values: begin.slice() },
    { name: 'duration', values: begin.map((time, execution) => end[execution] - time) },
  ];
}

function payloadOf(
  executions: Executions,
  { settings, hosts }: PayloadSources,
  definition: number,
): Metric[] {
  const { length, beginHost, host, beginDelimiter, endDelimiter } = executions;
  const { beginValues, endValues } = settings.definitions[definition];
  const valuesOf = (
    which: string,
    fields: readonly NumberField[],
    ofHost: Int32Array,
    ofDelimiter: Int32Array,
  ) =>
    fields.map(({ name }, field): Metric => {
      const values = new Float64Array(length).fill(NaN);
      const texts = new Map<number, string>();
      for (let execution = 0; execution < length; execution++) {
        const { delimiters } = hosts[ofHost[execution]];
        const delimiter = ofDelimiter[execution];
        if (delimiters.ofProgram[delimiter] === 0) continue;
        const at = delimiters.firstValue[delimiter] + field;
        values[execution] = delimiters.values[at];
        const text = delimiters.exact.get(at);
        if (text !== undefined) texts.set(execution, text);
      }
      return { name: `${which}.${name}`, values, ...(texts.size > 0 && { texts }) };
    });
  return [
    ...valuesOf('begin', beginValues, beginHost, beginDelimiter),
    ...valuesOf('end', endValues, host, endDelimiter),
  ];
}

function nameOfTime(label: number): (typeof TIMES)[number] {
  if (label === RUNNING) return 'running';
  if (label === PREEMPTED) return 'preempted';
  return label === NETWORK ? 'network' : 'unknown';
}

function metricsIn(columns: ReadonlyMap<string, Float64Array>): Metric[] {
  return Array.from(columns, ([name, values]) => ({ name, values }));
}

/** Amount of one kind that a host's thread did in [from, to): system calls, bytes, waits for locks. */
type CountsWithin = (thread: number, from: DisplayNs, to: DisplayNs) => number;

/** @param sort index in `counts.counted` @param threads number of rows of the kernel's table */
export function threadCounts(
  { length, time, thread, counted, amount }: Counts,
  sort: number,
  threads: number,
  toDisplay: (time: HostNs) => DisplayNs,
): CountsWithin {
  const ofSort = thread.slice(0, length).map((row, i) => (counted[i] === sort ? row : -1));
  // Ascending within a thread.
  const { start, order } = rowsBy(ofSort, threads);
  const times = Float64Array.from(order, (i) => toDisplay(time[i]));
  /** Sum of the amounts before each event, and of all. */
  const before = new Float64Array(order.length + 1);
  for (let i = 0; i < order.length; i++) before[i + 1] = before[i] + amount[order[i]];
  return (row, from, to) => {
    const own = times.subarray(start[row], start[row + 1]);
    return before[start[row] + lowerBound(own, to)] - before[start[row] + lowerBound(own, from)];
  };
}
