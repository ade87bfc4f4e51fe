/** Waits of threads as a table of a file, each with what it was for and who ended it. */
import type { HostNs } from '../../base/units.ts';
import type { Interval } from '../../history/query-types.ts';
import * as values from '../../linux/events/values.ts';
import { ioUsage } from '../../linux/sums/io/io.ts';
import {
  columnsOf,
  type ExportCell,
  type ExportRow,
  type ExportTable,
  rowTable,
} from '../../export/tables/table.ts';
import { threadOf } from '../context/thread-rows.ts';
import type { KernelHost } from '../context/host.ts';
import { locksWithin } from '../locks/locks-within.ts';
import { ioOf } from '../statistics/io-stats.ts';
import { type ExportSource, THREAD_COLUMNS, threadCells, timeCells, timeColumns } from './export-source.ts';
import { statePieces, exportedThreads } from './state-spans.ts';

export function waitTable(source: ExportSource): ExportTable {
  return rowTable(
    [
      ...timeColumns(source),
      ...columnsOf('integer', 'duration_ns'),
      ...THREAD_COLUMNS,
      ...columnsOf('text', 'state', 'cause', 'detail', 'waker_worker'),
      ...columnsOf('integer', 'waker_tid', 'waker_pid'),
      ...columnsOf('text', 'waker', 'call', 'file', 'lock'),
      ...columnsOf('integer', 'lossy'),
    ],
    pieces(source),
  );
}

/** A wait whose lock has not been looked up yet. */
interface Wait {
  /** Id of the thread's row. */
  readonly row: string;
  readonly from: number;
  readonly to: number;
  readonly before: readonly ExportCell[];
  readonly lossy: number;
}

/** Number of waits whose locks are looked up at once. */
const AT_ONCE = 65_536;

async function* pieces(source: ExportSource): AsyncIterable<ExportRow[]> {
  let waits: Wait[] = [];
  for (const { host, thread } of exportedThreads(source)) {
    waits = waits.concat(await waitsOf(source, host, thread));
    if (waits.length < AT_ONCE) continue;
    yield await withLocks(source, waits);
    waits = [];
  }
  yield await withLocks(source, waits);
}

async function waitsOf(source: ExportSource, host: KernelHost, thread: number): Promise<Wait[]> {
  const { query } = host;
  const blocked = (await statePieces(host, thread, source.range)).filter(({ value }) =>
    values.isBlocked(value),
  );
  if (blocked.length === 0) return [];
  const calls = await callsOf(host, thread, blocked[0].begin);
  const io = (await ioOf(host, await source.trace.chunkResults(ioUsage.id))).at(0);
  const { row } = threadOf(host, thread);
  const cells = threadCells(host, thread);
  return blocked.map(({ value, begin, from, to }) => {
    const [cause, detail] = [values.causeOf(value), values.detailOf(value)];
    const isByThread = cause === values.CAUSE_THREAD && detail >= 0;
    const before = [
      ...[...timeCells(source, from), to - from, ...cells, values.THREAD_STATES[values.stateOf(value)]],
      cause === values.CAUSE_NONE ? null : values.CAUSES[cause],
      cause === values.CAUSE_THREAD || detail < 0 ? null : query.text(detail),
      ...(isByThread ? threadCells(host, detail) : [null, null, null, null]),
      calls(begin),
      io?.transfers.callAt(thread, begin)?.path ?? null,
    ];
    return { row, from, to, before, lossy: Number(values.isLossy(value)) };
  });
}

/** @returns system call in which the thread was at a time, asked in order of time; null: none, or not known */
async function callsOf({ query, tables: { threads } }: KernelHost, thread: number, from: HostNs) {
  const attribute = threads.callAttribute[thread];
  const calls: readonly Interval[] = attribute < 0 ? [] : await query.intervals(attribute, from, Infinity);
  let at = 0;
  return (time: HostNs): string | null => {
    while (at < calls.length && calls[at].to <= time) at++;
    return at < calls.length && calls[at].from <= time ? query.text(calls[at].value) : null;
  };
}

async function withLocks(source: ExportSource, waits: readonly Wait[]): Promise<ExportRow[]> {
  const rows = [...new Set(waits.map(({ row }) => row))];
  const placeOf = new Map(rows.map((row, place) => [row, place]));
  const { names, length, interval, lock, ns } = await locksWithin(source, {
    rows,
    thread: Int32Array.from(waits, ({ row }) => placeOf.get(row) ?? -1),
    from: Float64Array.from(waits, ({ from }) => from),
    to: Float64Array.from(waits, ({ to }) => to),
  });
  const longest = new Map<number, number>();
  for (let i = 0; i < length; i++) {
    const known = longest.get(interval[i]);
    if (known === undefined || ns[i] > ns[known]) longest.set(interval[i], i);
  }
  return waits.map(({ before, lossy }, i) => {
    const found = longest.get(i);
    return [...before, found === undefined ? null : names[lock[found]], lossy];
  });
}
