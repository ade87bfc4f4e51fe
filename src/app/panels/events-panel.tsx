/**
 * The Events tab of traces without kernel events: the events around the time under the pointer, those of one row where the
 * keyboard is on one.
 */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useApp } from '../app-context.ts';
import { fixedDigits } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import type { EventLine } from '../../workers/session-api.ts';
import type { Column } from '../table/column.ts';
import { Table } from '../table/table.tsx';
import { rangeOf, type ViewModel } from '../timeline/timeline.tsx';
import { eventRowOf, titleOf } from './event-row.tsx';
import { useLiveAnswer } from './live-answer.ts';

const MOST = 400;
/** How long the pointer must rest before the list follows it. */
const REST_MS = 120;

const COLUMNS: readonly Column<EventLine>[] = [
  {
    id: 'time',
    title: 'Time, s',
    width: '140px',
    numeric: false,
    value: (line) => line.timeNs,
    cell: (line) => <span class="mono">{fixedDigits(line.timeNs, 9)}</span>,
  },
  {
    id: 'stream',
    title: 'Stream',
    width: '120px',
    numeric: false,
    wideOnly: true,
    value: (line) => line.stream,
    cell: (line) => <span class="muted ellipsis">{visibleText(line.stream)}</span>,
  },
  {
    id: 'event',
    title: 'Event',
    width: 'minmax(140px, 1fr)',
    numeric: false,
    value: (line) => line.name,
    cell: (line) => <span class="ellipsis">{visibleText(line.name)}</span>,
  },
  {
    id: 'fields',
    title: 'Fields',
    width: 'minmax(240px, 4fr)',
    numeric: false,
    value: (line) => line.fields,
    cell: (line) => (
      <span class="mono ellipsis" title={visibleText(line.fields)}>
        {visibleText(line.fields)}
      </span>
    ),
  },
];
const BY_TIME = { column: 'time', descending: false };

export function EventsPanel({ view }: { readonly view: ViewModel }) {
  const { session, experiment } = useApp();
  const cursor = useSignal(middleOf(view));
  useSignalEffect(() => {
    const time = view.hover.value?.timeNs;
    if (time === undefined) return;
    const timer = setTimeout(() => (cursor.value = time), REST_MS);
    return () => clearTimeout(timer);
  });
  const only = useComputed(() => eventRowOf(experiment.rows.value, view.focusedRow.value));
  const answer = useLiveAnswer(
    () => ({ time: cursor.value, row: only.value?.id }),
    ({ time, row }) => session.eventsAround(time, MOST, row),
  );
  const rows = useComputed(() => answer.value ?? []);
  return (
    <div class="stat-table">
      <div class="stat-head">
        <h3>Events around the pointer</h3>
        <span class="faint ellipsis">
          {only.value === undefined ? 'of all rows' : `of one row: ${titleOf(only.value)}`}
        </span>
        <span class="grow" />
        {only.value !== undefined && (
          <button class="button" onClick={() => (view.focusedRow.value = undefined)}>
            Of all rows
          </button>
        )}
      </div>
      <Table
        label="Events around the pointer"
        columns={COLUMNS}
        rows={rows}
        order={BY_TIME}
        empty={
          answer.value === undefined
            ? 'Reading'
            : 'No event lies here, or the files are needed again to read it.'
        }
        keyOf={(line) => `${line.timeNs} ${line.stream} ${line.name} ${line.fields}`}
        onOrder={() => {}}
      />
    </div>
  );
}

function middleOf(view: ViewModel): number {
  const { from, to } = rangeOf(view.viewport.peek());
  return Math.floor((from + to) / 2);
}
