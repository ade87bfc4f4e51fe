/** Statistics: who was on which CPU for how long, by thread, process, program or CPU. */
import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { CpuStat, CpuStats } from '../../engine/protocol/statistics.ts';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { plural, visibleText } from '../format/text.ts';
import { useApp } from '../context/app-context.ts';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { isOver } from '../opening/reading.ts';
import { PartsBar } from '../widgets/table/bars.tsx';
import type { Column } from '../widgets/table/column.ts';
import { blockedParts, stateParts } from '../widgets/table/state-parts.ts';
import {
  busyOf,
  cpuParts,
  processUsage,
  programUsage,
  threadUsage,
  timeOf,
  type Usage,
} from './cpu-usage.ts';
import {
  barred,
  explained,
  hostColumns,
  msColumn,
  nameCell,
  numberColumn,
  shareColumn,
  tidColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { SectionProps } from './statistic-section.tsx';

type By = 'thread' | 'process' | 'program' | 'cpu';

const CHOICES: readonly { readonly id: By; readonly title: string }[] = [
  { id: 'thread', title: 'Thread' },
  { id: 'process', title: 'Process' },
  { id: 'program', title: 'Program' },
  { id: 'cpu', title: 'CPU' },
];
const MANY_WORDS = { thread: 'threads', process: 'processes', program: 'programs' } as const;
const BY_TIME = { column: 'on-cpu', descending: true };

export function CpuTime({ stats, info, scope, view }: SectionProps<CpuStats>) {
  const selected = view.focusedRow.value;
  const by = useChoice('cpu-time.by', CHOICES);
  const caused = useWithCauses(stats, info);
  const threads = useComputed(() => caused.value && threadUsage(caused.value));
  const processes = useComputed(() => caused.value && processUsage(caused.value));
  const programs = useComputed(() => caused.value && programUsage(caused.value));
  const cpus = useComputed(() => stats.value?.cpus);
  const choice = <Segmented label="CPU time by" options={CHOICES} chosen={by.value} onChoose={by.choose} />;
  const common = { order: BY_TIME, empty: 'No thread ran in this time.' };
  if (by.value === 'cpu') {
    return (
      <StatTable
        key="cpu"
        title="CPU time by CPU"
        scope={`${scope}, ${plural(cpus.value?.length ?? 0, 'CPU')}`}
        columns={cpuColumns(cpus.value ?? [], info)}
        rows={cpus}
        keyOf={(row) => row.row}
        rowOf={(row) => row.row}
        onActivate={(row) => view.show(row.row)}
        isSelected={(row) => row.row === selected}
        {...common}
      >
        {choice}
      </StatTable>
    );
  }
  const rows = { thread: threads, process: processes, program: programs }[by.value];
  return (
    <StatTable
      key={by.value}
      title={`CPU time by ${by.value}`}
      scope={`${scope}, ${plural(rows.value?.length ?? 0, by.value, MANY_WORDS[by.value])}`}
      columns={usageColumns(rows.value ?? [], by.value, info, isWhole(stats.value, info))}
      rows={rows}
      keyOf={(row) => row.row}
      rowOf={(row) => row.row}
      onActivate={(row) => view.show(row.row)}
      isSelected={(row) => row.row === selected}
      {...common}
    >
      {choice}
    </StatTable>
  );
}

/** The statistics; when all is read, some moments later with the causes of blocked time, which take longer. */
function useWithCauses(
  stats: SectionProps<CpuStats>['stats'],
  info: ExperimentInfo,
): SectionProps<CpuStats>['stats'] {
  const { session, experiment } = useApp();
  const isRead = useComputed(() => isOver(experiment.progress.value));
  const answer = useLiveAnswer(
    () => (isRead.value ? stats.value : undefined),
    async (of, signal) => {
      if (of === undefined) return undefined;
      const range = isWhole(of, info) ? undefined : { from: of.from, to: of.to };
      return { of, stats: await session.ask('cpu', { range, withCauses: true }, { signal }) };
    },
  );
  return useComputed(() => (answer.value?.of === stats.value ? answer.value?.stats : stats.value));
}

function isWhole(stats: CpuStats | undefined, { lengthNs }: ExperimentInfo): boolean {
  return stats === undefined || (stats.from <= 0 && stats.to >= lengthNs);
}

/** @param whole of the whole trace: migrations of a range are not known */
function usageColumns(
  rows: readonly Usage[],
  by: Exclude<By, 'cpu'>,
  info: ExperimentInfo,
  whole: boolean,
): readonly Column<Usage>[] {
  const migrations = explained(
    'How often it was moved to another CPU',
    wide(numberColumn<Usage>('migrations', 'Migrations', '84px', (row) => row.migrations)),
  );
  return [
    nameCell({ thread: 'Thread', process: 'Process', program: 'Program' }[by], (row) =>
      visibleText(row.name),
    ),
    {
      thread: tidColumn<Usage>(({ row, id }) => ({ row, tid: id })),
      process: numberColumn<Usage>('tid', 'pid', '56px', (row) => row.id, true),
      program: numberColumn<Usage>('processes', 'Processes', '76px', (row) => row.id),
    }[by],
    ...hostColumns<Usage>(info, (row) => row.host),
    barred(
      rows,
      () => 'var(--st-user)',
      msColumn('on-cpu', 'On CPU, ms', 'minmax(132px, 168px)', (row) => row.onCpu),
    ),
    shareColumn(info.hosts.length > 1 ? 'of its host' : 'of the CPUs', '80px', (row) => row.share),
    statesColumn((row) => <PartsBar parts={stateParts(row.states, row.causes)} total={row.total} />),
    ...runningColumns<Usage>(),
    explained(
      'On a CPU, which handled an interrupt meanwhile',
      msColumn('interrupted', 'Interrupted', '88px', (row) => row.interrupted),
    ),
    explained(
      'Ready to run, waiting for a CPU',
      msColumn('runnable', 'Runnable', '76px', (row) => row.runnable),
    ),
    explained('Waiting for a thread, a timer, a device or a lock', wide(blockedColumn())),
    ...(whole ? [migrations] : []),
  ];
}

/** With a line below the number: the part of each cause. */
function blockedColumn(): Column<Usage> {
  const column = msColumn<Usage>('blocked', 'Blocked', '92px', (row) => row.blocked);
  return {
    ...column,
    cell: (row) => (
      <span class="blocked-cell">
        {column.cell(row)}
        {row.causes && row.blocked > 0 && <PartsBar parts={blockedParts(row.causes)} total={row.blocked} />}
      </span>
    ),
  };
}

function cpuColumns(rows: readonly CpuStat[], info: ExperimentInfo): readonly Column<CpuStat>[] {
  return [
    nameCell(
      'CPU',
      (row) => `CPU ${row.cpu}`,
      (row) => row.cpu,
    ),
    ...hostColumns<CpuStat>(info, (row) => row.host),
    barred(rows, () => 'var(--st-kernel)', msColumn('on-cpu', 'Busy, ms', 'minmax(132px, 168px)', busyOf)),
    shareColumn('of the time', '80px', (row) => busyOf(row) / Math.max(1, timeOf(row))),
    statesColumn((row) => <PartsBar parts={cpuParts(row)} total={timeOf(row)} />),
    ...runningColumns<CpuStat>(),
    msColumn('hardirq', 'Hard irq', '80px', (row) => row.hardirq),
    msColumn('softirq', 'Soft irq', '80px', (row) => row.softirq),
    msColumn('timer', 'Timer irq', '80px', (row) => row.timer),
    wide(msColumn('idle', 'Idle', '92px', (row) => row.idle)),
    wide(msColumn('unknown', 'Unknown', '84px', (row) => row.unknown)),
  ];
}

function statesColumn<Row>(bar: (row: Row) => ComponentChildren): Column<Row> {
  return {
    id: 'states',
    title: 'States',
    width: 'minmax(88px, 2fr)',
    numeric: false,
    sortable: false,
    value: () => '',
    cell: bar,
  };
}

/** What threads and CPUs both do. */
function runningColumns<Row extends Pick<CpuStat, 'user' | 'kernel'>>(): readonly Column<Row>[] {
  return [
    explained(
      'Running code of programs',
      msColumn('user', 'User', '76px', (row) => row.user),
    ),
    explained(
      'Running in the kernel, for instance in a system call',
      msColumn('kernel', 'Kernel', '76px', (row) => row.kernel),
    ),
  ];
}
