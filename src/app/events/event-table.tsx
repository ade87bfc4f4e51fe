/** Events of a set as a table of any length: all of them, those of a row, those that a filter accepts. */
import { useComputed, useSignal, type ReadonlySignal, type Signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { DisplayNs } from '../../engine/base/units.ts';
import type { EventCount, EventRow, EventSet } from '../../engine/protocol/events.ts';
import { useApp } from '../context/app-context.ts';
import { useLatestAnswer, useLiveAnswer } from '../experiment/live-answer.ts';
import { isOver } from '../opening/reading.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { LongTable } from '../widgets/table/long-table.tsx';
import { columnsOf, type ListedEvent, withTimeBetween } from './event-columns.tsx';

/** Rows asked for around those in sight, so that slow scrolling finds them there. */
const AHEAD = 50;

export interface CountedEvents extends EventCount {
  readonly set: EventSet;
}

interface EventTableProps {
  readonly view: ViewModel;
  readonly set: ReadonlySignal<EventSet>;
  /** Where the table goes to. */
  readonly time: ReadonlySignal<DisplayNs>;
  /** Is told how many events there are. */
  readonly counted: Signal<CountedEvents | undefined>;
  /** Is told how many were found so far. */
  readonly found: Signal<number>;
  /** Number of the row that keys are on. */
  readonly row: Signal<number>;
  /** Is told its event; undefined: there is none. */
  readonly active: Signal<EventRow | undefined>;
  /** A click, or Enter. */
  onGo(event: EventRow): void;
}

export function EventTable({ view, set, time, counted, found, row, active, onGo }: EventTableProps) {
  const { session, experiment } = useApp();
  const share = useSignal(0);
  const sight = useSignal({ first: 0, count: 2 * AHEAD });
  const isAllRead = useComputed(() => isOver(experiment.progress.value));
  // Asked again when files come, and when all is read: the hosts' clocks are then known from packets.
  const source = useComputed(() => ({
    set: set.value,
    hasFiles: experiment.hasFiles.value,
    isAllRead: isAllRead.value,
  }));
  useLatestAnswer(
    // All events are more and more while the trace is read.
    () => ({ ...source.value, read: isAll(set.value) ? experiment.info.value?.events : undefined }),
    async ({ set: asked }, signal) => {
      share.value = 0;
      if (counted.peek()?.set !== asked) [counted.value, found.value] = [undefined, 0];
      const onProgress = (done: number) => void (share.value = done);
      const { total, isWhole, problem } = await session.ask('eventSearch', asked, { signal, onProgress });
      counted.value = { set: asked, total, isWhole, problem };
    },
  );
  const page = useLiveAnswer(
    () => ({ ...source.value, sight: sight.value, share: share.value, counted: counted.value }),
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
  // Once the reader has moved it, only another set or time moves it again.
  const held = useRef<{ readonly set: EventSet; readonly time: DisplayNs }>(undefined);
  const middle = useLiveAnswer(
    () => ({ ...source.value, time: time.value, isCounted: isCounted.value, isWhole: isWhole.value }),
    async ({ set: asked, time: at, isCounted: isKnown }, signal) => {
      const isHeld = () => held.current?.set === asked && held.current.time === at;
      if (!isKnown || isHeld()) return undefined;
      const row = await session.ask('eventRowAt', { ...asked, timeNs: at }, { signal });
      return isHeld() ? undefined : { row };
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
      active={row}
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
      onMove={() => (held.current = { set: set.peek(), time: time.peek() })}
      onSight={(first, count) => {
        const { first: from, count: of } = sight.peek();
        if (first !== from || count !== of) sight.value = { first, count };
      }}
      onActivate={onGo}
      onActive={(event) => {
        // Until it is known the one before is shown.
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
