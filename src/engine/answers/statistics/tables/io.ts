/** Tables of reads, writes and syncs by thread and file, and of requests by disk. */
import { bytes, count, duration, host, mean, ms, name, share, text, tid } from '../columns.ts';
import type { StatColumn, StatTable, StatisticTables } from '../columns.ts';
import type * as protocol from '../../../protocol/statistics.ts';

const SECTOR_BYTES = 512;
const SUMS = {
  ...{ time: 'in calls ns', mean: 'mean ns', longest: 'max ns' },
  ...{ read: 'read bytes', reads: 'ops', 'read-errors': 'errors' },
  ...{ written: 'written bytes', writes: 'ops', 'write-errors': 'errors' },
  ...{ syncs: 'syncs', 'sync-errors': 'errors' },
};

const OF_DISKS = {
  about: 'By requests that the thread gave to disks itself; what the kernel writes later counts there',
  wide: true,
};

const threads: StatTable<protocol.IoStats, protocol.ThreadIoStat> = {
  ...{ list: 'threads', by: 'thread', title: 'Read and written by thread', noun: 'thread' },
  errors: ({ errors }) => errors,
  order: { column: 'read', descending: true },
  empty: () => 'No thread read or wrote in this time, or system calls were not recorded.',
  keyOf: ({ row }) => row,
  rowOf: ({ row }) => row,
  columns: () => [
    name('Thread', (row) => row.name),
    ...[tid<protocol.ThreadIoStat>(), host<protocol.ThreadIoStat>(), ...sums<protocol.ThreadIoStat>()],
    count('syncs', 'Syncs', ({ sync }) => sync.ops, { drawn: false }),
    bytes('disk-read', 'From disk', ({ disk }) => disk.read, OF_DISKS),
    bytes('disk-written', 'To disk', ({ disk }) => disk.write, OF_DISKS),
  ],
  printed: { ...SUMS, tid: 'thread', name: 'name' },
  chosenBy: 'thread',
  json({ row, name, pid, read, write, sync, time, disk }) {
    return { row, name, pid, read, write, sync, time, disk };
  },
};

/** Files on disks, and everything else with a descriptor: pipes and sockets would hide the files. */
const KINDS = [
  { id: 'file', title: 'Files' },
  { id: 'pipe', title: 'Pipes' },
  { id: 'socket', title: 'Sockets' },
  { id: 'all', title: 'All' },
] as const;

const files: StatTable<protocol.IoStats, protocol.FileIoStat> = {
  ...{ list: 'files', by: 'file', title: 'Read and written by file', noun: 'file' },
  kinds: { name: 'disk-and-files.kind', options: KINDS, of: ({ kind }) => kind },
  of: ({ files }) => files.length,
  errors: ({ errors }) => errors,
  order: { column: 'time', descending: true },
  empty: () => 'Nothing of this kind was read or written in this time, or system calls were not recorded.',
  keyOf: ({ host, path }) => `${host} ${path}`,
  rowOf: ({ time }) => time.longest?.row,
  leadsTo: ({ time }) => time.longest,
  columns: ({ kind }) => [
    name('File', ({ path }) => path, { width: 'minmax(200px, 3fr)', hostOf: (row) => row.host }),
    text('kind', 'Kind', (row) => row.kind, { drawn: kind === 'all' }),
    host(),
    ...sums<protocol.FileIoStat>(),
    count('syncs', 'Syncs', ({ sync }) => sync.ops, {
      about: 'Calls that wait until what was written is on the disk: fsync and others',
      width: 'minmax(56px, 1fr)',
    }),
  ],
  printed: { ...SUMS, kind: 'kind', name: 'file' },
  chosenBy: 'one',
};

