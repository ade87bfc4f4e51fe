/** Source of exports: the trace, the wanted part of it, and its times. */
import type { DisplayNs } from '../../base/units.ts';
import type { ExportCell, ExportColumn } from '../../export/tables/table.ts';
import { threadKey } from '../../linux/states/reduce/thread-table.ts';
import type { KernelHost } from '../context/host.ts';
import type { QueryContext } from '../context/query.ts';
import type { TimeRange } from '../../protocol/range.ts';

export interface ExportSource extends QueryContext {
  /** Indices of the hosts that are written. */
  readonly hosts: readonly number[];
  /** Default: everything. */
  readonly range?: TimeRange;
  /** Display time that is the origin of `since_begin_ns`. */
  readonly firstNs: DisplayNs;
}

/** Columns of a time: ns since the clock's origin (1970, where the clock is absolute), and ns since the first event. */
export function timeColumns({ trace }: ExportSource) {
  return [
    { name: 'time_ns', kind: 'integer', base: trace.time.originNs },
    { name: 'since_begin_ns', kind: 'integer' },
  ] as const satisfies readonly ExportColumn[];
}

/** Cells of `timeColumns`. */
export function timeCells({ firstNs }: ExportSource, timeNs: DisplayNs): [number, number] {
  return [timeNs, timeNs - firstNs];
}

/** Name of a host by its index; '' where it has none. */
export function hostName({ trace }: ExportSource, host: number): string {
  return trace.time.hosts[host]?.name ?? '';
}

export const THREAD_COLUMNS = [
  { name: 'worker', kind: 'text' },
  { name: 'tid', kind: 'integer' },
  { name: 'pid', kind: 'integer' },
  { name: 'thread', kind: 'text' },
] as const satisfies readonly ExportColumn[];

/** Cells of `THREAD_COLUMNS` for a row of the host's table of threads. */
export function threadCells({ tables: { threads } }: KernelHost, thread: number): ExportCell[] {
  const pid = threads.pid[thread];
  return [threadKey(threads, thread), threads.tid[thread], pid < 0 ? null : pid, threads.name[thread]];
}
