/** Statistics: how many events of each kind there are, and what they take of the trace. */
import { useComputed } from '@preact/signals';
import type { CountStat, CountStats } from '../../engine/protocol/statistics.ts';
import { formatCount } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import type { Column } from '../widgets/table/column.ts';
import { exactTime, type TimeStyle } from '../timeline/timeline.tsx';
import {
  barred,
  bytesColumn,
  explained,
  nameCell,
  shareColumn,
  textColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { SectionProps } from './statistic-section.tsx';

const BY_COUNT = { column: 'count', descending: true };

export function EventCounts({ stats, scope, view }: SectionProps<CountStats>) {
  const rows = useComputed(() => stats.value?.events);
  const sum = rows.value?.reduce((events, row) => events + row.count, 0) ?? 0;
  const approximate = stats.value?.approximate ?? false;
  return (
    <StatTable
      title="Event counts"
      scope={`${scope}, ${approximate ? '≈ ' : ''}${plural(sum, 'event')}`}
      columns={columns(rows.value ?? [], sum, approximate, view.timeStyle.value)}
      rows={rows}
      order={BY_COUNT}
      empty="No event lies in this time."
      keyOf={(row) => `${row.domain} ${row.name}`}
    />
  );
}

function columns(
  rows: readonly CountStat[],
  sum: number,
  approximate: boolean,
  style: TimeStyle,
): readonly Column<CountStat>[] {
  const bytes = rows.reduce((all, row) => all + row.bytes, 0);
  const inTrace = bytesColumn<CountStat>('bytes', 'Bytes', (row) => row.bytes);
  const bytesShare = shareColumn<CountStat>('of the bytes', '96px', (row) => row.bytes / Math.max(1, bytes));
  const about = approximate ? '≈ ' : '';
  const time = (id: string, title: string, ns: (row: CountStat) => number): Column<CountStat> => ({
    id,
    title,
    width: '132px',
    numeric: true,
    wideOnly: true,
    value: ns,
    // Events of streams without a clock have no times.
    cell: (row) => <span class="mono">{Number.isNaN(ns(row)) ? '–' : exactTime(ns(row), style)}</span>,
  });
  return [
    nameCell<CountStat>('Event', (row) => visibleText(row.name)),
    textColumn('domain', 'Domain', '96px', (row) => row.domain),
    barred(rows, () => 'var(--c-density)', {
      id: 'count',
      title: 'Events',
      width: 'minmax(168px, 1fr)',
      numeric: true,
      value: (row) => row.count,
      cell: (row) => about + formatCount(row.count),
    }),
    shareColumn('of all', '80px', (row) => row.count / Math.max(1, sum)),
    explained('In the trace, with the headers of the events', {
      ...inTrace,
      cell: (row) => [about, inTrace.cell(row)],
    }),
    wide({ ...bytesShare, id: 'bytes-share' }),
    time('first', 'First', (row) => row.firstNs),
    time('last', 'Last', (row) => row.lastNs),
  ];
}
