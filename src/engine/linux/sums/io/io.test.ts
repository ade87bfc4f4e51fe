import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchesOf, type PlainEvent, streamsOf } from '../../../../../test/support/batches.ts';
import {
  isSameHoweverCut,
  chunkResultsOf,
  mergeInOrder,
  resultOf,
} from '../../../../../test/support/merge-trees.ts';
import { type Scenario, scenario } from '../../../../../test/support/scenario.ts';
import { THREAD_LOST } from '../../events/values.ts';
import { ioUsage, ioUsageIn, resolveIo } from './io.ts';
import { requestAt } from './io-disks.ts';
import { fileKind } from './io-transfers.ts';

const A = 1001;
const B = 2001;
const none = { bytes: 0, ops: 0, errors: 0 };

describe('io usage', () => {
  test('a call that ends on another CPU; its file opened, copied and closed', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A, 'app')
      .call(1, 2, 0, 'openat', { filename: '/tmp/x', flags: 0 }, 3)
      .call(3, 4, 0, 'dup2', { oldfd: 3, newfd: 7 }, 7)
      .call(5, 6, 0, 'close', { fd: 3 }, 0)
      .add(7, 0, 'syscall_entry_read', { fd: 7, count: 100 })
      .switch(8, 0, A, 1, 0)
      .switch(20, 1, 0, 0, A, 'app')
      .add(21, 1, 'syscall_exit_read', { ret: 60 })
      .call(22, 23, 1, 'write', { fd: 3, count: 10 }, -9);
    const { threads, files, errors } = resultOf(ioUsage, story.events);
    expect(files).toMatchObject([
      { host: 0, path: '/tmp/x', kind: 'file', read: { bytes: 60, ops: 1, errors: 0 }, write: none },
      { host: 0, path: 'unknown (app)', kind: 'unknown', write: { bytes: 0, ops: 1, errors: 1 } },
    ]);
    expect(files[0].time).toEqual({
      timed: 1,
      total: 14,
      longest: { begin: 7, ns: 14, bytes: 60, call: 'read', path: '/tmp/x', owner: A, tid: A },
    });
    expect(threads.map(({ tid, name, read }) => [tid, name, read.bytes])).toEqual([[A, 'app', 60]]);
    expect(errors).toEqual([{ errno: 9, count: 1 }]);
  });

  /** Bytes written by file, of a process that has /log at 1 and /in at 5. */
  const writtenIn = ({ events }: Scenario) =>
    Object.fromEntries(resultOf(ioUsage, events).files.map(({ path, write }) => [path, write.bytes]));
  const begun = () =>
    scenario()
      .add(0, 0, 'lttng_statedump_file_descriptor', { pid: A, fd: 1, filename: '/log' })
      .add(0, 0, 'lttng_statedump_file_descriptor', { pid: A, fd: 5, filename: '/in' })
      .switch(1, 0, 0, 0, A, 'app');

  test('time in reads, writes and syncs of a file, but of a call whose entry is not known', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A, 'app')
      .add(1, 0, 'lttng_statedump_file_descriptor', { pid: A, fd: 1, filename: '/log' })
      .add(1, 0, 'syscall_exit_read', { ret: 2 })
      .call(2, 5, 0, 'write', { fd: 1 }, 9)
      .add(10, 0, 'syscall_entry_fsync', { fd: 1 })
      .switch(11, 0, A, 2, 0)
      .switch(40, 1, 0, 0, A, 'app')
      .add(41, 1, 'syscall_exit_fsync', { ret: -5 });
    const { threads, files, errors } = resultOf(ioUsage, story.events);
    const log = files.find(({ path }) => path === '/log');
    expect(log).toMatchObject({ write: { bytes: 9, ops: 1 }, sync: { ops: 1, errors: 1 } });
    expect(log?.time).toMatchObject({ timed: 2, total: 34, longest: { begin: 10, ns: 31, call: 'fsync' } });
    expect(threads).toMatchObject([{ tid: A, read: { ops: 1 }, time: { timed: 2, total: 34 } }]);
    expect(errors).toEqual([{ errno: 5, count: 1 }]);
  });

  test('a call that moves bytes from file to file takes its thread once, and the time of both', () => {
    const story = begun().call(2, 6, 0, 'splice', { fd_in: 5, fd_out: 1, fd: 1 }, 3);
    const { threads, files } = resultOf(ioUsage, story.events);
    expect(files.map(({ path, time }) => [path, time.total]).sort()).toEqual([
      ['/in', 4],
      ['/log', 4],
    ]);
    expect(threads.map(({ time }) => [time.timed, time.total])).toEqual([[1, 4]]);
  });

  test('a request is of the call in which its thread made it, and else of none', () => {
    const request = (sector: number) => ({ dev: 8, sector, nr_sector: 8, tid: A, rwbs: 33 });
    const story = begun()
      .add(2, 0, 'syscall_entry_fsync', { fd: 1 })
      .add(3, 0, 'block_rq_issue', request(100))
      .add(8, 1, 'block_rq_complete', request(100))
      .add(9, 0, 'syscall_exit_fsync', { ret: 0 })
      .add(10, 0, 'block_rq_issue', request(200))
      .add(12, 1, 'block_rq_complete', request(200));
    const [{ transfers, disks }] = resolveIo(
      mergeInOrder(ioUsage, chunkResultsOf(ioUsage, batchesOf(streamsOf(story.events), ioUsage.reads.kinds))),
    );
    const requests = [0, 1].map((place) => requestAt(disks, place));
    expect(requests).toMatchObject([
      { sector: 100, begin: 3, diskNs: 5, tid: A, owner: A, flags: 'WS' },
      { sector: 200, begin: 10, diskNs: 2, tid: A },
    ]);
    const calls = requests.map(({ owner, begin }) => transfers.callAt(owner, begin));
    expect(calls).toMatchObject([{ call: 'fsync', path: '/log', bytes: NaN }, undefined]);
  });

  test('a copy of an unknown descriptor is unknown, whatever was there before', () => {
    const story = begun()
      .call(2, 3, 0, 'dup2', { oldfd: 8, newfd: 1 }, 1)
      .call(4, 5, 0, 'write', { fd: 1 }, 7);
    expect(writtenIn(story)).toEqual({ 'unknown (app)': 7 });
  });

  test.each([
    ['pipe2', { fildes: '3.0.0.0.5.0.0.0' }, 'pipe'],
    ['pipe', { fildes: '0.0.0.3.0.0.0.5' }, 'pipe'],
    ['socketpair', { socket: '5.0.0.0.3.0.0.0' }, 'socket'],
  ])('%s makes two descriptors, which its exit tells on whichever CPU', (call, eventFields, name) => {
    const story = begun()
      .add(2, 0, `syscall_entry_${call}`)
      .switch(3, 0, A, 1, 0)
      .switch(4, 1, 0, 0, A, 'app')
      .add(5, 1, `syscall_exit_${call}`, { ret: 0, ...eventFields })
      .call(6, 7, 1, 'write', { fd: 3 }, 3)
      .call(8, 9, 1, 'write', { fd: 5 }, 4);
    expect(writtenIn(story)).toEqual({ [`${name} (app)`]: 7 });
  });

  describe('while another thread of the process opens what has the same number', () => {
    /** B closes 5 and opens /new instead. */
    const reopened = (story: Scenario, from: number) =>
      story
        .add(from, 1, 'syscall_entry_close', { fd: 5 })
        .add(from + 1, 1, 'syscall_exit_close', { ret: 0 })
        .add(from + 2, 1, 'syscall_entry_openat', { filename: '/new', flags: 0 })
        .add(from + 3, 1, 'syscall_exit_openat', { ret: 5 });
    const threads = () =>
      begun().add(1, 0, 'lttng_statedump_process_state', { tid: B, pid: A }).switch(1, 1, 0, 0, B, 'app');

    test('a close that ends later leaves it open', () => {
      const story = threads().add(2, 0, 'syscall_entry_close', { fd: 5 });
      reopened(story, 3).add(10, 0, 'syscall_exit_close', { ret: 0 }).call(11, 12, 0, 'write', { fd: 5 }, 8);
      expect(writtenIn(story)).toEqual({ '/new': 8 });
    });

    test('a write goes to what it had when it began, and a copy is of that', () => {
      const story = threads().add(2, 0, 'syscall_entry_write', { fd: 5 });
      reopened(story, 3).add(10, 0, 'syscall_exit_write', { ret: 8 });
      expect(writtenIn(story)).toEqual({ '/in': 8 });
      story.add(20, 0, 'syscall_entry_dup', { fildes: 5 });
      reopened(story, 21).add(30, 0, 'syscall_exit_dup', { ret: 9 }).call(31, 32, 0, 'write', { fd: 9 }, 1);
      expect(writtenIn(story)).toEqual({ '/in': 8, '/new': 1 });
    });
  });

  test('a state dump tells what a call has that had begun', () => {
    const story = begun()
      .add(2, 0, 'syscall_entry_write', { fd: 7 })
      .add(3, 1, 'lttng_statedump_file_descriptor', { pid: A, fd: 7, filename: '/told' })
      .add(4, 0, 'syscall_exit_write', { ret: 8 });
    expect(writtenIn(story)).toEqual({ '/told': 8 });
  });

  test('calls that begin and end in one instant are in order', () => {
    const story = begun()
      .call(2, 2, 0, 'close', { fd: 5 }, 0)
      .call(2, 2, 0, 'openat', { filename: '/new', flags: 0 }, 5)
      .call(2, 3, 0, 'write', { fd: 5 }, 8);
    expect(writtenIn(story)).toEqual({ '/new': 8 });
  });

  test('a read that a signal interrupted and that began anew is one', () => {
    const story = begun().call(2, 3, 0, 'read', { fd: 5 }, -512).call(4, 5, 0, 'read', { fd: 5 }, 8);
    const { threads, errors } = resultOf(ioUsage, story.events);
    expect(threads.map(({ read }) => read)).toEqual([{ bytes: 8, ops: 1, errors: 0 }]);
    expect(errors).toEqual([]);
  });

  const EXEC = ['execve', { filename: '/bin/sh' }, 0] as const;
  const CLOSE_RANGE = { fd: 3, max_fd: 0xffff_ffff };
  test.each([
    ['a path that was not read', 'unknown (app)', [['openat', { filename: '', flags: 0 }, 5]]],
    ['no path', 'anon_inode:[eventfd] (app)', [['eventfd2', { count: 0, flags: 0 }, 5]]],
    ['a path by another name', '/new', [['creat', { pathname: '/new', mode: 0 }, 5]]],
    ['flags that are not told, behind an exec', '/new', [['openat2', { filename: '/new' }, 5], EXEC]],
    ['a copy', '/log', [['dup3', { oldfd: 1, newfd: 5, flags: 0 }, 5], EXEC]],
    ['a copy until exec', 'unknown (app)', [['dup3', { oldfd: 1, newfd: 5, flags: 0o2000000 }, 5], EXEC]],
    ['F_DUPFD', '/log', [['fcntl', { fd: 1, cmd: 0, arg: 5 }, 5], EXEC]],
    ['F_DUPFD_CLOEXEC', 'unknown (app)', [['fcntl', { fd: 1, cmd: 1030, arg: 5 }, 5], EXEC]],
    ['a closed range', 'unknown (app)', [['close_range', { ...CLOSE_RANGE, flags: 0 }, 0]]],
    ['CLOSE_RANGE_CLOEXEC', '/in', [['close_range', { ...CLOSE_RANGE, flags: 4 }, 0]]],
    [
      'CLOSE_RANGE_CLOEXEC, behind an exec',
      'unknown (app)',
      [['close_range', { ...CLOSE_RANGE, flags: 4 }, 0], EXEC],
    ],
  ] as const)('a descriptor of %s is %s', (_, path, calls) => {
    const story = begun();
    calls.forEach(([name, fields, ret], i) => story.call(2 + 2 * i, 3 + 2 * i, 0, name, fields, ret));
    story.call(10, 11, 0, 'write', { fd: 5 }, 8);
    expect(writtenIn(story)).toEqual({ [path]: 8 });
  });

  test('a child process has its parent’s descriptors, a thread those of its process', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .call(1, 2, 0, 'openat', { filename: '/log', flags: 0 }, 5)
      .fork(3, 0, A, B)
      .switch(4, 1, 0, 0, B)
      .call(5, 6, 1, 'write', { fd: 5 }, 8);
    const { files, threads } = resultOf(ioUsage, story.events);
    expect(files.map(({ path, write }) => [path, write.bytes])).toEqual([['/log', 8]]);
    expect(threads.map(({ tid, pid }) => [tid, pid])).toEqual([[B, B]]);
  });

  test('sendfile reads one descriptor and writes another', () => {
    const story = scenario().switch(0, 0, 0, 0, A, 'app');
    story.add(1, 0, 'lttng_statedump_file_descriptor', { pid: A, fd: 3, filename: '/in' });
    story.add(2, 0, 'lttng_statedump_file_descriptor', { pid: A, fd: 4, filename: '/out' });
    story.call(3, 4, 0, 'sendfile64', { out_fd: 4, in_fd: 3 }, 9);
    const { files } = resultOf(ioUsage, story.events);
    expect(files.map(({ path, read, write }) => [path, read.bytes, write.bytes])).toEqual([
      ['/in', 9, 0],
      ['/out', 0, 9],
    ]);
  });

  test('old tracers: the exit has no name', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A, 'app')
      .add(1, 0, 'sys_read', { fd: 0 })
      .switch(2, 0, A, 1, 0);
    story
      .switch(3, 1, 0, 0, A)
      .add(4, 1, 'exit_syscall', { ret: 5 })
      .add(5, 1, 'sys_futex')
      .add(6, 1, 'exit_syscall', { ret: 1 });
    expect(resultOf(ioUsage, story.events).threads.map(({ read }) => read)).toEqual([
      { bytes: 5, ops: 1, errors: 0 },
    ]);
  });

  test('behind a loss the next switch tells whose calls they are, in whichever chunk it is', () => {
    const before = scenario().switch(0, 0, 0, 0, A, 'app').add(5, 0, 'syscall_entry_read', { fd: 7 }).events;
    // Not the call that was pending: another one may have begun since.
    const behind = scenario()
      .add(20, 0, 'syscall_exit_read', { ret: 40 })
      .call(22, 23, 0, 'write', { fd: 1 }, 8).events;
    const switched = scenario().switch(30, 0, B, 0, A, 'app').events;
    const packet = (events: readonly PlainEvent[], discarded = 0) => ({ events, discarded });
    const result = (...chunks: ReturnType<typeof packet>[][]) => {
      const batches = batchesOf([{ cpu: 0, chunks }], ioUsage.reads.kinds);
      const { threads } = ioUsage.finish(mergeInOrder(ioUsage, chunkResultsOf(ioUsage, batches)));
      return threads.map(({ tid, name, read, write }) => [tid, name, read.bytes, write.bytes]);
    };
    const [first, lossy, last] = [packet(before), packet(behind, 1), packet(switched)];
    const written = packet([...before, ...behind.slice(0, 1)]);
    expect(result([written])).toEqual([[A, 'app', 40, 0]]);
    // Behind the last event of `lossy` something was lost too.
    for (const chunks of [[[first, lossy, last]], [[first], [lossy], [last]], [[first, lossy], [last]]])
      expect(result(...chunks)).toEqual([[THREAD_LOST, 'unknown thread', 40, 8]]);
    const packets = [packet([], 1), packet(behind), last];
    for (const chunks of [[[first, ...packets]], [[first], ...packets.map((one) => [one])]])
      expect(result(...chunks)).toEqual([[B, '', 40, 8]]);
    // Nor is the pending call closed where nobody knows since when events were lost.
    const endless = { ...first, end: NaN };
    for (const chunks of [[[endless, lossy, last]], [[endless], [lossy], [last]]])
      expect(result(...chunks)).toEqual([[THREAD_LOST, 'unknown thread', 40, 8]]);
  });

  test('a request is of the thread that queued it, whoever issued it', () => {
    const request = (tid: number) => ({ dev: 8 << 20, sector: 100, nr_sector: 8, tid, rwbs: 1 });
    const story = scenario()
      .add(1, 0, 'block_rq_insert', request(A))
      .add(5, 0, 'block_rq_issue', request(B))
      .add(15, 1, 'block_rq_complete', request(0));
    const { threads } = resultOf(ioUsage, story.events);
    expect(threads.map(({ tid, disk }) => [tid, disk])).toEqual([[A, { read: 0, write: 4096 }]]);
  });

  test('a request that was merged into another was not queued for a later one', () => {
    const request = (sector: number, sectors: number) => {
      return { dev: 8 << 20, sector, nr_sector: sectors, tid: A, rwbs: 1 };
    };
    const story = scenario()
      .add(1, 0, 'block_rq_insert', request(100, 8))
      .add(2, 0, 'block_rq_insert', request(108, 8))
      .add(5, 0, 'block_rq_issue', request(100, 16))
      .add(9, 0, 'block_rq_complete', request(100, 16))
      .add(50, 0, 'block_rq_issue', request(108, 8))
      .add(60, 0, 'block_rq_complete', request(108, 8));
    const { disks } = resultOf(ioUsage, story.events);
    expect(disks).toMatchObject([{ requests: 2, sectors: 24, queued: 1, totalQueuedNs: 4 }]);
  });

  test('requests: latency, queueing, depth, who made them', () => {
    const request = (sector: number) => ({ dev: 8 << 20, sector, nr_sector: 8, tid: A, rwbs: 1 });
    const story = scenario()
      .add(0, 0, 'lttng_statedump_block_device', { dev: 8 << 20, diskname: 'sda' })
      .add(1, 0, 'block_rq_insert', request(100))
      .add(5, 0, 'block_rq_issue', request(100))
      .add(10, 1, 'block_rq_issue', request(108))
      .add(15, 1, 'block_rq_complete', request(100))
      .add(25, 0, 'block_rq_complete', request(108));
    const { disks, threads } = resultOf(ioUsage, story.events);
    expect(disks).toEqual([
      {
        host: 0,
        dev: '8:0',
        name: 'sda',
        requests: 2,
        sectors: 16,
        writes: 2,
        flushes: 0,
        discards: 0,
        notCompleted: 0,
        totalAgainNs: 0,
        totalLatencyNs: 25,
        maxLatencyNs: 15,
        queued: 1,
        totalQueuedNs: 4,
        maxDepth: 2,
        meanDepth: 25 / 20,
        sequential: 1,
      },
    ]);
    expect(threads[0].disk).toEqual({ read: 0, write: 8192 });
  });

  test('what a request discards is neither read nor written', () => {
    const request = (sector: number, rwbs: number) => ({ dev: 8 << 20, sector, nr_sector: 8, tid: A, rwbs });
    const [discard, secure, reading] = [request(100, 2), request(200, 2 | 128), request(300, 4)];
    const story = scenario();
    for (const one of [discard, secure, reading])
      story.add(one.sector, 0, 'block_rq_issue', one).add(one.sector + 5, 0, 'block_rq_complete', one);
    const { disks, threads } = resultOf(ioUsage, story.events);
    expect(disks).toMatchObject([{ requests: 3, writes: 0, sectors: 8, totalLatencyNs: 15 }]);
    expect(threads.map(({ disk }) => disk)).toEqual([{ read: 4096, write: 0 }]);
  });

  test('a range tells what ended in it, of files as the calls before it left them', () => {
    const story = begun()
      .call(2, 3, 0, 'openat', { filename: '/new', flags: 0 }, 6)
      .call(4, 5, 0, 'write', { fd: 6 }, 8)
      .call(6, 8, 0, 'write', { fd: 6 }, -4)
      .call(9, 10, 0, 'write', { fd: 1 }, 1);
    const streams = [{ cpu: 0, chunks: [[{ events: story.events }]] }];
    const chunkResults = chunkResultsOf(ioUsage, batchesOf(streams, ioUsage.reads.kinds));
    const resolved = resolveIo(mergeInOrder(ioUsage, chunkResults));
    const written = (from: number, to: number) => {
      const { files, errors } = ioUsageIn(resolved, from, to);
      return [files.map(({ path, write }) => [path, write.bytes, write.ops]), errors];
    };
    expect(written(0, 5)).toEqual([[], []]);
    expect(written(5, 8)).toEqual([[['/new', 8, 1]], []]);
    expect(written(6, 11)).toEqual([
      [
        ['/log', 1, 1],
        ['/new', 0, 1],
      ],
      [{ errno: 4, count: 1 }],
    ]);
  });

  /** Threads that move over CPUs while they read, write, open and close. */
  const stories: fc.Arbitrary<PlainEvent[]> = fc
    .array(fc.record({ cpu: fc.nat(2), act: fc.nat(6), next: fc.nat(3) }), { maxLength: 60 })
    .map((steps) => {
      const story = scenario();
      const current = [0, 0, 0];
      const inCall = new Map<number, string>();
      let time = 0;
      for (const { cpu, act, next } of steps) {
        time++;
        const tid = current[cpu];
        const call = inCall.get(tid);
        if (act < 2) {
          if (next !== 0 && current.includes(next)) continue;
          story.switch(time, cpu, tid, 1, next, `name${next}`);
          current[cpu] = next;
        } else if (tid === 0) {
          continue;
        } else if (call !== undefined) {
          const eventFields: PlainEvent['fields'] =
            call === 'pipe2' ? { fildes: `${next + 3}.0.0.0.${next + 4}.0.0.0` } : {};
          story.add(time, cpu, `syscall_exit_${call}`, { ret: act === 2 ? -4 : next + 3, ...eventFields });
          inCall.delete(tid);
        } else {
          const name = ['openat', 'read', 'write', 'close', 'pipe2'][act - 2];
          story.add(time, cpu, `syscall_entry_${name}`, { fd: next + 3, filename: `/f${time}`, flags: 0 });
          inCall.set(tid, name);
        }
      }
      return story.events;
    });

  test('does not depend on chunks, arrival or merge tree', () => isSameHoweverCut(ioUsage, stories));
});

test.each([
  ['/data/write.dat', 'file'],
  ['pipe.txt', 'file'],
  ['/dev/shm', 'device'],
  ['pipe:[10743]', 'pipe'],
  ['pipe', 'pipe'],
  ['socket', 'socket'],
  ['socket:[1]', 'socket'],
  ['anon_inode:[eventfd]', 'memory'],
  ['/memfd:x (deleted)', 'memory'],
  ['/dev/shm/x', 'memory'],
  ['/dev/zero', 'device'],
  ['/proc/self/status', 'kernel'],
  ['/lib/x86_64-linux-gnu/libc.so.6', 'library'],
  ['/usr/lib/notes.sock', 'file'],
  ['unknown', 'unknown'],
  ['', 'unknown'],
])('%s is of kind %s', (path, kind) => {
  expect(fileKind(path)).toBe(kind);
});
