/** Statistics: who was on which CPU for how long, by thread, process or CPU. */
import { useComputed, useSignal, type ReadonlySignal } from '@preact/signals';
import type { CpuStats, ExperimentInfo } from '../../workers/session-api.ts';
import { Segmented } from '../controls/segmented.tsx';
import { formatMs, formatShare } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { CellBar, PartsBar } from '../table/bars.tsx';
import type { Column } from '../table/column.ts';
import { cpuParts, processUsage, threadUsage, usageParts, type CpuUsage, type Usage } from './cpu-usage.ts';
import { explained, msColumn, nameCell, numberColumn, textColumn } from './stat-columns.tsx';
import { StatTable } from './stat-table.tsx';

type By = 'thread' | 'process' | 'cpu';

const CHOICES: readonly { readonly id: By; readonly title: string }[] = [
  { id: 'thread', title: 'Thread' },
  { id: 'process', title: 'Process' },
  { id: 'cpu', title: 'CPU' },
];
const BY_TIME = { column: 'on-cpu', descending: true };

interface CpuTimeProps {
  readonly stats: ReadonlySignal<CpuStats | undefined>;
  readonly info: ExperimentInfo;
  /** "whole trace" or the range. */
  readonly scope: string;
  /** Id of the row selected on the timeline. */
  readonly selectedRow: string | undefined;
  onShow(row: string): void;
}

export function CpuTime({ stats, info, scope, selectedRow, onShow }: CpuTimeProps) {
  const by = useSignal<By>('thread');
  const threads = useComputed(() => stats.value && threadUsage(stats.value, info));
  const processes = useComputed(() => stats.value && processUsage(stats.value, info));
  const cpus = useComputed(() =>
    stats.value?.cpus.map((cpu) => ({ ...cpu, hostName: hostName(info, cpu.host) })),
  );
  const choice = (
    <Segmented label="CPU time by" options={CHOICES} chosen={by.value} onChoose={(id) => (by.value = id)} />
  );
  const several = info.hosts.length > 1;
  const common = { order: BY_TIME, empty: 'No thread ran in this time.' };
  if (by.value === 'cpu') {
    return (
      <StatTable
        key="cpu"
        title="CPU time by CPU"
        scope={`${scope}, ${plural(cpus.value?.length ?? 0, 'CPU')}`}
        columns={cpuColumns(cpus.value ?? [], several)}
        rows={cpus}
        keyOf={(row) => row.row}
        onActivate={(row) => onShow(row.row)}
        isSelected={(row) => row.row === selectedRow}
        {...common}
      >
        {choice}
      </StatTable>
    );
  }
  const rows = by.value === 'thread' ? threads : processes;
  return (
    <StatTable
      key={by.value}
      title={by.value === 'thread' ? 'CPU time by thread' : 'CPU time by process'}
      scope={`${scope}, ${plural(rows.value?.length ?? 0, by.value, by.value === 'thread' ? 'threads' : 'processes')}`}
      columns={usageColumns(rows.value ?? [], by.value, several)}
      rows={rows}
      keyOf={(row) => row.row}
      onActivate={(row) => onShow(row.row)}
      isSelected={(row) => row.row === selectedRow}
      {...common}
    >
      {choice}
    </StatTable>
  );
}

