/** Tables of waits for a CPU, by thread and by priority. */
import { count, DISTRIBUTION, distribution, duration, host, id, name, tid, time } from '../columns.ts';
import type { Details, StatColumn, StatTable, StatisticTables } from '../columns.ts';
import { priorityWords } from '../../../words/thread-words.ts';
import type * as protocol from '../../../protocol/statistics.ts';

const WAITS = {
  ...DISTRIBUTION,
  ...{ 'preempted-count': 'preempted', preempted: 'total ns', 'preempted-max': 'max ns' },
};
const DETAILS = {
  longest: 'Longest waits',
  parts: [
    { title: 'Woken to running', colour: 'st-ready', stat: ({ woken }) => woken },
    { title: 'Preempted to running', colour: 'st-unknown', stat: ({ preempted }) => preempted },
  ],
} satisfies Partial<Details<protocol.SchedStats, protocol.SchedWaits>>;

const all = ({ woken, preempted }: protocol.SchedStats): protocol.SchedStat => {
  return { row: 'all', name: '', tid: -1, pid: -1, host: -1, woken, preempted };
};

const threads: StatTable<protocol.SchedStats, protocol.SchedStat> = {
  ...{ list: 'threads', by: 'thread', title: 'Scheduling latency', noun: 'thread' },
  keyOf: ({ row }) => row,
  rowOf: ({ row }) => row,
  details: { ...DETAILS, title: () => '', thread: (row) => row, all: { title: 'All threads', row: all } },
  columns: () => [name('Thread', (row) => row.name), tid(), host(), ...waits<protocol.SchedStat>()],
  printed: { ...WAITS, tid: 'thread', name: 'name' },
  first: all,
  chosenBy: 'thread',
  compare: (a, b) => b.woken.totalNs - a.woken.totalNs || a.host - b.host || a.tid - b.tid,
  json: ({ row, name, pid, woken, preempted }) => ({ row, name, pid, woken, preempted }),
};

const priorities: StatTable<protocol.SchedStats, protocol.SchedPriorityStat> = {
  list: 'priorities',
  ...{ by: 'priority', title: 'Scheduling latency by priority', noun: 'priority', nouns: 'priorities' },
  request: { withPriorities: true },
  order: { column: 'priority', descending: false },
  needsFiles: 'Priorities are read from the files of the trace. Open them again.',
  keyOf: ({ host, priority }) => `${host} ${priority}`,
  details: { ...DETAILS, title: (row) => `Priority ${priorityText(row)}` },
  columns: () => [
    name('Priority', ({ priority = NaN }) => priority, { id: 'priority', text: priorityText }),
    host(),
    count('threads', 'Threads', ({ threads }) => threads, {
      about: 'How many came to a CPU by it',
      width: '72px',
    }),
    ...waits<protocol.SchedPriorityStat>(),
  ],
  printed: { ...WAITS, threads: 'threads', priority: 'priority', host: 'host' },
};

const longest: StatTable<protocol.SchedStats, protocol.DurationMark> = {
  rows: ({ woken }) => woken.longest,
  caption: 'longest after a wake-up',
  columns: () => [
    id('ns', 'Waited', ({ ns }) => ns),
    time('from', 'From', ({ fromNs }) => fromNs),
    { ...tid<protocol.DurationMark & { readonly tid: number }>(), value: ({ ns }) => ns },
  ],
  printed: { ns: 'ns', from: 'from', tid: 'thread' },
};

export const sched: StatisticTables<protocol.SchedStats, protocol.SchedRequest> = {
  title: 'Scheduling latency',
  essential: ['switch', 'wakeup'],
  choice: { name: 'scheduling', label: 'Waits for a CPU by' },
  kept: ['states'],
  order: { column: 'total', descending: true },
  empty: 'No thread came to a CPU in this time.',
  knownBy: 'How long threads wait for a CPU follows from switches and wake-ups.',
  tables: [threads, priorities, { by: 'each', each: 'sched' }, longest],
};

function waits<Row extends protocol.SchedWaits>(): readonly StatColumn<Row>[] {
  const { mean, p50, p95, p99, max } = distribution<Row>('76px', ({ woken }) => woken);
  return [
    count('count', 'Wake-ups', ({ woken }) => woken.count, {
      about: 'How often something ended a wait of the thread',
      width: '72px',
    }),
    duration('total', 'Waited', ({ woken }) => woken.totalNs, {
      about: 'From being woken to running: the sum',
      width: 'minmax(120px, 168px)',
      bar: 'st-ready',
    }),
    ...[mean, p50, p95, p99, max],
    count('preempted-count', 'Preemptions', ({ preempted }) => preempted.count, { drawn: false }),
    duration('preempted', 'Preempted', ({ preempted }) => preempted.totalNs, {
      about: 'Ready to run after another thread took the CPU: the sum',
    }),
    duration('preempted-max', 'Longest preemption', ({ preempted }) => preempted.maxNs, { drawn: false }),
  ];
}

/** "20, nice 0". */
function priorityText({ priority }: protocol.SchedPriorityStat): string {
  if (priority === undefined) return 'unknown';
  const words = priorityWords(priority);
  return words === undefined ? String(priority) : `${priority}, ${words}`;
}
