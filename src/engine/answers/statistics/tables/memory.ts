/** Tables of the kernel's memory and page faults, by thread and by program. */
import { bytes, count, host, name, tid } from '../columns.ts';
import type { StatColumn, StatTable, StatisticTables } from '../columns.ts';
import type { MemoryStat, MemoryStats, ProgramMemoryStat } from '../../../protocol/statistics.ts';

type Sums = Omit<ProgramMemoryStat, 'name' | 'threads'>;

const SUMS = {
  ...{ pages: 'pages', 'freed-pages': 'freed', objects: 'objects', bytes: 'bytes', 'freed-objects': 'freed' },
  ...{ 'user-faults': 'user faults', 'kernel-faults': 'kernel faults' },
};

const threads: StatTable<MemoryStats, MemoryStat> = {
  ...{ list: 'threads', by: 'thread', title: 'Kernel memory by thread', noun: 'thread' },
  keyOf: ({ host, row = '' }) => `${host} ${row}`,
  rowOf: ({ row }) => row,
  columns: () => [
    name('Thread', ({ row, name }) => (row === undefined ? 'unknown' : name), {
      printed: ({ name }) => name,
    }),
    tid(),
    ...sums<MemoryStat>(),
  ],
  printed: { ...SUMS, tid: 'thread', name: 'name' },
  chosenBy: 'thread',
  compare,
};

const programs: StatTable<MemoryStats, ProgramMemoryStat> = {
  ...{ list: 'programs', by: 'program', title: 'Kernel memory by program', noun: 'program' },
  keyOf: ({ host, name }) => `${host} ${name}`,
  columns: () => [
    name('Program', ({ name }) => name || 'unknown'),
    count('threads', 'Threads', ({ threads }) => threads, { width: '72px' }),
    ...sums<ProgramMemoryStat>(),
  ],
  printed: { ...SUMS, threads: 'threads', name: 'program' },
  chosenBy: 'whole',
  compare,
};

export const memory: StatisticTables<MemoryStats> = {
  title: 'Kernel memory',
  essential: ['switch', 'page-alloc', 'page-free'],
  choice: { name: 'kernel-memory', label: 'Memory by' },
  kept: ['states', 'memory'],
  order: { column: 'pages', descending: true },
  empty: 'No memory was allocated or freed in this time.',
  knownBy: "Memory is known by the events of the kernel's allocators.",
  note: "Not all of the kernel's memory is here.",
  tables: [threads, programs],
};

function sums<Row extends Sums>(): readonly StatColumn<Row>[] {
  const sum = { width: 'minmax(88px, 1fr)', adds: true };
  return [
    host(),
    count('pages', 'Pages', (row) => row.allocatedPages, {
      ...sum,
      about: 'Pages that the thread allocated, in interrupts too that came while it ran',
      bar: 'st-kernel',
    }),
    count('freed-pages', 'Freed', (row) => row.freedPages, sum),
    bytes('bytes', 'In objects', (row) => row.objectBytes, {
      about: "Objects of the kernel's own, by kmalloc and from caches; those that are freed have no size",
      adds: true,
    }),
    count('objects', 'Objects', (row) => row.allocatedObjects, { ...sum, wide: true }),
    count('freed-objects', 'Objects freed', (row) => row.freedObjects, { ...sum, wide: true }),
    count('user-faults', 'Faults', (row) => row.userFaults, { ...sum, about: 'Page faults in user mode' }),
    count('kernel-faults', 'In kernel', (row) => row.kernelFaults, {
      ...sum,
      about: 'Page faults in the kernel',
    }),
  ];
}

/** Most pages first. */
function compare(a: Sums, b: Sums): number {
  return b.allocatedPages - a.allocatedPages || b.freedPages - a.freedPages || b.objectBytes - a.objectBytes;
}
