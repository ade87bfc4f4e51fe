/** Statistics: what was read and written, by thread, file and disk. */
import { useComputed, useSignal, type ReadonlySignal } from '@preact/signals';
import { useApp } from '../app-context.ts';
import type { ExperimentInfo, IoStats } from '../../workers/session-api.ts';
import { Segmented } from '../controls/segmented.tsx';
import { plural, visibleText } from '../format/text.ts';
import type { Column } from '../table/column.ts';
import { bytesColumn, hostColumns, msColumn, nameCell, numberColumn } from './stat-columns.tsx';
import { StatTable } from './stat-table.tsx';

type By = 'thread' | 'file' | 'disk';
type Thread = IoStats['threads'][number];
type FileUse = IoStats['files'][number];
type Disk = IoStats['disks'][number];

const CHOICES: readonly { readonly id: By; readonly title: string }[] = [
  { id: 'thread', title: 'Thread' },
  { id: 'file', title: 'File' },
  { id: 'disk', title: 'Disk' },
];
const SECTOR_BYTES = 512;
const BY_READ = { column: 'read', descending: true };

interface DiskAndFilesProps {
  readonly stats: ReadonlySignal<IoStats | undefined>;
  readonly scope: string;
  readonly selectedRow: string | undefined;
  onShow(row: string): void;
}

export function DiskAndFiles({ stats, scope, selectedRow, onShow }: DiskAndFilesProps) {
  const { experiment } = useApp();
  const by = useSignal<By>('thread');
  const threads = useComputed(() => stats.value?.threads);
  const files = useComputed(() => stats.value?.files);
  const disks = useComputed(() => stats.value?.disks);
  const about = stats.value?.approximate ? '≈ ' : '';
  const choice = (
    <Segmented
      label="Input and output by"
      options={CHOICES}
      chosen={by.value}
      onChoose={(id) => (by.value = id)}
    />
  );
  switch (by.value) {
    case 'thread':
      return (
        <StatTable
          key="thread"
          title="Read and written by thread"
          scope={`${about}${scope}, ${plural(threads.value?.length ?? 0, 'thread')}`}
          columns={threadColumns(experiment.info.value)}
          rows={threads}
          order={BY_READ}
          empty="No thread read or wrote in this time, or system calls were not recorded."
          keyOf={(row) => row.row}
          onActivate={(row) => onShow(row.row)}
          isSelected={(row) => row.row === selectedRow}
        >
          {choice}
        </StatTable>
      );
    case 'file':
      return (
        <StatTable
          key="file"
          title="Read and written by file"
          scope={`${about}${scope}, ${plural(files.value?.length ?? 0, 'file')}`}
          columns={FILE_COLUMNS}
          rows={files}
          order={BY_READ}
          empty="No file was read or written in this time, or system calls were not recorded."
          keyOf={(row) => row.path}
        >
          {choice}
        </StatTable>
      );
    case 'disk':
      return (
        <StatTable
          key="disk"
          title="Requests by disk"
          scope={`${about}${scope}, ${plural(disks.value?.length ?? 0, 'disk')}`}
          columns={DISK_COLUMNS}
          rows={disks}
          order={{ column: 'requests', descending: true }}
          empty="No request of a disk ended in this time, or block events were not recorded."
          keyOf={(row) => row.dev}
        >
          {choice}
        </StatTable>
      );
  }
}

function transferColumns<Row extends Pick<FileUse, 'read' | 'write'>>(): readonly Column<Row>[] {
  return [
    bytesColumn('read', 'Read', (row) => row.read.bytes),
    numberColumn('reads', 'Reads', 'minmax(80px, 1fr)', (row) => row.read.ops),
    bytesColumn('written', 'Written', (row) => row.write.bytes),
    numberColumn('writes', 'Writes', 'minmax(80px, 1fr)', (row) => row.write.ops),
    numberColumn('errors', 'Errors', 'minmax(72px, 1fr)', (row) => row.read.errors + row.write.errors),
  ];
}

function threadColumns(info: ExperimentInfo | undefined): readonly Column<Thread>[] {
  return [
    nameCell('Thread', (row) => visibleText(row.name)),
    numberColumn('tid', 'tid', '72px', (row) => row.tid, true),
    ...hostColumns<Thread>(info, (row) => row.host),
    ...transferColumns<Thread>(),
  ];
}

const FILE_COLUMNS: readonly Column<FileUse>[] = [
  nameCell('File', (row) => visibleText(row.path), undefined, 'minmax(200px, 3fr)'),
  ...transferColumns<FileUse>(),
];

const DISK_COLUMNS: readonly Column<Disk>[] = [
  nameCell('Disk', (row) => visibleText(row.dev)),
  numberColumn('requests', 'Requests', 'minmax(96px, 1fr)', (row) => row.requests),
  bytesColumn('bytes', 'Moved', (row) => row.sectors * SECTOR_BYTES),
  msColumn('mean', 'Mean time, ms', 'minmax(112px, 1fr)', (row) => row.meanLatencyNs),
  msColumn('max', 'Longest, ms', 'minmax(112px, 1fr)', (row) => row.maxLatencyNs),
];
