/** Table of any length with the events of a set: all events, those of a row, or those that a filter accepts. */
import { useComputed, useSignal, type Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { EventCount, EventRow, EventSet } from '../../engine/protocol/events.ts';
import { useApp } from '../context/app-context.ts';
import { useLatestAnswer, useLiveAnswer } from '../experiment/live-answer.ts';
import { isOver } from '../opening/reading.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { LongTable } from '../widgets/table/long-table.tsx';
import { columnsOf, type ListedEvent, withTimeBetween } from './event-columns.tsx';
import type { EventPlace, EventsState } from './events-state.ts';

/** Rows requested around those in sight, so that slow scrolling shows no gaps. */
const AHEAD = 50;
/** Most requests for rows while events are counted, after the first rows came. */
const MOST_STEPS = 4;

export interface CountedEvents extends EventCount {
  readonly set: EventSet;
}

interface EventTableProps {
  readonly view: ViewModel;
  readonly events: EventsState;
  /** Set to the number of events. */
  readonly counted: Signal<CountedEvents | undefined>;
  /** Set to the number of events found so far. */
  readonly found: Signal<number>;
  /** Set to the active event; undefined: there is none. */
  readonly active: Signal<EventRow | undefined>;
}

export function EventTable({ view, events, counted, found, active }: EventTableProps) {
  const { set, place } = events;
  const { session, experiment } = useApp();
  const share = useSignal(0);
  const sight = useSignal({ first: 0, count: 2 * AHEAD });
  const isAllRead = useComputed(() => isOver(experiment.progress.value));
  // Asked again when files come, and when all is read, since packets then give the hosts' clocks.
  const source = useComputed(() => ({
    set: set.value,
    hasFiles: experiment.hasFiles.value,
    isAllRead: isAllRead.value,
  }));
  useLatestAnswer(
    // The number of all events grows while the trace is read.
    () => ({ ...source.value, read: isAll(set.value) ? experiment.info.value?.events : undefined }),
    async ({ set: asked }, signal) => {
      share.value = 0;
      if (counted.peek()?.set !== asked) [counted.value, found.value] = [undefined, 0];
      const onProgress = (done: number) => void (share.value = done);
      const { total, isWhole, problem } = await session.ask('eventSearch', asked, { signal, onProgress });
      counted.value = { set: asked, total, isWhole, problem };
    },
  );
  // Rows are requested until some come, and then rarely, since the session is counting.
  const step = useComputed(() =>
    found.value === 0 ? share.value : Math.floor(share.value * MOST_STEPS) / MOST_STEPS,
  );
  const page = useLiveAnswer(
    () => ({ ...source.value, sight: sight.value, step: step.value, counted: counted.value }),
    async ({ set: asked, sight: { first, count } }, signal) => {
      const from = Math.max(0, first - AHEAD);
      const { total, rows } = await session.ask(
        'eventRows',
        { ...asked, first: from, count: count + 2 * AHEAD },
        { signal },
      );
      found.value = total;
      return { set: asked, first: from, total, rows: withTimeBetween(rows) };
    },
  );
  const isCounted = useComputed(() => counted.value?.set === set.value);
  const isWhole = useComputed(() => counted.value?.isWhole === true);
  // Once the reader has scrolled, only another set or place moves the table.
  const held = useRef<{ readonly set: EventSet; readonly place: EventPlace | undefined }>(undefined);
  const middle = useLiveAnswer(
    () => ({ ...source.value, place: place.value, isCounted: isCounted.value, isWhole: isWhole.value }),
    async ({ set: asked, place: at, isCounted: isKnown }, signal) => {
      const isHeld = () => held.current?.set === asked && held.current.place === at;
      if (!isKnown || at === undefined || isHeld()) return undefined;
      const row = await session.ask('eventRowAt', { ...asked, ...at }, { signal });
      if (isHeld()) return undefined;
      events.setNumbered(asked, counted.peek()?.total ?? 0);
      return { row };
    },
  );
  const total = useComputed(() => page.value?.total ?? 0);
  const { hosts = [] } = experiment.info.value ?? {};
  return (
    <LongTable<ListedEvent>
      label="Events"
      columns={columnsOf(hosts, experiment.rows.value, view.timeStyle.value)}
      total={total}
      page={page}
      active={events.number}
      middle={middle}
      empty={
        experiment.isConnecting.value
          ? 'Reading'
          : !experiment.hasFiles.value
            ? 'Events are read from the files of the trace: drop its folder again to see them.'
            : !isCounted.value || page.value?.set !== set.value
              ? 'Reading'
              : set.value.filter === ''
                ? 'There is no event.'
                : 'No event is accepted by the filter.'
      }
      onMove={() => (held.current = { set: set.peek(), place: place.peek() })}
      onSight={(first, count) => {
        const { first: from, count: of } = sight.peek();
        if (first !== from || count !== of) sight.value = { first, count };
      }}
      onActivate={(event) => events.goTo(event)}
      onActive={(event) => {
        // The previous event stays until this one is known.
        const known = event ?? (total.peek() === 0 ? undefined : active.peek());
        if (known === undefined || !isSame(known, active.peek())) active.value = known;
      }}
    />
  );
}

function isSame({ place, timeNs }: EventRow, other: EventRow | undefined): boolean {
  return timeNs === other?.timeNs && JSON.stringify(place) === JSON.stringify(other.place);
}

function isAll({ filter, row }: EventSet): boolean {
  return filter === '' && row === undefined;
}
