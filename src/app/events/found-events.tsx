/** All events that a filter accepts, as a table of any length; a click leads to the thread and the time of an event. */
import { useComputed, useSignal, type ReadonlySignal } from '@preact/signals';
import type { EventRow, EventSet, FilterProblem } from '../../workers/session-api.ts';
import { useApp } from '../context/app-context.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { plural, visibleText } from '../format/text.ts';
import { rowById, type ViewModel } from '../timeline/timeline.tsx';
import type { Column } from '../widgets/table/column.ts';
import { LongTable } from '../widgets/table/long-table.tsx';
import { columnsOf, type ListedEvent, withTimeBetween } from './event-columns.tsx';
import { rowOfEvent } from './event-row.ts';

/** Rows asked for around those in sight, so that slow scrolling finds them there. */
const AHEAD = 50;

type FoundEvent = EventRow & ListedEvent;

const THREAD: Column<FoundEvent> = {
  id: 'thread',
  title: 'Thread',
  width: 'minmax(110px, 160px)',
  numeric: false,
  value: ({ thread }) => thread?.name ?? '',
  cell: ({ thread }) =>
    thread && (
      <span class="ellipsis">
        {visibleText(thread.name)} <span class="faint mono">{thread.tid}</span>
      </span>
    ),
};

interface FoundEventsProps {
  readonly view: ViewModel;
  readonly filter: ReadonlySignal<string>;
  /** Told what is wrong with the filter, and how many events it accepts; undefined: not known yet. */
  onFound(found: { readonly problem: FilterProblem | undefined; readonly text: string }): void;
}

export function FoundEvents({ view, filter, onFound }: FoundEventsProps) {
  const { session, experiment } = useApp();
  const set = useComputed((): EventSet => {
    const selection = view.range.value ?? view.selected.value;
    const usesSelection = /\bsel\b/.test(filter.value) && selection !== undefined;
    return {
      filter: filter.value,
      ...(usesSelection && { selection: { from: selection.from, to: selection.to } }),
    };
  });
  const share = useSignal(0);
  const sight = useSignal({ first: 0, count: 2 * AHEAD });
  const counted = useLiveAnswer(
    () => ({ set: set.value, hasFiles: experiment.hasFiles.value }),
    async ({ set: asked }, signal) => {
      share.value = 0;
      onFound({ problem: undefined, text: 'Reading' });
      const onProgress = (done: number) => void (share.value = done);
      const answer = await session.ask('eventSearch', asked, { signal, onProgress });
      onFound({
        problem: answer.problem,
        text: answer.problem === undefined ? plural(answer.total, 'event') : '',
      });
      return { set: asked, ...answer };
    },
  );
  const answer = useLiveAnswer(
    () => ({ set: set.value, sight: sight.value, share: share.value, counted: counted.value }),
    async ({ set: asked, sight: { first, count } }, signal) => {
      const from = Math.max(0, first - AHEAD);
      const found = await session.ask(
        'eventRows',
        { ...asked, first: from, count: count + 2 * AHEAD },
        { signal },
      );
      return { first: from, total: found.total, rows: withTimeBetween(found.rows) as readonly FoundEvent[] };
    },
  );
  /** Where an interval begins that is selected elsewhere. */
  const middle = useLiveAnswer(
    () => ({ set: set.value, time: view.selected.value?.from, counted: counted.value }),
    async ({ set: asked, time, counted: of }, signal) =>
      time === undefined || of?.set !== asked || of.total === 0
        ? undefined
        : { row: await session.ask('eventRowAt', { ...asked, timeNs: time }, { signal }) },
  );
  const total = useComputed(() => answer.value?.total ?? 0);
  const goTo = (event: EventRow) => {
    const thread = rowById(experiment.rows.value, event.thread?.row ?? '')?.id;
    const row = thread ?? rowOfEvent(experiment.rows.value, event);
    if (row !== undefined) view.show(row);
    view.keepInView({ from: event.timeNs, to: event.timeNs + 1 });
    view.hover.value = { timeNs: event.timeNs };
  };
  return (
    <LongTable
      label="Events found"
      columns={foundColumns(columnsOf(experiment.info.value?.hosts ?? [], view.timeStyle.value))}
      total={total}
      page={answer}
      middle={middle}
      empty={
        !experiment.hasFiles.value
          ? 'Events are read from the files of the trace: drop its folder again to see them.'
          : counted.value?.set === set.value
            ? 'No event is accepted by the filter.'
            : 'Reading'
      }
      onSight={(first, count) => {
        const { first: from, count: of } = sight.peek();
        if (first !== from || count !== of) sight.value = { first, count };
      }}
      onActivate={goTo}
    />
  );
}

/** The thread stands behind the CPU. */
function foundColumns(columns: readonly Column<ListedEvent>[]): readonly Column<FoundEvent>[] {
  const shown = columns.filter(({ id }) => id !== 'stream');
  const at = shown.findIndex(({ id }) => id === 'cpu') + 1;
  return [...shown.slice(0, at), THREAD, ...shown.slice(at)];
}
