/** Table of events by kind, with their bytes in the trace. */
import { compare } from '../../../base/compare.ts';
import { bytes, count, name, share, text, time, type StatTable, type StatisticTables } from '../columns.ts';
import type { CountStat, CountStats } from '../../../protocol/statistics.ts';

const events: StatTable<CountStats, CountStat> = {
  ...{ list: 'events', title: 'Event counts', noun: 'event' },
  size: (_, rows) => rows.reduce((sum, row) => sum + row.count, 0),
  isSizeBound: true,
  keyOf: ({ domain, name }) => `${domain} ${name}`,
  columns({ rows, isApproximate }) {
    const events = rows.reduce((sum, row) => sum + row.count, 0);
    const all = rows.reduce((sum, row) => sum + row.bytes, 0);
    const sign = isApproximate ? '≈ ' : '';
    return [
      name('Event', (row) => row.name),
      text('domain', 'Domain', (row) => row.domain, { width: '96px' }),
      count('count', 'Events', (row) => row.count, { width: 'minmax(168px, 1fr)', bar: 'c-density', sign }),
      share('share', 'of all', (row) => row.count / Math.max(1, events)),
      bytes('bytes', 'Bytes', (row) => row.bytes, {
        about: 'In the trace, with the headers of the events',
        sign,
      }),
      share('bytes-share', 'of the bytes', (row) => row.bytes / Math.max(1, all), {
        width: '96px',
        wide: true,
      }),
      time('first', 'First', (row) => row.firstNs),
      time('last', 'Last', (row) => row.lastNs),
    ];
  },
  printed: { count: 'events', bytes: 'bytes', name: 'name' },
  chosenBy: 'name',
  compare: (a, b) => b.count - a.count || compare(a.name, b.name),
  json: ({ name, count, bytes, firstNs, lastNs }) => ({ name, count, bytes, firstNs, lastNs }),
};

export const counts: StatisticTables<CountStats> = {
  title: 'Event counts',
  essential: [],
  kept: ['counts'],
  withoutKernel: true,
  order: { column: 'count', descending: true },
  empty: 'No event lies in this time.',
  tables: [events],
};
