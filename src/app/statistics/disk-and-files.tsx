/** Statistics: what was read and written, by thread, file and disk, and each call and request by itself. */
import { useComputed } from '@preact/signals';
import type { DiskStat, FileIoStat, IoStats, ThreadIoStat } from '../../engine/protocol/statistics.ts';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { errorsText } from '../format/errno.ts';
import { plural, visibleText } from '../format/text.ts';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  bytesColumn,
  durationColumn,
  explained,
  hostColumns,
  msColumn,
  nameCell,
  numberColumn,
  shareColumn,
  textColumn,
  tidColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { EachTable } from './each-table.tsx';
import { showMark } from './show-mark.ts';
import type { SectionProps } from './statistic-section.tsx';

type By = 'thread' | 'file' | 'call' | 'disk' | 'request';

const CHOICES: readonly { readonly id: By; readonly title: string }[] = [
  { id: 'thread', title: 'Thread' },
  { id: 'file', title: 'File' },
  { id: 'call', title: 'Call' },
  { id: 'disk', title: 'Disk' },
  { id: 'request', title: 'Request' },
];
/** Files on disks and whatever else has a descriptor: pipes and sockets would hide them. */
const KINDS = [
  { id: 'file', title: 'Files' },
  { id: 'pipe', title: 'Pipes' },
  { id: 'socket', title: 'Sockets' },
  { id: 'all', title: 'All' },
] as const;
const SECTOR_BYTES = 512;
const BY_READ = { column: 'read', descending: true };
const BY_TIME = { column: 'time', descending: true };

export function DiskAndFiles({ stats, info, scope, view }: SectionProps<IoStats>) {
  const selected = view.focusedRow.value;
  const by = useChoice('disk-and-files.by', CHOICES);
  const threads = useComputed(() => stats.value?.threads);
  const kind = useChoice('disk-and-files.kind', KINDS);
  const files = useComputed(() => {
    return stats.value?.files.filter((file) => kind.value === 'all' || file.kind === kind.value);
  });
  const disks = useComputed(() => stats.value?.disks);
  const failed = failedText(stats.value?.errors ?? []);
  const choice = (
    <Segmented label="Input and output by" options={CHOICES} chosen={by.value} onChoose={by.choose} />
  );
  switch (by.value) {
    case 'thread':
      return (
        <StatTable
          key="thread"
          title="Read and written by thread"
          scope={`${scope}, ${plural(threads.value?.length ?? 0, 'thread')}${failed}`}
          columns={threadColumns(info, threads.value ?? [])}
          rows={threads}
          order={BY_READ}
          empty="No thread read or wrote in this time, or system calls were not recorded."
          keyOf={(row) => row.row}
          rowOf={(row) => row.row}
          onActivate={(row) => view.show(row.row)}
          isSelected={(row) => row.row === selected}
        >
          {choice}
        </StatTable>
      );
    case 'file':
      return (
        <StatTable
          key="file"
          title="Read and written by file"
          scope={`${scope}, ${plural(files.value?.length ?? 0, 'file')} of ${stats.value?.files.length ?? 0}${failed}`}
          columns={fileColumns(info, files.value ?? [], kind.value === 'all')}
          rows={files}
          order={BY_TIME}
          empty="Nothing of this kind was read or written in this time, or system calls were not recorded."
          keyOf={(row) => `${row.host} ${row.path}`}
          rowOf={(row) => row.time.longest?.row}
          onActivate={({ time: { longest } }) => longest && showMark(view, longest, true)}
        >
          <Segmented label="Kind" options={KINDS} chosen={kind.value} onChoose={kind.choose} />
          {choice}
        </StatTable>
      );
    case 'call':
      return (
        <EachTable key="io" of="io" view={view} info={info} scope={scope}>
          {choice}
        </EachTable>
      );
    case 'disk':
      return (
        <StatTable
          key="disk"
          title="Requests by disk"
          scope={`${scope}, ${plural(disks.value?.length ?? 0, 'disk')}`}
          columns={diskColumns(info, disks.value ?? [])}
          rows={disks}
          order={{ column: 'requests', descending: true }}
          empty="No request of a disk ended in this time, or block events were not recorded."
          keyOf={(row) => `${row.host} ${row.dev}`}
        >
          {choice}
        </StatTable>
      );
    case 'request':
      return (
        <EachTable key="requests" of="requests" view={view} info={info} scope={scope}>
          {choice}
        </EachTable>
      );
  }
}

/** Which errors the failed calls of all rows returned: ", failed: EAGAIN 12, EPIPE 1". */
function failedText(errors: IoStats['errors']): string {
  return errors.length === 0 ? '' : `, failed: ${errorsText(errors, ', ')}`;
}

