/** Tables of system calls, by call, by thread and by both. */
import { count, DISTRIBUTION, distribution, duration, host, name, picture, tid } from '../columns.ts';
import type { Details, StatColumn, StatTable, StatisticTables } from '../columns.ts';
import { CAUSES } from '../../../linux/events/values.ts';
import type { CallsRequest, CallStat, CallStats } from '../../../protocol/statistics.ts';

const SUMS = { ...DISTRIBUTION, blocked: 'blocked ns', failed: 'failed' };

const details: Details<CallStats, CallStat> = {
  longest: 'Longest calls',
  parts: [{ title: 'Entry to return', colour: 'st-kernel', stat: ({ durations }) => durations }],
  areCalls: true,
  title: ({ call }) => call,
  thread: (stat) => (stat.row === undefined ? undefined : stat),
};

const table: Omit<StatTable<CallStats, CallStat>, 'columns' | 'list' | 'by'> = {
  ...{ title: 'System calls', noun: 'call' },
  size: ({ calls }) => calls.length,
  keyOf: ({ row, call }) => `${row ?? ''} ${call}`,
  rowOf: ({ row }) => row,
  details,
  compare: (a, b) => b.durations.totalNs - a.durations.totalNs || b.durations.count - a.durations.count,
  json: ({ call, row, name, pid, durations, errors, blockedNs }) => ({
    ...(call === '' ? {} : { call }),
    ...(row === undefined ? {} : { row, name, pid }),
    ...durations,
    failed: failedOf(errors),
    errors,
    blocked: Object.fromEntries(
      CAUSES.map((cause, i) => [cause, blockedNs[i]]).filter(([, ns]) => Number(ns) > 0),
    ),
  }),
};
const call = name<CallStat>('Call', (row) => row.call, { id: 'call' });
const thread = [name<CallStat>('Thread', (row) => row.name), tid<CallStat>(), host<CallStat>()];

const { mean, p50, p95, p99, max } = distribution<CallStat>('84px', ({ durations }) => durations);
const sums: readonly StatColumn<CallStat>[] = [
  count('count', 'Calls', ({ durations }) => durations.count, { width: '64px' }),
  count('failed', 'Failed', ({ errors }) => failedOf(errors), {
    width: '56px',
    errors: ({ errors }) => errors,
  }),
  duration('total', 'Took', ({ durations }) => durations.totalNs, {
    width: 'minmax(112px, 168px)',
    bar: 'st-kernel',
  }),
  picture(
    'blocked',
    'Blocked on',
    ({ blockedNs, durations }) => ({ causes: blockedNs, total: durations.totalNs }),
    {
      about: 'How much of the time the thread was blocked, and by what',
      copyTitle: 'Blocked, ns',
      width: 'minmax(72px, 1fr)',
      value: ({ blockedNs }) => blockedNs.reduce((sum, ns) => sum + ns, 0),
    },
  ),
  ...[mean, p50, p95, { ...p99, wide: true }, max],
];

export const calls: StatisticTables<CallStats, CallsRequest> = {
  title: 'System calls',
  essential: ['switch', 'syscall-entry', 'syscall-exit'],
  choice: { name: 'system-calls', label: 'System calls by' },
  kept: ['states', 'call-failures'],
  order: { column: 'total', descending: true },
  empty: 'No system call returned in this time.',
  knownBy: 'System calls are known by the events of their entry and exit.',
  tables: [
    {
      ...{ ...table, list: 'calls', by: 'call' },
      columns: () => [call, ...sums],
      printed: { ...SUMS, call: 'call' },
      chosenBy: 'one',
    } satisfies StatTable<CallStats, CallStat>,
    {
      ...{ ...table, list: 'threads', by: 'thread' },
      columns: () => [...thread, ...sums],
      printed: { ...SUMS, tid: 'thread', name: 'name' },
      chosenBy: 'thread',
    } satisfies StatTable<CallStats, CallStat>,
    {
      ...{ ...table, list: 'pairs', by: 'both', request: { withPairs: true } },
      columns: () => [...thread, call, ...sums],
      chosenBy: 'thread',
    } satisfies StatTable<CallStats, CallStat>,
    { by: 'each', each: 'syscalls' },
  ],
};

function failedOf(errors: CallStat['errors']): number {
  return errors.reduce((sum, { count }) => sum + count, 0);
}