const disks: StatTable<protocol.IoStats, protocol.DiskStat> = {
  ...{ list: 'disks', by: 'disk', title: 'Requests by disk', noun: 'disk' },
  order: { column: 'requests', descending: true },
  empty: () => 'No request of a disk ended in this time, or block events were not recorded.',
  keyOf: ({ host, dev }) => `${host} ${dev}`,
  columns: ({ rows }) => [
    name('Disk', ({ dev }) => dev, { hostOf: (row) => row.host }),
    host(),
    count('requests', 'Requests', (row) => row.requests),
    count('writes', 'Writes', (row) => row.writes, { width: 'minmax(72px, 1fr)', wide: true }),
    count('flushes', 'Flushes', (row) => row.flushes, {
      about:
        'Requests without sectors, by which the disk writes what it holds in its cache: fsync waits for them',
      width: 'minmax(72px, 1fr)',
      drawn: rows.some(({ flushes }) => flushes > 0),
    }),
    count('discards', 'Discards', (row) => row.discards, {
      width: 'minmax(72px, 1fr)',
      drawn: rows.some(({ discards }) => discards > 0),
    }),
    count('not-completed', 'Not completed', (row) => row.notCompleted, {
      about: 'Requests of which no completion was recorded: they are in no other number',
      width: 'minmax(96px, 1fr)',
      drawn: rows.some(({ notCompleted }) => notCompleted > 0),
    }),
    bytes('bytes', 'Moved', ({ sectors }) => sectors * SECTOR_BYTES),
    count('sectors', 'Sectors', ({ sectors }) => sectors, { drawn: false }),
    share('share', 'In sequence', ({ sequential, requests }) => sequential / requests, {
      about: 'How many requests begin on the disk where the one before ended',
      width: 'minmax(96px, 1fr)',
      printed: ({ sequential }) => sequential,
    }),
    ms('queued', 'Queued, ms', (row) => row.meanQueuedNs, {
      about: 'Mean time in the queue of the kernel, before a request was given to the disk',
      width: 'minmax(96px, 1fr)',
      isShown: ({ queued }) => queued > 0,
      drawn: rows.some(({ queued }) => queued > 0),
    }),
    ms('again', 'Queued again, ms', (row) => row.meanAgainNs, {
      about:
        'Mean time in which the disk had given requests back and they were queued once more; a part of the mean time',
      width: 'minmax(112px, 1fr)',
      drawn: rows.some(({ meanAgainNs }) => meanAgainNs > 0),
    }),
    ms('mean', 'Mean time, ms', (row) => row.meanLatencyNs, { width: 'minmax(112px, 1fr)' }),
    ms('max', 'Longest, ms', (row) => row.maxLatencyNs, { width: 'minmax(96px, 1fr)' }),
    mean('depth', 'Depth', (row) => row.meanDepth, {
      about: 'Requests at the disk at once, on average while there was any',
    }),
    count('deepest', 'Deepest', (row) => row.maxDepth, {
      about: 'Most requests at the disk at once',
      width: 'minmax(72px, 1fr)',
    }),
  ],
  printed: {
    ...{
      requests: 'requests',
      writes: 'writes',
      flushes: 'flushes',
      sectors: 'sectors',
      share: 'sequential',
    },
    ...{
      queued: 'queued ns',
      again: 'again ns',
      'not-completed': 'not completed',
      mean: 'mean ns',
      max: 'max ns',
      depth: 'depth',
      deepest: 'deepest',
      name: 'disk',
    },
  },
};

export const io: StatisticTables<protocol.IoStats, protocol.OfThreadRequest> = {
  title: 'Disk and files',
  essential: ['switch', 'syscall-entry', 'syscall-exit'],
  choice: { name: 'disk-and-files', label: 'Input and output by' },
  kept: ['io'],
  order: { column: 'time', descending: true },
  empty: '',
  note: 'Not all input and output is here.',
  tables: [threads, files, { by: 'call', each: 'io' }, disks, { by: 'request', each: 'requests' }],
};

function sums<Row extends protocol.IoSums>(): readonly StatColumn<Row>[] {
  const width = 'minmax(60px, 1fr)';
  return [
    duration('time', 'In calls', ({ time }) => time.totalNs, {
      about: 'Time in reads, writes and syncs, from entry to return',
      width: 'minmax(104px, 1fr)',
      bar: 'st-kernel',
    }),
    duration('mean', 'Mean', ({ time }) => time.meanNs, { wide: true }),
    duration('longest', 'Longest', ({ time }) => time.maxNs),
    bytes('read', 'Read', ({ read }) => read.bytes),
    count('reads', 'Reads', ({ read }) => read.ops, { width }),
    count('read-errors', 'Errors of reads', ({ read }) => read.errors, { drawn: false }),
    bytes('written', 'Written', ({ write }) => write.bytes),
    count('writes', 'Writes', ({ write }) => write.ops, { width }),
    count('write-errors', 'Errors of writes', ({ write }) => write.errors, { drawn: false }),
    count('errors', 'Errors', ({ read, write, sync }) => read.errors + write.errors + sync.errors, { width }),
    count('sync-errors', 'Errors of syncs', ({ sync }) => sync.errors, { drawn: false }),
  ];
}
