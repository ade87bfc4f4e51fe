/** The columns of the table of events. */
import { fixedDigits, formatDuration } from '../format/numbers.ts';
import { fieldsText, hostName, visibleText } from '../format/text.ts';
import type { EventRow } from '../../engine/protocol/events.ts';
import type { HostInfo } from '../../engine/protocol/session.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import type { Column } from '../widgets/table/column.ts';
import { cellColumn, numberColumn, wide } from '../widgets/table/stat-columns.tsx';
import { rowById, wallTime, type TimeStyle } from '../timeline/timeline.tsx';
import { rowOfEvent } from './events-state.ts';
import { shortMeaning } from './field-meaning.ts';

/** An event, and the ns since the one listed before it. */
export interface ListedEvent extends EventRow {
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
  ...numberColumn<ListedEvent>('after', 'After', '84px', ({ afterNs = 0 }) => afterNs),
  about: 'Time since the event above',
  cell: ({ afterNs }) => afterNs !== undefined && <span class="muted">{formatDuration(afterNs)}</span>,
};

const CPU: Column<ListedEvent> = {
  ...numberColumn<ListedEvent>('cpu', 'CPU', '44px', ({ cpu }) => cpu),
  cell: ({ cpu }) => cpu >= 0 && cpu,
};

interface Named {
  readonly name: string;
  readonly id: number | undefined;
}

function namedColumn(
  id: string,
  title: string,
  named: (line: ListedEvent) => Named | undefined,
  wideOnly: boolean,
): Column<ListedEvent> {
  return {
    id,
    title,
    width: 'minmax(110px, 160px)',
    numeric: false,
    wideOnly,
    value: (line) => named(line)?.name ?? '',
    cell: (line) => {
      const found = named(line);
      return (
        found && (
          <span class="ellipsis">
            {visibleText(found.name)} <span class="faint mono">{found.id}</span>
          </span>
        )
      );
    },
  };
}

/** Columns of the thread and process of an event, by the kernel's trace or else by the row that its context names. */
function threadColumns(rows: readonly RowInfo[]): readonly Column<ListedEvent>[] {
  const rowOf = (line: ListedEvent): RowInfo | undefined => {
    const row = rowById(rows, rowOfEvent(rows, line) ?? '');
    return row?.kind === 'thread' ? row : undefined;
  };
  const thread = (line: ListedEvent): Named | undefined => {
    const { name, tid: id } = line.thread ?? rowOf(line) ?? {};
    return name === undefined ? undefined : { name, id };
  };
  const process = (line: ListedEvent): Named | undefined => {
    if (line.thread !== undefined) {
      const { process: name, pid, tid } = line.thread;
      return { name, id: pid < 0 ? tid : pid };
    }
    const row = rowOf(line);
    const { kind, name, tid: id } = rows[row?.parent ?? -1] ?? {};
    return kind === 'process' && name !== undefined ? { name, id } : undefined;
  };
  return [namedColumn('thread', 'Thread', thread, false), namedColumn('process', 'Process', process, true)];
}

const DETAILS: readonly Column<ListedEvent>[] = [
  cellColumn(
    'event',
    'Event',
    'minmax(140px, 3fr)',
    ({ name }) => name,
    ({ name }) => (
      <span class="table-name ellipsis" title={visibleText(name)}>
        {visibleText(name)}
      </span>
    ),
  ),
  cellColumn(
    'fields',
    'Fields',
    'minmax(240px, 4fr)',
    ({ fields }) => fields.payload,
    ({ name, fields }) => <Fields event={name} texts={[fields.payload]} />,
  ),
  wide(
    cellColumn(
      'context',
      'Context',
      'minmax(160px, 2fr)',
      ({ fields }) => `${fields.context} ${fields.common}`,
      ({ name, fields }) => <Fields event={name} texts={[fields.context, fields.common]} />,
    ),
  ),
];

/** Columns of the table, with one for the host if there are several, whose CPUs have the same names. */
export function columnsOf(
  hosts: readonly HostInfo[],
  rows: readonly RowInfo[],
  style: TimeStyle,
): readonly Column<ListedEvent>[] {
  const hostOf = (line: ListedEvent) => hostName(hosts, line.host);
  const host = cellColumn('host', 'Host', 'minmax(72px, 120px)', hostOf, (line) => (
    <span class="ellipsis">{hostOf(line)}</span>
  ));
  const where = hosts.length > 1 ? [host, CPU] : [CPU];
  return [timeColumn(style), AFTER, ...where, ...threadColumns(rows), ...DETAILS];
}

export function withTimeBetween(lines: readonly EventRow[]): readonly ListedEvent[] {
  return lines.map((line, i) => ({
    ...line,
    afterNs: i > 0 ? line.timeNs - lines[i - 1].timeNs : undefined,
  }));
}

/** Fields as text, with known meanings in place of numbers. */
function Fields({ event, texts }: { readonly event: string; readonly texts: readonly string[] }) {
  const meant = (field: string, integer: string) => shortMeaning(event, field, integer);
  const text = texts.map((one) => fieldsText(one, meant)).join(' ');
  return (
    <span class="mono ellipsis" title={visibleText(text)}>
      {visibleText(text)}
    </span>
  );
}
