/**
 * The Events tab: the events around the time under the pointer, or where an interval begins that was selected elsewhere;
 * those of one row alone where the keyboard is on one whose events can be told from others'.
 */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useApp } from '../app-context.ts';
import { fixedDigits, formatDuration } from '../format/numbers.ts';
import { fieldsText, hostName, visibleText } from '../format/text.ts';
import type { EventLine, HostInfo } from '../../workers/session-api.ts';
import type { Column } from '../table/column.ts';
import { Table } from '../table/table.tsx';
import { rangeOf, wallTime, type TimeStyle, type ViewModel } from '../timeline/timeline.tsx';
import { listedRowOf, titleOf } from './row-details.tsx';
import { useLiveAnswer } from './live-answer.ts';

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
    width: '156px',
    numeric: false,
    value: (line) => line.timeNs,
    cell: ({ timeNs }) => (
      <span class="mono">{wallTime(timeNs, style, 9) ?? fixedDigits(timeNs, 9)}</span>
    ),
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
    width: 'minmax(140px, 2fr)',
    numeric: false,
    value: (line) => line.name,
    cell: (line) => (
      <span class="ellipsis" title={visibleText(line.name)}>
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

export function EventsPanel({ view }: { readonly view: ViewModel }) {
  const { session, experiment } = useApp();
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
  const only = useComputed(() => listedRowOf(experiment.rows.value, view.focusedRow.value));
  const answer = useLiveAnswer(
    // Asked again when files come.
    () => ({ time: cursor.value, row: only.value?.id, hasFiles: experiment.hasFiles.value }),
    async (asked) => ({
      ...asked,
      lines: withTimeBetween(await session.eventsAround(asked.time, MOST, asked.row)),
    }),
  );
  const rows = useComputed(() => answer.value?.lines ?? []);
  // Of what is listed, which the pointer and the row in focus may be ahead of.
  const nearest = useComputed(() => nearestTo(rows.value, answer.value?.time ?? 0));
  const listed = useComputed(() => listedRowOf(experiment.rows.value, answer.value?.row));
  const style = view.timeStyle.value;
  return (
    <div class="stat-table">
      <div class="stat-head">
        <h3>Events around the pointer</h3>
        <span class="faint ellipsis">
          {listed.value === undefined ? 'of all rows' : `of ${titleOf(listed.value)}`}
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
        isSelected={(line) => line === rows.value[nearest.value]}
        empty={
          !experiment.hasFiles.value
            ? 'Events are read from the files of the trace: drop its folder again to see them.'
            : answer.value === undefined
              ? 'Reading'
              : 'No event lies here.'
        }
        keyOf={({ timeNs, host, stream, name, fields }) =>
          `${timeNs} ${host} ${stream} ${name} ${fields.payload}`
        }
      />
    </div>
  );
}

/** Number of the event nearest to a time, of events in its order; 0 of none. */
function nearestTo(events: readonly EventLine[], timeNs: number): number {
  const distance = (at: number) => Math.abs(events[at].timeNs - timeNs);
  return events.reduce((nearest, _, at) => (distance(at) < distance(nearest) ? at : nearest), 0);
}

function middleOf(view: ViewModel): number {
  const { from, to } = rangeOf(view.viewport.peek());
  return Math.floor((from + to) / 2);
}
