/**
 * The Events tab: all events of the trace, those that a filter accepts, or those of one row where the keyboard is on one
 * whose events can be distinguished from others'. It follows the pointer and the selection; each event leads to its thread
 * and time.
 */
import './events.css';
import { useComputed, useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { EventRow, EventSet } from '../../engine/protocol/events.ts';
import { commandsOf } from '../commands/command.ts';
import { useApp } from '../context/app-context.ts';
import { useChoices } from '../controls/choices.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { plural } from '../format/text.ts';
import { rowById, rowTitle, type ViewModel } from '../timeline/timeline.tsx';
import { EventPane } from './event-pane.tsx';
import { EventFilter } from './event-filter.tsx';
import { EventTable, type CountedEvents } from './event-table.tsx';
import { listedRowOf, rowOfEvent } from './event-row.ts';
import { useLookedAt } from './looked-at.ts';
import { EVENTS_FILTER } from './show-events.ts';

export function EventsPanel({ view }: { readonly view: ViewModel }) {
  const { experiment, session } = useApp();
  const choices = useChoices();
  const filter = useComputed(() => choices.text(EVENTS_FILTER) ?? '');
  const lookedAt = useLookedAt(view);
  const counted = useSignal<CountedEvents | undefined>(undefined);
  /** While they are counted. */
  const found = useSignal(0);
  const number = useSignal(0);
  const active = useSignal<EventRow | undefined>(undefined);
  const onFilter = (text: string) => choices.choose(EVENTS_FILTER, text.trim() === '' ? undefined : text);
  // The row that an event led to, and the one whose events are listed still: those of all do not give way to its own.
  const led = useSignal<{ readonly to: string; readonly listed: string | undefined } | undefined>(undefined);
  const only = useComputed(() => {
    const focused = view.focusedRow.value;
    const row = led.value?.to === focused ? led.value?.listed : focused;
    return listedRowOf(experiment.rows.value, row);
  });
  const row = useComputed(() => only.value?.id);
  const set = useComputed((): EventSet => {
    const usesSelection = /\bsel\b/.test(filter.value);
    const selection = usesSelection ? (view.range.value ?? view.selected.value) : undefined;
    return {
      filter: filter.value,
      ...(selection !== undefined && { selection: { from: selection.from, to: selection.to } }),
      ...(row.value !== undefined && { row: row.value }),
    };
  });
  useMatchDensity(view, filter, set, counted);
  const goTo = (event: EventRow) => {
    const rows = experiment.rows.value;
    const row = rowById(rows, event.thread?.row ?? '')?.id ?? rowOfEvent(rows, event);
    lookedAt.leadTo(event.timeNs, row);
    if (row !== undefined) {
      led.value = { to: row, listed: only.value?.id };
      view.show(row);
    }
    view.keepInView({ from: event.timeNs, to: event.timeNs + 1 });
    view.hover.value = { timeNs: event.timeNs };
  };
  useMatchKeys(filter, (by) => {
    const to = number.peek() + by;
    if (to < 0 || to >= (counted.peek()?.total ?? 0)) return;
    number.value = to;
    const asked = { ...set.peek(), first: to, count: 1 };
    void session.ask('eventRows', asked).then(({ rows: [event] }) => {
      // Keys may be faster than answers.
      if (event !== undefined && number.peek() === to) goTo(event);
    });
  });
  const { value: listed } = only;
  return (
    <div class="stat-table">
      <div class="stat-head">
        <h3>{listed === undefined ? 'Events' : `Events of ${rowTitle(listed)}`}</h3>
        <span class="faint ellipsis" role="status">
          {amountText(counted.value, found.value)}
        </span>
        <EventFilter
          filter={filter.value}
          problem={filter.value.trim() === '' ? undefined : counted.value?.problem}
          onFilter={onFilter}
        />
        {listed !== undefined && (
          <button class="button" onClick={() => (view.focusedRow.value = undefined)}>
            Of all rows
          </button>
        )}
      </div>
      <div class="events-body">
        <EventTable
          view={view}
          set={set}
          time={lookedAt.time}
          counted={counted}
          found={found}
          row={number}
          active={active}
          onGo={goTo}
        />
        <EventPane view={view} event={active} filter={filter.value} onFilter={onFilter} />
      </div>
    </div>
  );
}

/** Buckets of the overview: about one each pixel. */
const BUCKETS = 1000;

/** Shows in the overview where the events of the filter are, as long as the panel is there. */
function useMatchDensity(
  view: ViewModel,
  filter: ReadonlySignal<string>,
  set: ReadonlySignal<EventSet>,
  counted: ReadonlySignal<CountedEvents | undefined>,
): void {
  const { session } = useApp();
  const found = useLiveAnswer(
    () => {
      const isWanted = filter.value.trim() !== '' && counted.value?.set === set.value;
      return isWanted && counted.value?.isWhole === true && counted.value.problem === undefined
        ? { set: set.value, extent: view.extent.value }
        : undefined;
    },
    async (asked, signal) => {
      if (asked === undefined) return undefined;
      const { from, to } = asked.extent;
      const bucketNs = Math.max(1, (to - from) / BUCKETS);
      return {
        bucketNs,
        hosts: await session.ask('eventDensity', { ...asked.set, from, to, bucketNs }, { signal }),
      };
    },
  );
  useSignalEffect(() => void (view.matches.value = found.value));
  useEffect(() => () => void (view.matches.value = undefined), []);
}

/** Keys that go from match to match, as long as the panel is there. */
function useMatchKeys(filter: ReadonlySignal<string>, step: (by: -1 | 1) => void): void {
  const { commands } = useApp();
  useEffect(() => {
    const command = commandsOf('Details');
    const hasFilter = () => filter.value.trim() !== '';
    return commands.add([
      command('next-match', 'Go to the next event of the filter', 'N', () => step(1), hasFilter),
      command(
        'previous-match',
        'Go to the previous event of the filter',
        'Shift+N',
        () => step(-1),
        hasFilter,
      ),
    ]);
  }, []);
}

/** "15 579 events", "1 204 events so far". */
function amountText(counted: CountedEvents | undefined, found: number): string {
  if (counted === undefined) return found === 0 ? 'Reading' : `${plural(found, 'event')} so far`;
  if (counted.problem !== undefined) return '';
  return `${plural(counted.total, 'event')}${counted.isWhole ? '' : ' so far'}`;
}
