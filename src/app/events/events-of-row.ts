/** Events of a row of the timeline, all of them or those of a stretch of time. */
import type { HostInfo } from '../../engine/protocol/session.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import type { App } from '../context/app-context.ts';
import type { TimeRange, ViewModel } from '../timeline/timeline.tsx';
import { quoted, showEvents } from './show-events.ts';

/** The filter that accepts events of a thread, a process or a CPU; undefined: the row is none of these. */
export function filterOfRow(row: RowInfo, hosts: readonly HostInfo[]): string | undefined {
  const { kind, tid, pid, cpu, host } = row;
  const name = hosts.find(({ index }) => index === host)?.name ?? '';
  const ofHost = hosts.length > 1 ? ` and host=${quoted(name)}` : '';
  if (kind === 'thread' && tid !== undefined && tid >= 0) return `tid=${tid}${ofHost}`;
  if (kind === 'process' && pid !== undefined && pid >= 0) return `pid=${pid}${ofHost}`;
  return kind === 'cpu' && cpu !== undefined ? `cpu=${cpu}${ofHost}` : undefined;
}

/** @param range that is selected, so that they stay the same while the reader goes from one to the other; undefined: all */
export function showEventsOf(app: App, view: ViewModel, row: RowInfo, range: TimeRange | undefined): void {
  const filter = filterOfRow(row, app.experiment.info.peek()?.hosts ?? []);
  if (filter === undefined) return;
  if (range !== undefined) view.selectRange({ from: range.from, to: range.to });
  showEvents(app, range === undefined ? filter : `${filter} and time in sel`);
}
