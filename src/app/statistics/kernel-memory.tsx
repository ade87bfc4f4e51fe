/** Statistics: the kernel's memory and page faults, by thread or by program. */
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { MemoryStat, MemoryStats, ProgramMemoryStat } from '../../engine/protocol/statistics.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { visibleText } from '../format/text.ts';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  bytesColumn,
  explained,
  hostColumns,
  nameCell,
  numberColumn,
  tidColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import type { SectionProps } from './statistic-section.tsx';
import { SumsTable } from './sums-table.tsx';

type By = 'thread' | 'program';

const CHOICES: readonly { readonly id: By; readonly title: string }[] = [
  { id: 'thread', title: 'Thread' },
  { id: 'program', title: 'Program' },
];
const BY_PAGES = { column: 'pages', descending: true };

export function KernelMemory({ stats, info, scope, view }: SectionProps<MemoryStats>) {
  const by = useChoice('kernel-memory.by', CHOICES);
  const selected = view.focusedRow.value;
  const table = {
    stats,
    scope,
    order: BY_PAGES,
    empty: 'No memory was allocated or freed in this time.',
    knownBy: "Memory is known by the events of the kernel's allocators.",
    note: "Not all of the kernel's memory is here.",
    children: <Segmented label="Memory by" options={CHOICES} chosen={by.value} onChoose={by.choose} />,
  };
  return by.value === 'thread' ? (
    <SumsTable
      key="thread"
      {...table}
      title="Kernel memory by thread"
      noun="thread"
      rowsOf={({ threads }) => threads}
      columnsOf={(threads) => [
        nameCell<MemoryStat>('Thread', ({ row, name }) =>
          row === undefined ? 'unknown' : visibleText(name),
        ),
        tidColumn<MemoryStat>((thread) => thread),
        ...columns(info, threads),
      ]}
      keyOf={({ host, row = '' }) => `${host} ${row}`}
      rowOf={({ row }) => row}
      onActivate={({ row }) => row !== undefined && view.show(row)}
      isSelected={({ row }) => row !== undefined && row === selected}
    />
  ) : (
    <SumsTable
      key="program"
      {...table}
      title="Kernel memory by program"
      noun="program"
      rowsOf={({ programs }) => programs}
      columnsOf={(programs) => [
        nameCell<ProgramMemoryStat>('Program', ({ name }) => visibleText(name) || 'unknown'),
        numberColumn<ProgramMemoryStat>('threads', 'Threads', '72px', (program) => program.threads),
        ...columns(info, programs),
      ]}
      keyOf={({ host, name }) => `${host} ${name}`}
    />
  );
}

/** The same of threads and programs. */
function columns<Row extends Omit<ProgramMemoryStat, 'threads' | 'name'>>(
  info: ExperimentInfo,
  rows: readonly Row[],
): readonly Column<Row>[] {
  const count = (id: string, title: string, value: (row: Row) => number) =>
    numberColumn<Row>(id, title, 'minmax(88px, 1fr)', value);
  return [
    ...hostColumns<Row>(info, ({ host }) => host),
    explained(
      'Pages that the thread allocated, in interrupts too that came while it ran',
      barred(
        rows,
        () => 'var(--st-kernel)',
        count('pages', 'Pages', (row) => row.allocatedPages),
      ),
    ),
    count('freed-pages', 'Freed', (row) => row.freedPages),
    explained(
      "Objects of the kernel's own, by kmalloc and from caches; those that are freed have no size",
      bytesColumn<Row>('bytes', 'In objects', (row) => row.objectBytes),
    ),
    wide(count('objects', 'Objects', (row) => row.allocatedObjects)),
    wide(count('freed-objects', 'Objects freed', (row) => row.freedObjects)),
    explained(
      'Page faults in user mode',
      count('user-faults', 'Faults', (row) => row.userFaults),
    ),
    explained(
      'Page faults in the kernel',
      count('kernel-faults', 'In kernel', (row) => row.kernelFaults),
    ),
  ];
}
