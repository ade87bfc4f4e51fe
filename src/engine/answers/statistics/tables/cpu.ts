/** Tables of CPU time, by thread, process, program and CPU. */
import { count, host, id, ms, name, picture, share, tid } from '../columns.ts';
import type { StatColumn, StatTable, StatisticTables } from '../columns.ts';
import { busyOf, loadOf, processUsage, programUsage, threadUsage, timeOf, type Usage } from '../cpu-usage.ts';
import type { CpuRequest, CpuStat, CpuStats } from '../../../protocol/statistics.ts';

type UsageTable = StatTable<CpuStats, Usage>;

export const cpuThreads: UsageTable = {
  ...{ by: 'thread', title: 'CPU time by thread', noun: 'thread' },
  rows: threadUsage,
  ...usageTable('Thread', { ...tid<Usage & { readonly tid: number }>(), value: (row) => row.id }),
  printed: {
    ...{ user: 'user', kernel: 'kernel', guest: 'guest', running: 'running' },
    ...{ interrupted: 'interrupted', runs: 'runs' },
    ...{ tid: 'thread', name: 'name' },
  },
};

const processes: UsageTable = {
  ...{ by: 'process', title: 'CPU time by process', noun: 'process' },
  rows: processUsage,
  ...usageTable(
    'Process',
    id('tid', 'pid', (row) => row.id, { width: '56px' }),
  ),
};

const programs: UsageTable = {
  ...{ by: 'program', title: 'CPU time by program', noun: 'program' },
  rows: programUsage,
  ...usageTable(
    'Program',
    count('processes', 'Processes', (row) => row.id, { width: '76px' }),
  ),
};

export const cpus = {
  ...{ list: 'cpus', by: 'cpu', choice: 'CPU', title: 'CPU time by CPU', noun: 'CPU' },
  keyOf: ({ row }) => row,
  rowOf: ({ row }) => row,
  columns: ({ rows }) => [
    name('CPU', ({ cpu }) => cpu, { text: ({ cpu }) => `CPU ${cpu}`, hostOf: (row) => row.host }),
    host(),
    ms('on-cpu', 'Busy, ms', busyOf, { width: 'minmax(132px, 168px)', bar: 'st-kernel' }),
    share('share', 'of what is known', (row) => loadOf(row), { width: '112px' }),
    picture('states', 'States', (cpu) => ({ cpu, total: timeOf(cpu) }), {}),
    ...running<CpuStat>(rows),
    ms('hardirq', 'Hard irq', ({ hardirq }) => hardirq),
    ms('softirq', 'Soft irq', ({ softirq }) => softirq),
    ms('timer', 'Timer irq', ({ timer }) => timer),
    ms('idle', 'Idle', ({ idle }) => idle, { width: '92px', wide: true }),
    ms('unknown', 'Unknown', ({ unknown }) => unknown, { width: '84px', wide: true }),
    count('switches', 'Switches', ({ switches }) => switches, { drawn: false }),
  ],
  printed: {
    ...{ name: 'cpu', idle: 'idle', user: 'user', kernel: 'kernel', hardirq: 'hardirq', softirq: 'softirq' },
    ...{ timer: 'timer', unknown: 'unknown', guest: 'guest', running: 'running', switches: 'switches' },
  },
  json: ({ row: _, cpu, host, ...times }) => ({ cpu, host, ...times }),
} satisfies StatTable<CpuStats, CpuStat>;

export const cpu: StatisticTables<CpuStats, CpuRequest> = {
  title: 'CPU time',
  essential: ['switch'],
  choice: { name: 'cpu-time', label: 'CPU time by' },
  kept: ['states'],
  order: { column: 'on-cpu', descending: true },
  empty: 'No thread ran in this time.',
  note: 'Where no system calls are recorded, time of programs in the kernel counts as user time.',
  later: { withCauses: true },
  range: ({ from, to }) => ({ from, to }),
  tables: [cpuThreads, processes, programs, cpus],
};

/** @param number the column of the tid, the pid, or the number of processes */
function usageTable(title: string, number: StatColumn<Usage>) {
  return {
    keyOf: ({ row }) => row,
    rowOf: ({ row }) => row,
    columns: ({ hosts, isWhole, rows }) => [
      name(title, (row) => row.name),
      number,
      host(),
      ms('on-cpu', 'On CPU, ms', (row) => row.onCpu, { width: 'minmax(132px, 168px)', bar: 'st-user' }),
      share('share', hosts > 1 ? 'of its host' : 'of the CPUs', (row) => row.share, { wide: true }),
      picture('states', 'States', ({ states, causes, total }) => ({ states, causes, total }), { wide: true }),
      ...running<Usage>(rows),
      ms('interrupted', 'Interrupted', (row) => row.interrupted, {
        about: 'On a CPU, which handled an interrupt meanwhile',
        width: '88px',
      }),
      ms('runnable', 'Runnable', (row) => row.runnable, {
        about: 'Ready to run, waiting for a CPU',
        width: '76px',
      }),
      ms('blocked', 'Blocked', (row) => row.blocked, {
        about: 'Waiting for a thread, a timer, a device or a lock',
        width: '92px',
        picture: ({ causes, blocked }) => ({ causes, total: blocked }),
      }),
      count('migrations', 'Migrations', (row) => row.migrations, {
        about: 'How often it was moved to another CPU',
        width: '84px',
        // Not known for a range.
        drawn: isWhole,
      }),
      count('runs', 'Runs', (row) => row.runs, { drawn: false }),
    ],
  } satisfies Partial<UsageTable>;
}

/** Columns that threads and CPUs share; rare ones are drawn only where a row has such time. */
function running<Row extends Pick<CpuStat, 'user' | 'kernel' | 'guest' | 'running'>>(
  rows: readonly Row[],
): readonly StatColumn<Row>[] {
  const width = '76px';
  return [
    ms('user', 'User', ({ user }) => user, { width, about: 'Running code of programs' }),
    ms('kernel', 'Kernel', ({ kernel }) => kernel, {
      width,
      about: 'Running in the kernel, for instance in a system call',
    }),
    ms('guest', 'Guest', ({ guest }) => guest, {
      width,
      about: 'Running the code of a virtual machine; Linux counts it as user time',
      drawn: rows.some(({ guest }) => guest > 0),
    }),
    ms('running', 'Mode not known', (row) => row.running, {
      width,
      about: 'Running, and nothing tells whether in user mode or in the kernel',
      drawn: rows.some((row) => row.running > 0),
    }),
  ];
}
