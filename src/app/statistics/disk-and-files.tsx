/** Statistics: what was read and written, by thread, file and disk. */
import { useComputed } from '@preact/signals';
import type {
  DiskStat,
  ExperimentInfo,
  FileIoStat,
  IoStats,
  ThreadIoStat,
} from '../../workers/session-api.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { errorsText } from '../format/errno.ts';
import { plural, visibleText } from '../format/text.ts';
import type { Column } from '../widgets/table/column.ts';
import {
  bytesColumn,
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

type By = 'thread' | 'file' | 'disk';

const CHOICES: readonly { readonly id: By; readonly title: string }[] = [
  { id: 'thread', title: 'Thread' },
  { id: 'file', title: 'File' },
  { id: 'disk', title: 'Disk' },
];
const SECTOR_BYTES = 512;
const BY_READ = { column: 'read', descending: true };

export function DiskAndFiles({ stats, info, scope, view }: SectionProps<IoStats>) {
  const selected = view.focusedRow.value;
  const by = useChoice('disk-and-files.by', CHOICES);
  const threads = useComputed(() => stats.value?.threads);
  const files = useComputed(() => stats.value?.files);
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
          columns={threadColumns(info)}
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
          scope={`${scope}, ${plural(files.value?.length ?? 0, 'file')}${failed}`}
          columns={fileColumns(info)}
          rows={files}
          order={BY_READ}
          empty="No file was read or written in this time, or system calls were not recorded."
          keyOf={(row) => `${row.host} ${row.path}`}
        >
          {choice}
        </StatTable>
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
  }
}

/** Which errors the failed calls of all rows returned: ", failed: EAGAIN 12, EPIPE 1". */
function failedText(errors: IoStats['errors']): string {
  return errors.length === 0 ? '' : `, failed: ${errorsText(errors, ', ')}`;
}

function transferColumns<Row extends Pick<FileIoStat, 'read' | 'write'>>(): readonly Column<Row>[] {
  return [
    bytesColumn('read', 'Read', (row) => row.read.bytes),
    numberColumn('reads', 'Reads', 'minmax(80px, 1fr)', (row) => row.read.ops),
    bytesColumn('written', 'Written', (row) => row.write.bytes),
    numberColumn('writes', 'Writes', 'minmax(80px, 1fr)', (row) => row.write.ops),
    numberColumn('errors', 'Errors', 'minmax(72px, 1fr)', (row) => row.read.errors + row.write.errors),
  ];
}

function threadColumns(info: ExperimentInfo | undefined): readonly Column<ThreadIoStat>[] {
  const disk = 'By requests that the thread gave to disks itself; what the kernel writes later counts there';
  return [
    nameCell('Thread', (row) => visibleText(row.name)),
    tidColumn<ThreadIoStat>((row) => row),
    ...hostColumns<ThreadIoStat>(info, (row) => row.host),
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

function fileColumns(info: ExperimentInfo | undefined): readonly Column<FileIoStat>[] {
  return [
    nameCell('File', (row) => visibleText(row.path), undefined, 'minmax(200px, 3fr)'),
    ...hostColumns<FileIoStat>(info, (row) => row.host),
    ...transferColumns<FileIoStat>(),
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