function usageColumns(rows: readonly Usage[], by: By, several: boolean): readonly Column<Usage>[] {
  const most = rows.reduce((longest, row) => Math.max(longest, row.onCpu), 1);
  const host = several ? [textColumn<Usage>('host', 'Host', '88px', (row) => row.hostName)] : [];
  return [
    nameCell<Usage>(by === 'thread' ? 'Thread' : 'Process', (row) => visibleText(row.name)),
    numberColumn<Usage>('tid', by === 'thread' ? 'tid' : 'pid', '56px', (row) => row.id, true),
    ...host,
    {
      ...msColumn<Usage>('on-cpu', 'On CPU, ms', 'minmax(132px, 168px)', (row) => row.onCpu),
      cell: (row) => <CellBar share={row.onCpu / most} colour="var(--st-user)" text={formatMs(row.onCpu)} />,
    },
    {
      id: 'share',
      title: several ? 'of its host' : 'of the CPUs',
      width: '80px',
      numeric: true,
      value: (row) => row.share,
      cell: (row) => formatShare(row.share),
    },
    {
      id: 'states',
      title: 'States',
      width: 'minmax(88px, 2fr)',
      numeric: false,
      sortable: false,
      value: () => '',
      cell: (row) => <PartsBar parts={usageParts(row)} total={row.total} />,
    },
    explained(
      'Running code of programs',
      msColumn('user', 'User', '76px', (row) => row.user),
    ),
    explained(
      'Running in the kernel, for instance in a system call',
      msColumn('kernel', 'Kernel', '76px', (row) => row.kernel),
    ),
    explained(
      'On a CPU, which handled an interrupt meanwhile',
      msColumn('interrupted', 'Interrupted', '88px', (row) => row.interrupted),
    ),
    explained(
      'Ready to run, waiting for a CPU',
      msColumn('runnable', 'Runnable', '76px', (row) => row.runnable),
    ),
    explained('Waiting for a thread, a timer, a device or a lock', {
      ...msColumn<Usage>('blocked', 'Blocked', '92px', (row) => row.blocked),
      wideOnly: true,
    }),
    explained('How often it was moved to another CPU', {
      ...numberColumn<Usage>('migrations', 'Migrations', '84px', (row) => row.migrations),
      wideOnly: true,
    }),
  ];
}

function cpuColumns(rows: readonly CpuUsage[], several: boolean): readonly Column<CpuUsage>[] {
  const busy = (row: CpuUsage) => row.user + row.kernel + row.hardirq + row.softirq + row.timer;
  const total = (row: CpuUsage) => busy(row) + row.idle + row.unknown;
  const most = Math.max(1, ...rows.map(busy));
  const host = several ? [textColumn<CpuUsage>('host', 'Host', '88px', (row) => row.hostName)] : [];
  return [
    nameCell<CpuUsage>(
      'CPU',
      (row) => `CPU ${row.cpu}`,
      (row) => row.cpu,
    ),
    ...host,
    {
      ...msColumn<CpuUsage>('on-cpu', 'Busy, ms', 'minmax(132px, 168px)', busy),
      cell: (row) => (
        <CellBar share={busy(row) / most} colour="var(--st-kernel)" text={formatMs(busy(row))} />
      ),
    },
    {
      id: 'share',
      title: 'of the time',
      width: '80px',
      numeric: true,
      value: (row) => busy(row) / Math.max(1, total(row)),
      cell: (row) => formatShare(busy(row) / Math.max(1, total(row))),
    },
    {
      id: 'states',
      title: 'States',
      width: 'minmax(88px, 2fr)',
      numeric: false,
      sortable: false,
      value: () => '',
      cell: (row) => <PartsBar parts={cpuParts(row)} total={total(row)} />,
    },
    explained(
      'Running code of programs',
      msColumn('user', 'User', '76px', (row) => row.user),
    ),
    explained(
      'Running in the kernel, for instance in a system call',
      msColumn('kernel', 'Kernel', '76px', (row) => row.kernel),
    ),
    msColumn('hardirq', 'Hard irq', '80px', (row) => row.hardirq),
    msColumn('softirq', 'Soft irq', '80px', (row) => row.softirq),
    msColumn('timer', 'Timer irq', '80px', (row) => row.timer),
    { ...msColumn<CpuUsage>('idle', 'Idle', '92px', (row) => row.idle), wideOnly: true },
    { ...msColumn<CpuUsage>('unknown', 'Unknown', '84px', (row) => row.unknown), wideOnly: true },
  ];
}

function hostName(info: ExperimentInfo, host: number): string {
  return info.hosts.find((h) => h.index === host)?.name ?? '';
}
