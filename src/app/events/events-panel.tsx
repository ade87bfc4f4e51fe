/**
 * The Events tab: the events around the time under the pointer, or where an interval begins that was selected elsewhere;
 * those of one row alone where the keyboard is on one whose events can be distinguished from others'. Each leads to its row and
 * time.
 */
import { useComputed, useSignal, useSignalEffect, type ReadonlySignal } from '@preact/signals';
import type { DisplayNs } from '../../engine/base/units.ts';
import { useApp } from '../context/app-context.ts';
import { fixedDigits, formatCount, formatDuration } from '../format/numbers.ts';
import { fieldsText, hostName, visibleText } from '../format/text.ts';
import type { EventLine, HostInfo } from '../../workers/session-api.ts';
import type { Column } from '../widgets/table/column.ts';
import { isOver } from '../opening/reading.ts';
import { Table } from '../widgets/table/table.tsx';
import {
  rangeOf,
  rowTitle,
  shortTime,
  wallTime,
  type TimeStyle,
  type ViewModel,
} from '../timeline/timeline.tsx';
import { listedRowOf, rowOfEvent } from './event-row.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';

const MOST = 400;
/** How long the pointer must rest before the list follows it. */
const REST_MS = 120;

/** An event, and the ns since the one listed before it. */
interface ListedEvent extends EventLine {
  readonly afterNs: number | undefined;
}

const TIME_TITLES = { relative: 'Time, s', utc: 'Time, UTC', local: 'Time, local' };

function timeColumn(style: TimeStyle): Column<ListedEvent> {
  return {
    id: 'time',
    title: TIME_TITLES[style.originNs === '' ? 'relative' : style.mode],
    width: '96px',
    numeric: true,
    value: (line) => line.timeNs,
    cell: ({ timeNs }) => <span class="mono">{wallTime(timeNs, style, 9) ?? fixedDigits(timeNs, 9)}</span>,
  };
}

const AFTER: Column<ListedEvent> = {
  id: 'after',
  title: 'After',
  about: 'Time since the event above',
  width: '84px',
  numeric: true,
  value: (line) => line.afterNs ?? 0,
  cell: ({ afterNs }) => afterNs !== undefined && <span class="muted">{formatDuration(afterNs)}</span>,
};

const DETAILS: readonly Column<ListedEvent>[] = [
  {
    id: 'cpu',
    title: 'CPU',
    width: '44px',
    numeric: true,
    value: (line) => line.cpu,
    cell: ({ cpu }) => cpu >= 0 && cpu,
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
    width: 'minmax(140px, 3fr)',
    numeric: false,
    value: (line) => line.name,
    cell: (line) => (
      <span class="table-name ellipsis" title={visibleText(line.name)}>
        {visibleText(line.name)}
      </span>
    ),
  },
  {
    id: 'fields',
    title: 'Fields',
    width: 'minmax(240px, 4fr)',
    numeric: false,
    value: (line) => line.fields.payload,
    cell: ({ fields }) => <Fields texts={[fields.payload]} />,
  },
  {
    id: 'context',
    title: 'Context',
    width: 'minmax(160px, 2fr)',
    numeric: false,
    wideOnly: true,
    value: ({ fields }) => `${fields.context} ${fields.common}`,
    cell: ({ fields }) => <Fields texts={[fields.context, fields.common]} />,
  },
];

/** With a column of hosts where there are several: their CPUs and streams are called the same. */
function columnsOf(hosts: readonly HostInfo[], style: TimeStyle): readonly Column<ListedEvent>[] {
  const time = timeColumn(style);
  if (hosts.length < 2) return [time, AFTER, ...DETAILS];
  const host: Column<ListedEvent> = {
    id: 'host',
    title: 'Host',
    width: 'minmax(72px, 120px)',
    numeric: false,
    value: (line) => hostName(hosts, line.host),
    cell: (line) => <span class="ellipsis">{hostName(hosts, line.host)}</span>,
  };
  return [time, AFTER, host, ...DETAILS];
}

function withTimeBetween(lines: readonly EventLine[]): readonly ListedEvent[] {
  return lines.map((line, i) => ({
    ...line,
    afterNs: i > 0 ? line.timeNs - lines[i - 1].timeNs : undefined,
  }));
}

function Fields({ texts }: { readonly texts: readonly string[] }) {
  const text = texts.map((one) => fieldsText(one)).join(' ');
  return (
    <span class="mono ellipsis" title={visibleText(text)}>
      {visibleText(text)}
    </span>
  );
}

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

export function EventsPanel({ view }: { readonly view: ViewModel }) {
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
        <span class="grow" />
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
