/** Statistics: the heap of programs, by thread, process and place that called the allocator: what was not freed first. */
import type { ComponentProps } from 'preact';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type {
  HeapStat,
  HeapStats,
  ProcessHeapStat,
  SiteHeapStat,
  ThreadHeapStat,
} from '../../engine/protocol/statistics.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { plural, visibleText } from '../format/text.ts';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  bytesColumn,
  explained,
  hostColumns,
  nameCell,
  numberColumn,
  textColumn,
  tidColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import type { SectionProps } from './statistic-section.tsx';
import { SumsTable } from './sums-table.tsx';

type By = 'thread' | 'process' | 'site';

const CHOICES: readonly { readonly id: By; readonly title: string }[] = [
  { id: 'process', title: 'Process' },
  { id: 'thread', title: 'Thread' },
  { id: 'site', title: 'Call site' },
];
const BY_LEFT = { column: 'left-bytes', descending: true };
const NO_SITES =
  'Where the allocator was called is not recorded. Before the next recording: lttng add-context -u -t ip';

export function Heap(props: SectionProps<HeapStats>) {
  const { stats, scope } = props;
  const by = useChoice('heap.by', CHOICES);
  const unplaced = stats.value?.unplaced ?? 0;
  const table = {
    stats,
    scope,
    order: BY_LEFT,
    empty: 'No program allocated or freed memory in this time.',
    knownBy:
      'The heap of a program is known by its calls of the allocator, recorded while it runs with LD_PRELOAD=liblttng-ust-libc-wrapper.so.',
    note: 'Not all calls of the allocator are here.',
    children: <Segmented label="Heap by" options={CHOICES} chosen={by.value} onChoose={by.choose} />,
  };
  return (
    <>
      {by.value === 'thread' && <ByThread {...props} table={table} />}
      {by.value === 'process' && <ByProcess {...props} table={table} />}
      {by.value === 'site' && <BySite {...props} table={table} />}
      {unplaced > 0 && (
        <p class="missing-note">
          {plural(unplaced, 'event')} tell no process or address and are not counted. Contexts vpid and vtid
          say the process.
        </p>
      )}
    </>
  );
}

interface TableProps extends SectionProps<HeapStats> {
  /** What the tables have in common. */
  readonly table: Pick<
    ComponentProps<typeof SumsTable<HeapStats, HeapStat>>,
    'stats' | 'scope' | 'order' | 'empty' | 'knownBy' | 'note' | 'children'
  >;
}

function ByThread({ table, info, view }: TableProps) {
  const selected = view.focusedRow.value;
  return (
    <SumsTable
      {...table}
      title="Heap by thread"
      noun="thread"
      rowsOf={({ threads }) => threads}
      columnsOf={(threads) => [
        nameCell<ThreadHeapStat>('Thread', ({ name }) => visibleText(name) || 'unknown'),
        tidColumn<ThreadHeapStat>((thread) => thread),
        ...columns(info, threads),
      ]}
      keyOf={({ host, row }) => `${host} ${row}`}
      rowOf={({ row }) => row}
      onActivate={({ row }) => view.show(row)}
      isSelected={({ row }) => row === selected}
    />
  );
}

function ByProcess({ table, info }: TableProps) {
  const peak = explained(
    'Most bytes in use at once, of what was allocated in the trace',
    knownBytes<ProcessHeapStat>('peak', 'Peak', (process) => process.peak),
  );
  return (
    <SumsTable
      {...table}
      title="Heap by process"
      noun="process"
      rowsOf={({ processes }) => processes}
      columnsOf={(processes) => [
        nameCell<ProcessHeapStat>('Process', ({ name }) => visibleText(name) || 'unknown'),
        numberColumn<ProcessHeapStat>('pid', 'pid', '72px', ({ pid }) => pid, true),
        ...columns(info, processes, [peak]),
      ]}
      keyOf={({ host, pid }) => `${host} ${pid}`}
    />
  );
}

function BySite({ table, info }: TableProps) {
  const hasThreads = (table.stats.value?.threads.length ?? 0) > 0;
  return (
    <SumsTable
      {...table}
      title="Heap by call site"
      noun="call site"
      rowsOf={({ sites }) => sites}
      columnsOf={(sites) => [
        nameCell<SiteHeapStat>('Call site', ({ name }) => visibleText(name)),
        textColumn<SiteHeapStat>('process', 'Process', '120px', ({ process, pid }) =>
          `${visibleText(process)} ${pid}`.trim(),
        ),
        textColumn<SiteHeapStat>('line', 'Line', '120px', ({ line }) => visibleText(line)),
        ...columns(info, sites),
      ]}
      empty={hasThreads ? NO_SITES : table.empty}
      keyOf={({ host, pid, name, line }) => `${host} ${pid} ${name} ${line}`}
    />
  );
}

/** The same of threads, processes and call sites. */
function columns<Row extends HeapStat & { readonly host: number }>(
  info: ExperimentInfo,
  rows: readonly Row[],
  more: readonly Column<Row>[] = [],
): readonly Column<Row>[] {
  const count = (id: string, title: string, value: (row: Row) => number) =>
    known(numberColumn<Row>(id, title, 'minmax(80px, 1fr)', value));
  return [
    ...hostColumns<Row>(info, ({ host }) => host),
    explained(
      'Allocated in this time and not freed before its end: a leak, where the program has no more use for it',
      barred(
        rows,
        () => 'var(--st-blocked)',
        knownBytes<Row>('left-bytes', 'Not freed', ({ leftBytes }) => leftBytes),
      ),
    ),
    count('left', 'Blocks', ({ left }) => left),
    ...more,
    knownBytes<Row>('allocated-bytes', 'Allocated', ({ allocatedBytes }) => allocatedBytes),
    wide(count('allocations', 'Allocations', ({ allocations }) => allocations)),
    knownBytes<Row>('freed-bytes', 'Freed', ({ freedBytes }) => freedBytes),
    wide(count('frees', 'Frees', ({ frees }) => frees)),
    explained(
      'Frees of blocks whose allocation was not seen: it came before the trace, or was lost',
      wide(count('unknown-frees', 'Unknown', ({ unknownFrees }) => unknownFrees)),
    ),
    explained('Allocations that failed', wide(count('failures', 'Failed', ({ failures }) => failures))),
  ];
}

function knownBytes<Row>(id: string, title: string, bytes: (row: Row) => number): Column<Row> {
  return known(bytesColumn<Row>(id, title, bytes));
}

/** Says of numbers that are not known that they are not. */
function known<Row>(column: Column<Row>): Column<Row> {
  const cell = (row: Row) =>
    Number.isNaN(column.value(row)) ? (
      <span class="faint" title="Events were lost">
        unknown
      </span>
    ) : (
      column.cell(row)
    );
  return { ...column, cell };
}
