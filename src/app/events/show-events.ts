/** Functions by which other parts of the page show events. */
import type { App } from '../context/app-context.ts';
import type { HostInfo } from '../../engine/protocol/session.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import type { TimeRange, ViewModel } from '../timeline/timeline.tsx';

export const EVENTS_TAB = 'events';
/** Choice with the filter of the tab. */
export const EVENTS_FILTER = 'events.filter';
/** Choice with the time of the event that was chosen last (ns). */
export const EVENTS_AT = 'events.at';

/** @param filter in the language of `engine/events/filter`; '' shows all */
export function showEvents({ choices, drawer }: Pick<App, 'choices' | 'drawer'>, filter: string): void {
  choices.choose(EVENTS_FILTER, filter === '' ? undefined : filter);
  drawer.show(EVENTS_TAB);
}

/** Any text, quoted as a value of a filter. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** Filter that accepts the events of a thread, a process or a CPU; undefined: the row is none of these. */
export function filterOfRow(row: RowInfo, hosts: readonly HostInfo[]): string | undefined {
  const { kind, tid, pid, cpu, host } = row;
  const name = hosts.find(({ index }) => index === host)?.name ?? '';
  const ofHost = hosts.length > 1 ? ` and host=${quoted(name)}` : '';
  if (kind === 'thread' && tid !== undefined && tid >= 0) return `tid=${tid}${ofHost}`;
  if (kind === 'process' && pid !== undefined && pid >= 0) return `pid=${pid}${ofHost}`;
  return kind === 'cpu' && cpu !== undefined ? `cpu=${cpu}${ofHost}` : undefined;
}

/** @param range selected range, kept so that the set stays the same while the reader goes from event to event; undefined: all */
export function showEventsOf(app: App, view: ViewModel, row: RowInfo, range: TimeRange | undefined): void {
  const filter = filterOfRow(row, app.experiment.info.peek()?.hosts ?? []);
  if (filter === undefined) return;
  if (range !== undefined) view.selectRange({ from: range.from, to: range.to });
  showEvents(app, range === undefined ? filter : `${filter} and time in sel`);
}
