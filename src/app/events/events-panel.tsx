/**
 * The Events tab: all events of the trace, those that a filter accepts, or those of the focused row if its events can be
 * distinguished from others'. The list follows the pointer and the selection; each event leads to its thread and time.
 */
import { TextButton } from '../controls/button.tsx';
import './events.css';
import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { DisplayNs } from '../../engine/base/units.ts';
import type { EventRow, EventSet } from '../../engine/protocol/events.ts';
import { useApp } from '../context/app-context.ts';
import { unlessAborted, useLiveAnswer } from '../experiment/live-answer.ts';
import { plural } from '../format/text.ts';
import { rangeOf, rowById, rowTitle, type ViewModel } from '../timeline/timeline.tsx';
import { EventPane } from './event-pane.tsx';
import { EventFilter } from './event-filter.tsx';
import { EventTable, type CountedEvents } from './event-table.tsx';
import type { EventPlace, EventsState } from './events-state.ts';
import { EVENTS_AT, EVENTS_FILTER } from './show-events.ts';

export function EventsPanel({ view, events }: { readonly view: ViewModel; readonly events: EventsState }) {
  const { choices } = useApp();
  const { filter, set } = events;
  const counted = useSignal<CountedEvents | undefined>(undefined);
  /** Events found so far, while they are counted. */
  const found = useSignal(0);
  const active = useSignal<EventRow | undefined>(undefined);
  const onFilter = (text: string) => choices.choose(EVENTS_FILTER, text.trim() === '' ? undefined : text);
  useListPlace(view, events);
  useMatchDensity(view, filter, set, counted);
  const { value: listed } = events.only;
  return (
    <div class="stat-table">
      <div class="stat-head">
        <div class="stat-title">
          <h3 class="ellipsis">{listed === undefined ? 'Events' : `Events of ${rowTitle(listed)}`}</h3>
          <span class="faint ellipsis" role="status">
            {amountText(counted.value, found.value)}
          </span>
        </div>
        {listed !== undefined && (
          <TextButton text="Of all rows" onClick={() => (view.focusedRow.value = undefined)} />
        )}
        <EventFilter
          filter={filter.value}
          problem={filter.value.trim() === '' ? undefined : counted.value?.problem}
          onFilter={onFilter}
        />
      </div>
      <div class="events-body">
        <EventTable view={view} events={events} counted={counted} found={found} active={active} />
        <EventPane view={view} event={active} filter={filter.value} onFilter={onFilter} />
      </div>
    </div>
  );
}

/** Buckets of the overview, about one for each pixel. */
const BUCKETS = 1000;

/** Shows the density of the filter's events in the overview, as long as the panel is mounted. */
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

/** "15 579 events", "1 204 events so far". */
function amountText(counted: CountedEvents | undefined, found: number): string {
  if (counted === undefined) return found === 0 ? 'Reading' : `${plural(found, 'event')} so far`;
  if (counted.problem !== undefined) return '';
  return `${plural(counted.total, 'event')}${counted.isWhole ? '' : ' so far'}`;
}

/** How long the pointer must rest before the list follows it. */
const REST_MS = 120;

/**
 * Scrolls the list: at first to `firstPlace` or into the selected interval, with a new filter to the first event in view or
 * else of all; then to the pointer, to the begin of a selected interval, and, when a thread is selected as a whole, to
 * the begin of its interval at the current time of the list.
 */
function useListPlace(view: ViewModel, events: EventsState): void {
  const { choices } = useApp();
  const linked = useComputed(() => readTime(choices.text(EVENTS_AT)));
  const known = useRef({ filter: events.filter.peek(), linked: linked.peek() });
  const go = (place: EventPlace) => {
    events.listedAt = place.timeNs;
    events.place.value = place;
  };
  useLayoutEffect(() => {
    events.followed = view.question.peek().row;
    go(firstPlace(view, events, linked.peek()));
  }, []);
  const goTo = (timeNs: DisplayNs) => {
    if (timeNs !== events.listedAt) go({ timeNs });
  };
  useSignalEffect(() => {
    const timeNs = view.hover.value?.timeNs;
    if (timeNs === undefined) return;
    const timer = setTimeout(() => goTo(timeNs), REST_MS);
    return () => clearTimeout(timer);
  });
  useSignalEffect(() => {
    const selected = view.selected.value;
    if (selected === undefined) return;
    const at = events.listedAt ?? NaN;
    if (!(at >= selected.from && at < selected.to)) goTo(selected.from);
  });
  useSignalEffect(() => {
    const before = known.current;
    const { filter, linked: at } = (known.current = { filter: events.filter.value, linked: linked.value });
    // A link was followed, or else the filter changed.
    if (at !== before.linked && at !== undefined) goTo(at);
    else if (filter !== before.filter && filter.trim() !== '') go(events.inView);
  });
  useFollowedThread(view, events, goTo);
}

/** When a thread is selected as a whole, goes to the begin of its interval at the current time of the list. */
function useFollowedThread(view: ViewModel, events: EventsState, goTo: (timeNs: DisplayNs) => void): void {
  const { session, experiment } = useApp();
  useSignalEffect(() => {
    const { row, interval } = view.question.value;
    if (row === undefined || row === events.followed) return;
    events.followed = row;
    if (interval !== undefined || rowById(experiment.rows.peek(), row)?.kind !== 'thread') return;
    const asking = new AbortController();
    const { signal } = asking;
    const answer = session.ask('interval', { row, timeNs: events.listedAt ?? 0 }, { signal });
    void unlessAborted(answer, signal).then((found) => {
      if (found !== undefined && !signal.aborted) goTo(found.from);
    });
    return () => asking.abort();
  });
}

/** Place of the linked event, if it is in view; else the middle of the view, with a filter the first event in view. */
function firstPlace(view: ViewModel, events: EventsState, linked: DisplayNs | undefined): EventPlace {
  const { from, to } = rangeOf(view.viewport.peek());
  if (linked !== undefined && from <= linked && linked <= to) return { timeNs: linked };
  return events.filter.peek().trim() === '' ? { timeNs: Math.floor((from + to) / 2) } : events.inView;
}

function readTime(text: string | undefined): DisplayNs | undefined {
  return /^-?\d{1,18}$/.test(text ?? '') ? Number(text) : undefined;
}
