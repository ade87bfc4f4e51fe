/** Tables of the heap of programs, by thread, process and allocation site, with most unfreed bytes first. */
import { bytes, count, host, id, name, text, tid } from '../columns.ts';
import type { StatColumn, StatTable, StatisticTables } from '../columns.ts';
import type * as protocol from '../../../protocol/statistics.ts';

const SUMS = {
  ...{ allocations: 'allocated', 'allocated-bytes': 'bytes', frees: 'freed', 'freed-bytes': 'bytes' },
  ...{ left: 'left', 'left-bytes': 'bytes', 'unknown-frees': 'unknown frees', failures: 'failed' },
};
const NO_SITES =
  'Where the allocator was called is not recorded. Before the next recording: lttng add-context -u -t ip';

const threads: StatTable<protocol.HeapStats, protocol.ThreadHeapStat> = {
  ...{ list: 'threads', by: 'thread', title: 'Heap by thread', noun: 'thread' },
  keyOf: ({ host, row }) => `${host} ${row}`,
  rowOf: ({ row }) => row,
  columns: () => [name('Thread', ({ name }) => name || 'unknown'), tid(), ...sums<protocol.ThreadHeapStat>()],
  printed: { ...SUMS, tid: 'thread', name: 'name' },
  chosenBy: 'thread',
  compare,
  json: ({ row, host, ...stat }) => ({ row, host, ...stat }),
};

const processes: StatTable<protocol.HeapStats, protocol.ProcessHeapStat> = {
  ...{ list: 'processes', by: 'process', title: 'Heap by process', noun: 'process' },
  keyOf: ({ host, pid }) => `${host} ${pid}`,
  columns: () => [
    name('Process', ({ name }) => name || 'unknown'),
    id('pid', 'pid', ({ pid }) => pid),
    bytes('in-use', 'In use', ({ inUse }) => inUse, { drawn: false }),
    ...sums<protocol.ProcessHeapStat>(
      bytes('peak', 'Peak', ({ peak }) => peak, {
        about: 'Most bytes in use at once, of what was allocated in the trace',
      }),
    ),
  ],
  printed: { ...SUMS, 'in-use': 'in use', peak: 'peak', pid: 'pid', name: 'process' },
  chosenBy: 'whole',
  compare,
};

const sites: StatTable<protocol.HeapStats, protocol.SiteHeapStat> = {
  ...{ list: 'sites', by: 'site', choice: 'Call site', title: 'Heap by call site', noun: 'call site' },
  empty: ({ threads }) => (threads.length > 0 ? NO_SITES : undefined),
  keyOf: ({ host, pid, name, line }) => `${host} ${pid} ${name} ${line}`,
  columns: () => [
    name('Call site', ({ name }) => name),
    text('process', 'Process', ({ process, pid }) => `${process} ${pid}`.trim(), { width: '120px' }),
    id('pid', 'pid', ({ pid }) => pid, { drawn: false }),
    text('line', 'Line', ({ line }) => line, { width: '120px' }),
    ...sums<protocol.SiteHeapStat>(),
  ],
  printed: { ...SUMS, pid: 'pid', name: 'site', line: 'line' },
  chosenBy: 'whole',
  compare,
};

export const heap: StatisticTables<protocol.HeapStats> = {
  title: 'Heap',
  essential: ['heap-alloc', 'heap-free'],
  choice: { name: 'heap', label: 'Heap by' },
  choices: ['process', 'thread', 'site'],
  kept: [],
  withoutKernel: true,
  order: { column: 'left-bytes', descending: true },
  empty: 'No program allocated or freed memory in this time.',
  knownBy:
    'The heap of a program is known by its calls of the allocator, recorded while it runs with LD_PRELOAD=liblttng-ust-libc-wrapper.so.',
  note: 'Not all calls of the allocator are here.',
  remark: ({ unplaced }) => ({
    events: unplaced,
    shown: 'tell no process or address and are not counted. Contexts vpid and vtid say the process.',
    printed: 'without process or address',
  }),
  tables: [threads, processes, sites],
};

/** @param more columns that only processes have */
function sums<Row extends protocol.HeapStat & { readonly host: number }>(
  ...more: readonly StatColumn<Row>[]
): readonly StatColumn<Row>[] {
  return [
    host(),
    bytes('left-bytes', 'Not freed', ({ leftBytes }) => leftBytes, {
      about:
        'Allocated in this time and not freed before its end: a leak, where the program has no more use for it',
      bar: 'st-blocked',
    }),
    count('left', 'Blocks', ({ left }) => left),
    ...more,
    bytes('allocated-bytes', 'Allocated', ({ allocatedBytes }) => allocatedBytes),
    count('allocations', 'Allocations', ({ allocations }) => allocations, { wide: true }),
    bytes('freed-bytes', 'Freed', ({ freedBytes }) => freedBytes),
    count('frees', 'Frees', ({ frees }) => frees, { wide: true }),
    count('unknown-frees', 'Unknown', ({ unknownFrees }) => unknownFrees, {
      about: 'Frees of blocks whose allocation was not seen: it came before the trace, or was lost',
      wide: true,
    }),
    count('failures', 'Failed', ({ failures }) => failures, { about: 'Allocations that failed', wide: true }),
  ];
}

/** Most unfreed bytes first, unknown ones last. */
function compare(a: protocol.HeapStat, b: protocol.HeapStat): number {
  const left = (stat: protocol.HeapStat) => (Number.isNaN(stat.leftBytes) ? -1 : stat.leftBytes);
  return left(b) - left(a) || b.allocatedBytes - a.allocatedBytes || b.allocations - a.allocations;
}
