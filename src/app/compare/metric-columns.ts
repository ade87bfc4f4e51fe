/** Metrics of executions as the page shows them: their names, units, axes and bins. Pure. */
import type { ExecutionMetric } from '../../engine/protocol/executions.ts';
import { formatBytes, formatCount, formatDuration, formatShort } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { binOf, linearScale, logScale, type Scale, tickText } from '../../engine/words/scale.ts';

/** A metric whose values differ. */
export interface MetricColumn extends ExecutionMetric {
  readonly title: string;
  readonly scale: Scale;
  /** Bin of each execution; `NO_BIN`: it has no value. */
  readonly bin: Uint8Array;
  /** Number of executions, of all, in each bin. */
  readonly all: Uint32Array;
  format(value: number): string;
  tick(value: number): string;
}

export const BINS = 36;
export const NO_BIN = 255;

const TITLES: Readonly<Record<string, string>> = {
  ...{ begin: 'Begin', duration: 'Duration', threads: 'Threads on the path', hosts: 'Hosts on the path' },
  ...{ systemCalls: 'System calls', diskBytes: 'Disk', networkBytes: 'Network', pageFaults: 'Page faults' },
  ...{
    samples: 'Stack samples',
    lockWaits: 'Waits for locks',
    network: 'On the network',
    unknown: 'Unknown',
  },
  // Of any thread on the critical path.
  ...{ running: 'Running, on the path', preempted: 'Runnable, on the path' },
  'blocked direct': 'Blocked, not followed',
};

/** Fields of the events that begin and end an execution. */
const PAYLOAD = /^(begin|end)\./;
const COUNTS = /^(samples|threads|hosts|systemCalls|pageFaults|lockWaits|(begin|end)\..*)$/s;
const BYTES = /Bytes$/;

export function metricTitle(name: string): string {
  if (Object.hasOwn(TITLES, name)) return TITLES[name];
  return visibleText(name.replace(/^blocked /, 'Blocked, '));
}

/** A value of a metric in words. */
export function metricText(name: string, value: number): string {
  if (COUNTS.test(name)) return Number.isInteger(value) ? formatCount(value) : value.toFixed(2);
  return BYTES.test(name) ? formatBytes(value) : formatDuration(value);
}

/**
 * Columns of the metrics that vary: duration first, when executions began last, the others in their order between.
 * @param key fields that only tell executions apart
 */
export function metricColumns(
  metrics: readonly ExecutionMetric[],
  key: readonly string[] = [],
): MetricColumn[] {
  const orderOf = (name: string) => (name === 'duration' ? 0 : name === 'begin' ? 2 : 1);
  return (
    metrics
      // The order of identifiers has no meaning.
      .filter(
        ({ name, texts }) =>
          texts === undefined && !(PAYLOAD.test(name) && key.includes(name.replace(PAYLOAD, ''))),
      )
      .flatMap((metric) => columnOf(metric) ?? [])
      .sort((a, b) => orderOf(a.name) - orderOf(b.name))
  );
}

function columnOf({ name, values }: ExecutionMetric): MetricColumn | undefined {
  let [least, most, leastPositive] = [Infinity, -Infinity, Infinity];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
    if (value > 0 && value < leastPositive) leastPositive = value;
  }
  if (!(least < most)) return undefined;
  const scale = scaleOf(name, least, leastPositive, most);
  const bin = Uint8Array.from(values, (value) => (Number.isNaN(value) ? NO_BIN : binOf(scale, value, BINS)));
  const all = new Uint32Array(BINS);
  for (const i of bin) if (i !== NO_BIN) all[i]++;
  const isNumber = COUNTS.test(name) || BYTES.test(name);
  return {
    ...{ name, values, title: metricTitle(name), scale, bin, all },
    format: (value) => metricText(name, value),
    tick: isNumber ? formatShort : tickText,
  };
}

/** Ratio of the largest to the least positive value from which on an axis is logarithmic. */
const WIDE = 10;
/** Least distance of ticks, as a share of the axis: a label has 47 of 140 pixels. */
const TICK_GAP = 0.34;

/** Scale of a metric. On a logarithmic axis, zeros alone are in the first bin. */
function scaleOf(name: string, least: number, leastPositive: number, most: number): Scale {
  const isPlain = name === 'begin' || PAYLOAD.test(name) || least < 0;
  if (isPlain || most < WIDE * leastPositive) return linearScale(least, most, TICK_GAP);
  const from = least > 0 ? least : leastPositive / (most / leastPositive) ** (1 / (BINS - 1));
  return logScale(from, most, TICK_GAP);
}

/** Counts of durations by bin. @param durations ns, ascending */
export function durationBins(durations: Float64Array): Uint32Array {
  const counts = new Uint32Array(BINS);
  const scale = logScale(durations[0] ?? 1, durations.at(-1) ?? 1);
  for (const duration of durations) counts[binOf(scale, duration, BINS)]++;
  return counts;
}
