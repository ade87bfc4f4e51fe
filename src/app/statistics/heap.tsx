/** Statistics: the heap of programs, by thread, process and place that called the allocator: what was not freed first. */
import { useComputed } from '@preact/signals';
import type {
  ExperimentInfo,
  HeapStat,
  HeapStats,
  ProcessHeapStat,
  SiteHeapStat,
  ThreadHeapStat,
} from '../../workers/session-api.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { plural, visibleText } from '../format/text.ts';
import { MissingEvents, WithMissingNote } from '../opening/missing-events.tsx';
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
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { SectionProps } from './statistic-section.tsx';

type By = 'thread' | 'process' | 'site';

const CHOICES: readonly { readonly id: By; readonly title: string }[] = [
  { id: 'process', title: 'Process' },
  { id: 'thread', title: 'Thread' },
  { id: 'site', title: 'Call site' },
];
const BY_LEFT = { column: 'left-bytes', descending: true };
const EMPTY = 'No program allocated or freed memory in this time.';
const NO_SITES =
  'Where the allocator was called is not recorded. Before the next recording: lttng add-context -u -t ip';

export function Heap({ stats, info, scope, view }: SectionProps<HeapStats>) {
  const by = useChoice('heap.by', CHOICES);
  const threads = useComputed(() => stats.value?.threads);
  const processes = useComputed(() => stats.value?.processes);
  const sites = useComputed(() => stats.value?.sites);
  const selected = view.focusedRow.value;
  const told = stats.value;
  const missing = told?.missing ?? [];
  if (told !== undefined && told.threads.length === 0 && missing.length > 0)
    return (
      <MissingEvents
        missing={missing}
        what="The heap of a program is known by its calls of the allocator, recorded while it runs with LD_PRELOAD=liblttng-ust-libc-wrapper.so."
      />
    );
  const unplaced = told?.unplaced ?? 0;
  const choice = <Segmented label="Heap by" options={CHOICES} chosen={by.value} onChoose={by.choose} />;
  return (
    <WithMissingNote missing={missing} what="Not all calls of the allocator are here.">
      {by.value === 'thread' && (
        <StatTable
          key="thread"
          title="Heap by thread"
          scope={`${scope}, ${plural(told?.threads.length ?? 0, 'thread')}`}
          columns={[
            nameCell<ThreadHeapStat>('Thread', ({ name }) => visibleText(name) || 'unknown'),
            tidColumn<ThreadHeapStat>((thread) => thread),
            ...columns(info, told?.threads ?? []),
          ]}
          rows={threads}
          order={BY_LEFT}
          empty={EMPTY}
          keyOf={({ host, row }) => `${host} ${row}`}
          rowOf={({ row }) => row}
          onActivate={({ row }) => view.show(row)}
          isSelected={({ row }) => row === selected}
        >
          {choice}
        </StatTable>
      )}
      {by.value === 'process' && (
        <StatTable
          key="process"
          title="Heap by process"
          scope={`${scope}, ${plural(told?.processes.length ?? 0, 'process', 'processes')}`}
          columns={[
            nameCell<ProcessHeapStat>('Process', ({ name }) => visibleText(name) || 'unknown'),
            numberColumn<ProcessHeapStat>('pid', 'pid', '72px', ({ pid }) => pid, true),
            ...columns(info, told?.processes ?? [], [
              explained(
                'Most bytes in use at once, of what was allocated in the trace',
                knownBytes<ProcessHeapStat>('peak', 'Peak', ({ peak }) => peak),
              ),
            ]),
          ]}
          rows={processes}
          order={BY_LEFT}
          empty={EMPTY}
          keyOf={({ host, pid }) => `${host} ${pid}`}
        >
          {choice}
        </StatTable>
      )}
      {by.value === 'site' && (
        <StatTable
          key="site"
          title="Heap by call site"
          scope={`${scope}, ${plural(told?.sites.length ?? 0, 'call site')}`}
          columns={[
            nameCell<SiteHeapStat>('Call site', ({ name }) => visibleText(name)),
            textColumn<SiteHeapStat>('process', 'Process', '120px', ({ process, pid }) =>
              `${visibleText(process)} ${pid}`.trim(),
            ),
            textColumn<SiteHeapStat>('line', 'Line', '120px', ({ line }) => visibleText(line)),
            ...columns(info, told?.sites ?? []),
          ]}
          rows={sites}
          order={BY_LEFT}
          empty={told !== undefined && told.threads.length > 0 ? NO_SITES : EMPTY}
          keyOf={({ host, pid, name, line }) => `${host} ${pid} ${name} ${line}`}
        >
          {choice}
        </StatTable>
      )}
      {unplaced > 0 && (
        <p class="missing-note">
          {plural(unplaced, 'event')} tell no process or address and are not counted. Contexts vpid and vtid
          say the process.
        </p>
      )}
    </WithMissingNote>
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
