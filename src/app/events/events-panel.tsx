/**
 * The Events tab: all events of the trace, those that a filter accepts, or those of one row where the keyboard is on one
 * whose events can be distinguished from others'. It follows the pointer and the selection; each event leads to its thread
 * and time.
 */
import './events.css';
import { useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { EventRow, EventSet } from '../../engine/protocol/events.ts';
import { useApp } from '../context/app-context.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { plural } from '../format/text.ts';
import { rowTitle, type ViewModel } from '../timeline/timeline.tsx';
import { EventPane } from './event-pane.tsx';
import { EventFilter } from './event-filter.tsx';
import { EventTable, type CountedEvents } from './event-table.tsx';
import type { EventsState } from './events-state.ts';
import { useLookedAt } from './looked-at.ts';
import { EVENTS_FILTER } from './show-events.ts';

export function EventsPanel({ view, events }: { readonly view: ViewModel; readonly events: EventsState }) {
  const { choices } = useApp();
  const { filter, set } = events;
  const counted = useSignal<CountedEvents | undefined>(undefined);
  /** While they are counted. */
  const found = useSignal(0);
  const active = useSignal<EventRow | undefined>(undefined);
  const onFilter = (text: string) => choices.choose(EVENTS_FILTER, text.trim() === '' ? undefined : text);
  useLookedAt(view, events);
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
          <button class="button" onClick={() => (view.focusedRow.value = undefined)}>
            Of all rows
          </button>
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

/** "15 579 events", "1 204 events so far". */
function amountText(counted: CountedEvents | undefined, found: number): string {
  if (counted === undefined) return found === 0 ? 'Reading' : `${plural(found, 'event')} so far`;
  if (counted.problem !== undefined) return '';
  return `${plural(counted.total, 'event')}${counted.isWhole ? '' : ' so far'}`;
}
