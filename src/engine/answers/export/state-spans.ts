/** The states of threads as intervals of display time. */
import type { DisplayNs, HostNs } from '../../base/units.ts';
import { withDeadTime } from '../../linux/states/reduce/kernel-tables.ts';
import { stateOf, THREAD_STATES } from '../../linux/events/values.ts';
import { type KernelHost, isKernelHost } from '../context/host.ts';
import type { TimeRange } from '../../protocol/range.ts';
import { timesOfHost } from '../statistics/range-aggregates.ts';
import { columnsOf, type ExportRow, type ExportTable, rowTable } from '../../export/tables/table.ts';
import { inThreadOrder } from '../../linux/states/reduce/thread-table.ts';
import {
  type ExportSource,
  hostName,
  THREAD_COLUMNS,
  threadCells,
  timeCells,
  timeColumns,
} from './export-source.ts';

export interface StateSpan {
  readonly state: number;
  readonly from: DisplayNs;
  readonly to: DisplayNs;
}

/** An interval of a thread's history, cut to the range. */
interface StatePiece {
  /** Value of the history: state, cause and detail. */
  readonly value: number;
  /** Begin of the whole interval. */
  readonly begin: HostNs;
  readonly from: DisplayNs;
  readonly to: DisplayNs;
}

/** Intervals of a thread (a row of the host's table) in order of time, cut to the range. */
export async function statePieces(
  { tables: { threads }, query, clock }: StateSource,
  thread: number,
  range: TimeRange | undefined,
): Promise<StatePiece[]> {
  const { from, to } = timesOfHost(range, clock);
  const pieces = await query.intervals(threads.stateAttribute[thread], from, to);
  return withDeadTime(pieces, threads, thread)
    .filter((piece) => piece.from < to && piece.to > from)
    .map((piece) => ({
      value: piece.value,
      begin: piece.from,
      from: clock.toExperiment(Math.max(piece.from, from)),
      to: clock.toExperiment(Math.min(piece.to, to)),
    }));
}

type StateSource = Pick<KernelHost, 'tables' | 'query' | 'clock'>;

/** States of a thread, likewise: two waits in a row are two intervals of the history, but one state. */
export async function stateSpans(
  host: StateSource,
  thread: number,
  range: TimeRange | undefined,
): Promise<StateSpan[]> {
  const spans: { state: number; from: DisplayNs; to: DisplayNs }[] = [];
  for (const { value, from, to } of await statePieces(host, thread, range)) {
    const state = stateOf(value);
    const last = spans.at(-1);
    if (last?.state === state && last.to === from) last.to = to;
    else spans.push({ state, from, to });
  }
  return spans;
}

/** States of threads as a table of a file, thread by thread. */
export function stateTable(source: ExportSource): ExportTable {
  return rowTable(
    [
      ...timeColumns(source),
      ...columnsOf('integer', 'duration_ns'),
      ...columnsOf('text', 'host'),
      ...THREAD_COLUMNS,
      ...columnsOf('text', 'state'),
      ...columnsOf('integer', 'state_number'),
    ],
    pieces(source),
  );
}

async function* pieces(source: ExportSource): AsyncIterable<ExportRow[]> {
  for (const { host, thread } of exportedThreads(source)) {
    const cells = [hostName(source, host.index), ...threadCells(host, thread)];
    const spans = await stateSpans(host, thread, source.range);
    yield spans.map(({ state, from, to }) => {
      const times = timeCells(source, from);
      return [...times, to - from, ...cells, THREAD_STATES[state], state];
    });
  }
}

/** Threads of the wanted hosts, in order of output. */
export function* exportedThreads({ trace, hosts, signal, onProgress }: ExportSource) {
  for (const host of trace.hosts) {
    if (!isKernelHost(host) || !hosts.includes(host.index)) continue;
    const { threads } = host.tables;
    const order = inThreadOrder(threads, threads.length);
    for (const [done, thread] of order.entries()) {
      signal?.throwIfAborted();
      onProgress?.(done / order.length);
      yield { host: host as KernelHost, thread };
    }
  }
}
