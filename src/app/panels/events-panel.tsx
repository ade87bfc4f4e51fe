/** The Events tab of traces without kernel events: the events around the time under the pointer. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useApp } from '../app-context.ts';
import { fixedDigits } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import type { EventLine } from '../../workers/session-api.ts';
import type { Column } from '../table/column.ts';
import { Table } from '../table/table.tsx';
import { rangeOf, type ViewModel } from '../timeline/timeline.tsx';
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
  const { session } = useApp();
  const cursor = useSignal(middleOf(view));
  useSignalEffect(() => {
    const time = view.hover.value?.timeNs;
    if (time === undefined) return;
    const timer = setTimeout(() => (cursor.value = time), REST_MS);
    return () => clearTimeout(timer);
  });
  const answer = useLiveAnswer(
    () => cursor.value,
    (time) => session.eventsAround(time, MOST),
  );
  const rows = useComputed(() => answer.value ?? []);
  return (
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
  );
}

function middleOf(view: ViewModel): number {
  const { from, to } = rangeOf(view.viewport.peek());
  return Math.floor((from + to) / 2);
}
