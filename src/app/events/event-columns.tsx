/** The columns of lists of events. */
import { fixedDigits, formatDuration } from '../format/numbers.ts';
import { fieldsText, hostName, visibleText } from '../format/text.ts';
import type { EventLine, HostInfo } from '../../workers/session-api.ts';
import type { Column } from '../widgets/table/column.ts';
import { wallTime, type TimeStyle } from '../timeline/timeline.tsx';

/** An event, and the ns since the one listed before it. */
export interface ListedEvent extends EventLine {
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
export function columnsOf(hosts: readonly HostInfo[], style: TimeStyle): readonly Column<ListedEvent>[] {
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

export function withTimeBetween(lines: readonly EventLine[]): readonly ListedEvent[] {
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
