/**
 * The Events tab: the events around the time under the pointer, or where an interval begins that was selected elsewhere;
 * those of one row alone where the keyboard is on one whose events can be distinguished from others'. Each leads to its row and
 * time.
 */
import './events.css';
import { useComputed, useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { DisplayNs } from '../../engine/base/units.ts';
import { useApp } from '../context/app-context.ts';
import { useChoices } from '../controls/choices.ts';
import { formatCount } from '../format/numbers.ts';
import type { EventLine, FilterProblem } from '../../workers/session-api.ts';
import { isOver } from '../opening/reading.ts';
import { Table } from '../widgets/table/table.tsx';
import { rangeOf, rowTitle, shortTime, type ViewModel } from '../timeline/timeline.tsx';
import { columnsOf, withTimeBetween } from './event-columns.tsx';
import { EventFilter } from './event-filter.tsx';
import { FoundEvents } from './found-events.tsx';
import { listedRowOf, rowOfEvent } from './event-row.ts';
import { EVENTS_FILTER } from './show-events.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';

const MOST = 400;
/** How long the pointer must rest before the list follows it. */
const REST_MS = 120;

/** The time around which events are listed: where the pointer rests, and where an interval begins that is selected. */
function useListedTime(view: ViewModel): ReadonlySignal<number> {
  const cursor = useSignal(middleOf(view));
  useSignalEffect(() => {
    const time = view.hover.value?.timeNs;
    if (time === undefined) return;
    const timer = setTimeout(() => (cursor.value = time), REST_MS);
    return () => clearTimeout(timer);
  });
  useSignalEffect(() => {
    const selected = view.selected.value;
    if (selected === undefined) return;
    const at = cursor.peek();
    if (at < selected.from || at >= selected.to) cursor.value = selected.from;
  });
  return cursor;
}

interface Found {
  readonly problem: FilterProblem | undefined;
  readonly text: string;
}

/** With a filter all events that it accepts, else those around the time that is looked at. */
export function EventsPanel({ view }: { readonly view: ViewModel }) {
  const choices = useChoices();
  const filter = useComputed(() => choices.text(EVENTS_FILTER) ?? '');
  const found = useSignal<Found>({ problem: undefined, text: '' });
  const isFiltered = useComputed(() => filter.value.trim() !== '');
  const box = (
    <EventFilter
      filter={filter.value}
      problem={isFiltered.value ? found.value.problem : undefined}
      onFilter={(text) => choices.choose(EVENTS_FILTER, text.trim() === '' ? undefined : text)}
    />
  );
  if (!isFiltered.value) return <EventsAround view={view}>{box}</EventsAround>;
  return (
    <div class="stat-table">
      <div class="stat-head">
        <h3>Events</h3>
        <span class="faint ellipsis" role="status">
          {found.value.text}
        </span>
        {box}
      </div>
      <FoundEvents view={view} filter={filter} onFound={(what) => (found.value = what)} />
    </div>
  );
}

interface EventsAroundProps {
  readonly view: ViewModel;
  /** The box for filters. */
  readonly children: ComponentChildren;
}

function EventsAround({ view, children }: EventsAroundProps) {
  const { session, experiment } = useApp();
  const cursor = useListedTime(view);
  // The row that an event led to, and the one whose events are listed still: those of all do not give way to its own.
  const led = useSignal<{ readonly to: string; readonly listed: string | undefined } | undefined>(undefined);
  const only = useComputed(() => {
    const focused = view.focusedRow.value;
    const row = led.value?.to === focused ? led.value?.listed : focused;
    return listedRowOf(experiment.rows.value, row);
  });
  const goTo = (event: EventLine) => {
    const row = rowOfEvent(experiment.rows.value, event);
    if (row !== undefined) {
      led.value = { to: row, listed: only.value?.id };
      view.show(row);
    }
    view.keepInView({ from: event.timeNs, to: event.timeNs + 1 });
    view.hover.value = { timeNs: event.timeNs };
  };
  const isAllRead = useComputed(() => isOver(experiment.progress.value));
  const answer = useLiveAnswer(
    // Asked again when files come, and when all is read: the hosts' clocks are then known from packets.
    () => ({
      time: cursor.value,
      row: only.value?.id,
      hasFiles: experiment.hasFiles.value,
      isOver: isAllRead.value,
    }),
    async ({ time, row }, signal) => {
      const lines = await session.ask('events', { timeNs: time, limit: MOST, row }, { signal });
      return { time, row, lines: withTimeBetween(lines) };
    },
  );
  const rows = useComputed(() => answer.value?.lines ?? []);
  // Of what is listed, which the pointer and the row in focus may be ahead of.
  const nearest = useComputed(() => nearestTo(rows.value, answer.value?.time ?? 0));
  const listed = useComputed(() => listedRowOf(experiment.rows.value, answer.value?.row));
  const style = view.timeStyle.value;
  const listedTime = answer.value?.time ?? 0;
  const total = listed.value === undefined ? (experiment.info.value?.events ?? 0) : listed.value.events;
  return (
    <div class="stat-table">
      <div class="stat-head">
        <h3>{listed.value === undefined ? 'Events' : `Events of ${rowTitle(listed.value)}`}</h3>
        <span class="faint ellipsis">
          {rows.value.length > 0 && amountText(rows.value.length, total, shortTime(listedTime, style))}
        </span>
        {children}
        {only.value !== undefined && (
          <button class="button" onClick={() => (view.focusedRow.value = undefined)}>
            Of all rows
          </button>
        )}
      </div>
      <Table
        label="Events around the pointer"
        columns={columnsOf(experiment.info.value?.hosts ?? [], style)}
        rows={rows}
        middle={nearest.value}
        onActivate={goTo}
        isSelected={(line) => line === rows.value[nearest.value]}
        empty={
          experiment.isConnecting.value || answer.value === undefined
            ? 'Reading'
            : experiment.hasFiles.value
              ? 'No event lies here.'
              : 'Events are read from the files of the trace: drop its folder again to see them.'
        }
        keyOf={({ timeNs, host, stream, name, fields }) =>
          `${timeNs} ${host} ${stream} ${name} ${fields.payload}`
        }
      />
    </div>
  );
}

/**
 * "400 of 1 288 717, those around 12.345 s".
 * @param total how many there are; 0: not known, as for a CPU
 */
function amountText(listed: number, total: number, time: string): string {
  if (listed === total) return `all ${formatCount(total)}`;
  const part = total === 0 ? formatCount(listed) : `${formatCount(listed)} of ${formatCount(total)}`;
  return `${part}, those around ${time}`;
}

/** Number of the event nearest to a time, of events in its order; 0 of none. */
function nearestTo(events: readonly EventLine[], timeNs: DisplayNs): number {
  const distance = (at: number) => Math.abs(events[at].timeNs - timeNs);
  return events.reduce((nearest, _, at) => (distance(at) < distance(nearest) ? at : nearest), 0);
}

function middleOf(view: ViewModel): number {
  const { from, to } = rangeOf(view.viewport.peek());
  return Math.floor((from + to) / 2);
}