function transferColumns<Row extends Pick<FileIoStat, 'read' | 'write' | 'sync'>>(): readonly Column<Row>[] {
  return [
    bytesColumn('read', 'Read', (row) => row.read.bytes),
    numberColumn('reads', 'Reads', 'minmax(60px, 1fr)', (row) => row.read.ops),
    bytesColumn('written', 'Written', (row) => row.write.bytes),
    numberColumn('writes', 'Writes', 'minmax(60px, 1fr)', (row) => row.write.ops),
    numberColumn(
      'errors',
      'Errors',
      'minmax(60px, 1fr)',
      (row) => row.read.errors + row.write.errors + row.sync.errors,
    ),
  ];
}

/** Time from entry to return of the reads, writes and syncs of a row. */
function callColumns<Row extends Pick<FileIoStat, 'time'>>(rows: readonly Row[]): readonly Column<Row>[] {
  const total = durationColumn<Row>('time', 'In calls', 'minmax(104px, 1fr)', (row) => row.time.totalNs);
  return [
    explained(
      'Time in reads, writes and syncs, from entry to return',
      barred(rows, () => 'var(--st-kernel)', total),
    ),
    wide(durationColumn('mean', 'Mean', '84px', (row) => row.time.meanNs)),
    durationColumn('longest', 'Longest', '84px', (row) => row.time.maxNs),
  ];
}

function threadColumns(
  info: ExperimentInfo | undefined,
  threads: readonly ThreadIoStat[],
): readonly Column<ThreadIoStat>[] {
  const disk = 'By requests that the thread gave to disks itself; what the kernel writes later counts there';
  return [
    nameCell('Thread', (row) => visibleText(row.name)),
    tidColumn<ThreadIoStat>((row) => row),
    ...hostColumns<ThreadIoStat>(info, (row) => row.host),
    ...callColumns(threads),
    ...transferColumns<ThreadIoStat>(),
    wide(
      explained(
        disk,
        bytesColumn('disk-read', 'From disk', (row) => row.disk.read),
      ),
    ),
    wide(
      explained(
        disk,
        bytesColumn('disk-written', 'To disk', (row) => row.disk.write),
      ),
    ),
  ];
}

function fileColumns(
  info: ExperimentInfo | undefined,
  files: readonly FileIoStat[],
  withKind: boolean,
): readonly Column<FileIoStat>[] {
  return [
    nameCell('File', (row) => visibleText(row.path), undefined, 'minmax(200px, 3fr)'),
    ...(withKind ? [textColumn<FileIoStat>('kind', 'Kind', '72px', (row) => row.kind)] : []),
    ...hostColumns<FileIoStat>(info, (row) => row.host),
    ...callColumns(files),
    ...transferColumns<FileIoStat>(),
    explained(
      'Calls that wait until what was written is on the disk: fsync and others',
      numberColumn('syncs', 'Syncs', 'minmax(56px, 1fr)', (row) => row.sync.ops),
    ),
  ];
}

/** Empty where no insertion of a request was seen, none where that is so of every disk. */
function queuedColumns(disks: readonly DiskStat[]): readonly Column<DiskStat>[] {
  if (disks.every(({ queued }) => queued === 0)) return [];
  const about = 'Mean time in the queue of the kernel, before a request was given to the disk';
  const column = msColumn<DiskStat>('queued', 'Queued, ms', 'minmax(96px, 1fr)', (row) => row.meanQueuedNs);
  return [explained(about, { ...column, cell: (row) => row.queued > 0 && column.cell(row) })];
}

/** Means of small whole numbers: two decimals. */
function depthColumn(): Column<DiskStat> {
  const about = 'Requests at the disk at once, on average while there was any';
  const column = numberColumn<DiskStat>('depth', 'Depth', 'minmax(72px, 1fr)', (row) => row.meanDepth);
  return explained(about, { ...column, cell: (row) => row.meanDepth.toFixed(2) });
}

function diskColumns(
  info: ExperimentInfo | undefined,
  disks: readonly DiskStat[],
): readonly Column<DiskStat>[] {
  return [
    nameCell('Disk', (row) => visibleText(row.dev)),
    ...hostColumns<DiskStat>(info, (row) => row.host),
    numberColumn('requests', 'Requests', 'minmax(80px, 1fr)', (row) => row.requests),
    wide(numberColumn('writes', 'Writes', 'minmax(72px, 1fr)', (row) => row.writes)),
    bytesColumn('bytes', 'Moved', (row) => row.sectors * SECTOR_BYTES),
    explained(
      'How many requests begin on the disk where the one before ended',
      shareColumn('In sequence', 'minmax(96px, 1fr)', (row) => row.sequential / row.requests),
    ),
    ...queuedColumns(disks),
    msColumn('mean', 'Mean time, ms', 'minmax(112px, 1fr)', (row) => row.meanLatencyNs),
    msColumn('max', 'Longest, ms', 'minmax(96px, 1fr)', (row) => row.maxLatencyNs),
    depthColumn(),
    explained(
      'Most requests at the disk at once',
      numberColumn('deepest', 'Deepest', 'minmax(72px, 1fr)', (row) => row.maxDepth),
    ),
  ];
}
