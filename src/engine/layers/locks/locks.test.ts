/** Lock events as rows of the log: written by hand, cut into chunks in several ways, which must change nothing. */
import { describe, expect, it } from 'vitest';
import { batchesOf, type PlainEvent, type PlainStream, streamsOf } from '../../../../test/support/batches.ts';
import type { KernelThreads } from '../contract/event-threads.ts';
import { DUMPED, type NamespaceFacts, noFacts } from '../../linux/namespaces/facts.ts';
import { NamespaceThreads } from '../../linux/namespaces/namespace-threads.ts';
import type { KernelReads } from './kernel-calls.ts';
import { type LockChunk, lockMap, type LockSettings } from './lock-map.ts';
import * as lockLog from './lock-log.ts';
import type { LockLog } from './lock-log.ts';
import { LockReducer } from './lock-reducer.ts';
import { lockEvents, type LockProvider } from './providers.ts';

const OPS = [
  'request',
  'timed request',
  'acquire',
  'try',
  'release',
  'wait',
  'waited',
  'signal',
  'broadcast',
  'barrier',
  'passed',
  'post',
  'destroy',
  'flock',
  'fcntl',
  'file exit',
  'file close',
  'file left',
  'futex',
  'futex exit',
  'thread end',
  'contention',
  'contention end',
  'loss',
];
const ALL: KernelReads = { files: true, futexes: true, contention: true, switches: 'all' };
/** Bits of an address that no 32-bit number has. */
const A = 0x55bf_0033_f220n;

type Fields = PlainEvent['fields'];

function event(ts: number, cpu: number, name: string, fields: Fields = {}): PlainEvent {
  return { ts, cpu, name, fields };
}

/** An event of the pthread wrappers in thread `vtid` of process 100. */
function user(ts: number, vtid: number, name: string, fields: Fields = {}, cpu = 0): PlainEvent {
  return event(ts, cpu, `lttng_ust_pthread:${name}`, { vtid, vpid: 100, ...fields });
}

function switchTo(ts: number, cpu: number, tid: number): PlainEvent {
  return event(ts, cpu, 'sched_switch', { next_tid: tid });
}

function enters(ts: number, tid: number, call: string, fields: Fields = {}): PlainEvent {
  return event(ts, 0, `syscall_entry_${call}`, { tid, ...fields });
}

function leaves(ts: number, tid: number, call: string, ret: number | bigint): PlainEvent {
  return event(ts, 0, `syscall_exit_${call}`, { tid, ret });
}

interface Options {
  readonly own?: readonly LockProvider[];
  readonly kernel?: KernelThreads;
  readonly reads?: KernelReads;
}

function reduce(
  streams: readonly PlainStream[],
  names: readonly string[],
  { own = [], kernel, reads = ALL }: Options,
): LockLog {
  const settings: LockSettings = { events: lockEvents(own, names), kernel: reads };
  const analysis = lockMap.of(settings);
  const batches = batchesOf(streams, analysis.reads.kinds);
  const rows = batches.flatMap((batch) => {
    const chunk = analysis.map(batch);
    return Array.from({ length: chunk.length }, (_, i) => ({ chunk, i, rank: batch.streamRank }));
  });
  const timeOf = ({ chunk, i }: { chunk: LockChunk; i: number }) => chunk.time[i];
  rows.sort((a, b) => timeOf(a) - timeOf(b) || a.rank - b.rank);
  const reducer = new LockReducer(settings, kernel);
  for (const { chunk, i } of rows) reducer.run(chunk, i, i + 1);
  return reducer.finish(1000);
}

/** The log of events in streams of their CPUs, the same however these are cut. */
function logOf(events: readonly PlainEvent[], options: Options = {}): LockLog {
  const names = events.map(({ name }) => name);
  const [whole, ...others] = [Infinity, 1, 2, 3].map((cut) => reduce(streamsOf(events, cut), names, options));
  for (const other of others) expect(other).toEqual(whole);
  return whole;
}

/** `10 tid 5: request mutex:100:0x…`, with what else a row has. */
function textOf(log: LockLog): string[] {
  const names = (row: number) => {
    const of = [lockLog.FUTEX_ENTER, lockLog.FUTEX_EXIT].includes(log.op[row])
      ? log.futexes
      : log.op[row] >= lockLog.CONTENTION_BEGIN
        ? log.kernelLocks
        : log.locks;
    const isOfFile = log.op[row] >= lockLog.FLOCK_ENTER && log.op[row] <= lockLog.FILE_LEFT;
    const owner = isOfFile && log.other[row] >= 0 ? [` description ${log.other[row]}`] : [];
    return [log.lock[row], isOfFile ? -1 : log.other[row]]
      .filter((lock) => lock >= 0)
      .map((lock) => {
        const { process, address } = of[lock];
        const kind = 'kind' in of[lock] ? `${String(of[lock].kind)}:` : '';
        return ` ${kind}${process < 0 ? '' : `${process}:`}${address}`;
      })
      .concat(owner);
  };
  return Array.from({ length: log.length }, (_, row) => {
    const { tid = -1, ns = 0 } = log.threads[log.thread[row]] ?? {};
    const thread = `${tid}${ns === 0 ? '' : `@${ns}`}`;
    const name = log.op[row] === lockLog.LOSS ? '' : names(row).join('');
    const value = log.value[row] === 0 ? '' : ` = ${log.value[row]}`;
    return `${log.time[row]} tid ${thread}: ${OPS[log.op[row]]}${name}${value}${log.mode[row] === lockLog.SHARED ? ' shared' : ''}`;
  });
}

const text = (events: readonly PlainEvent[], options?: Options) => textOf(logOf(events, options));

/** Threads by row: tid, pid, first, as the kernel's trace tells them. */
function kernelOf(
  threads: readonly (readonly [tid: number, pid: number, first: number])[],
  { facts = noFacts(), end = 1000 }: { readonly facts?: NamespaceFacts; readonly end?: number } = {},
): KernelThreads {
  const columns = {
    length: threads.length,
    tid: Int32Array.from(threads, ([tid]) => tid),
    pid: Int32Array.from(threads, ([, pid]) => pid),
    first: Float64Array.from(threads, ([, , first]) => first),
    idleCpu: new Int32Array(threads.length).fill(-1),
  };
  return {
    namespaces: new NamespaceThreads(facts),
    threads: columns as unknown as KernelThreads['threads'],
    end,
  };
}

describe('events of programs', () => {
  it('say who asks for which lock, by whatever provider, with result and mode', () => {
    expect(
      text([
        user(10, 5, 'pthread_mutex_lock_req', { mutex: A }),
        user(12, 5, 'pthread_mutex_lock_acq', { mutex: A, status: 130 }),
        event(13, 0, 'mine:pthread_rwlock_rdlock_req', { vtid: 6, vpid: 100, rwlock: A }),
        event(14, 0, 'mine:pthread_rwlock_wrlock_acq', { vtid: 6, vpid: 100, rwlock: A, status: 0 }),
        user(15, 7, 'pthread_spin_lock_req', { lock: 0x10 }),
        user(16, 7, 'pthread_mutex_timedlock_req', { lock: 0x20 }),
        user(17, 7, 'pthread_mutex_trylock', { mutex: A, status: 16 }),
        event(18, 0, 'mine:sem_post', { vtid: 7, vpid: 200, sem: A }),
        user(19, 5, 'pthread_mutex_unlock', { mutex: A, status: 1 }),
        user(20, 5, 'pthread_mutex_destroy', { mutex: A }),
      ]),
    ).toEqual([
      '10 tid 5: request mutex:100:0x55bf0033f220',
      '12 tid 5: acquire mutex:100:0x55bf0033f220 = 130',
      '13 tid 6: request rwlock:100:0x55bf0033f220 shared',
      '14 tid 6: acquire rwlock:100:0x55bf0033f220',
      '15 tid 7: request spin:100:0x10',
      '16 tid 7: timed request mutex:100:0x20',
      '17 tid 7: try mutex:100:0x55bf0033f220 = 16',
      '18 tid 7: post sem:100:0x55bf0033f220',
      '19 tid 5: release mutex:100:0x55bf0033f220 = 1',
      '20 tid 5: destroy mutex:100:0x55bf0033f220',
    ]);
  });

  it('name a condition and its mutex, which is the one that is locked', () => {
    const log = logOf([
      user(10, 5, 'pthread_mutex_lock_req', { mutex: A }),
      user(11, 5, 'pthread_cond_wait_begin', { cond: 0x30, mutex: A }),
      user(12, 6, 'pthread_cond_broadcast', { cond: 0x30 }),
      user(13, 5, 'pthread_cond_wait_end', { cond: 0x30, mutex: A, status: 110 }),
    ]);
    expect(textOf(log).slice(1)).toEqual([
      '11 tid 5: wait cond:100:0x30 mutex:100:0x55bf0033f220',
      '12 tid 6: broadcast cond:100:0x30',
      '13 tid 5: waited cond:100:0x30 mutex:100:0x55bf0033f220 = 110',
    ]);
    expect(log.other[1]).toBe(log.lock[0]);
  });

  it('are told apart by process, and joined where a row says that the lock is one for all', () => {
    const own: LockProvider = {
      event: 'shm:*_lock_begin',
      role: 'request',
      kind: 'mutex',
      lock: 'name',
      status: '',
      mutex: '',
      mode: 'exclusive',
      isShared: true,
    };
    const begin = (ts: number, vpid: number, name: string) =>
      event(ts, 0, 'shm:table_lock_begin', { vtid: vpid, vpid, name });
    const events = [begin(10, 5, 'users'), begin(11, 6, 'users'), begin(12, 6, 'orders')];
    expect(text(events, { own: [own] })).toEqual([
      '10 tid 5: request mutex:users',
      '11 tid 6: request mutex:users',
      '12 tid 6: request mutex:orders',
    ]);
    expect(text(events, { own: [{ ...own, isShared: false }] })[0]).toBe('10 tid 5: request mutex:5:users');
    expect(text(events)).toEqual([]);
  });

  it('may be given another meaning by a row of the user', () => {
    const own: LockProvider = {
      event: 'lttng_ust_pthread:pthread_mutex_lock_req',
      role: 'try',
      kind: 'spin',
      lock: 'mutex',
      status: 'status',
      mutex: '',
      mode: 'shared',
      isShared: false,
    };
    const events = [user(10, 5, 'pthread_mutex_lock_req', { mutex: 0x10, status: 3 })];
    expect(text(events, { own: [own] })).toEqual(['10 tid 5: try spin:100:0x10 = 3 shared']);
  });

  it('without a lock or a thread are counted, and not used', () => {
    const { problems, length } = logOf([
      user(10, 5, 'pthread_mutex_lock_req'),
      event(11, 0, 'p:pthread_mutex_lock_req', { mutex: A }),
    ]);
    expect(length).toBe(0);
    expect(problems).toEqual({ 'lock event without thread or address': 2 });
  });
});

describe('threads of events of programs', () => {
  const request = (ts: number, fields: Fields, cpu = 0) =>
    event(ts, cpu, 'p:pthread_mutex_lock_req', { mutex: A, ...fields });

  it('are those that run, where events do not tell, up to the end of the kernel trace', () => {
    const events = [
      switchTo(5, 1, 7),
      request(10, {}, 1),
      switchTo(20, 1, 8),
      request(20, {}, 1),
      request(51, {}, 1),
    ];
    const { problems, ...log } = logOf(events, {
      kernel: kernelOf(
        [
          [7, 3, 0],
          [8, 4, 0],
        ],
        { end: 50 },
      ),
    });
    expect(textOf({ ...log, problems })).toEqual([
      '10 tid 7: request mutex:3:0x55bf0033f220',
      '20 tid 8: request mutex:4:0x55bf0033f220',
    ]);
    expect(problems).toEqual({ 'lock event without thread or address': 1 });
  });

  it('are another one when a number comes again, and have the pid of the kernel trace', () => {
    const kernel = kernelOf([
      [9, 1, 0],
      [7, 3, 0],
      [7, 5, 20],
      [7, -1, 30],
    ]);
    const log = logOf(
      [1, 19, 20, 29, 30].map((ts) => request(ts, { vtid: 7, vpid: 77 })),
      { kernel },
    );
    expect(log.threads.map(({ row, pid }) => [row, pid])).toEqual([
      [1, 3],
      [2, 5],
      [3, 77],
    ]);
    expect([...log.thread]).toEqual([0, 0, 1, 1, 2]);
    expect(log.locks.map(({ process }) => process)).toEqual([3, 5, 77]);
  });

  it('are those of the host by the pid namespace, or of a namespace that nobody knows', () => {
    const facts: NamespaceFacts = {
      time: Float64Array.of(0),
      tid: Int32Array.of(4711),
      vtid: Int32Array.of(7),
      ns: Int32Array.of(900),
      level: Uint8Array.of(1),
      kind: Uint8Array.of(DUMPED),
    };
    const kernel = kernelOf(
      [
        [4711, 4710, 0],
        [7, 7, 0],
      ],
      { facts },
    );
    const events = [
      request(10, { vtid: 7, vpid: 6, pid_ns: 900 }),
      request(11, { vtid: 7, vpid: 6, pid_ns: 901 }),
      request(12, { vtid: 7, vpid: 6 }),
      switchTo(13, 0, 4711),
      request(14, { vtid: 7, vpid: 6 }),
    ];
    expect(text(events, { kernel }).map((line) => line.replace(/: .* mutex/, ''))).toEqual([
      '10 tid 4711:4710:0x55bf0033f220',
      '11 tid 7@901:6:0x55bf0033f220',
      '12 tid 7:7:0x55bf0033f220',
      '14 tid 4711:4710:0x55bf0033f220',
    ]);
  });
});

describe('calls that lock files', () => {
  const held = (ts: number, tid: number, fd: number) => [
    enters(ts, tid, 'flock', { fd, cmd: 2 }),
    leaves(ts + 1, tid, 'flock', 0),
  ];
  const fileOf = (events: readonly PlainEvent[], kernel?: KernelThreads) =>
    text(events, { kernel }).filter((line) => line.includes('flock'));
  const opened = (ts: number, tid: number, path: string, fd: number, flags = 0) => [
    enters(ts, tid, 'openat', { filename: path, flags }),
    leaves(ts + 1, tid, 'openat', fd),
  ];

  it('are of the file of their descriptor: entry, exit and result', () => {
    expect(
      text([
        ...opened(1, 5, '/a', 3),
        enters(10, 5, 'flock', { fd: 3, cmd: 6 }),
        leaves(12, 5, 'flock', -11n),
        enters(13, 5, 'fcntl', { fd: 3, cmd: 7 }),
        leaves(14, 5, 'fcntl', 0),
        enters(15, 5, 'fcntl', { fd: 9, cmd: 37 }),
        leaves(16, 5, 'fcntl', 0),
        enters(17, 5, 'fcntl', { fd: 3, cmd: 1 }),
        leaves(18, 5, 'fcntl', 1),
        enters(19, 5, 'close', { fd: 3 }),
        leaves(20, 5, 'close', 0),
        ...held(21, 5, 3),
      ]),
    ).toEqual([
      '10 tid 5: flock file:/a description 0 = 6',
      '12 tid 5: file exit = -11',
      '13 tid 5: fcntl file:/a = 1',
      '14 tid 5: file exit',
      '15 tid 5: fcntl file:fd 9 of 5 description 1',
      '16 tid 5: file exit',
      '19 tid 5: file close file:/a',
      '19 tid -1: file left file:/a description 0 = 5',
      '21 tid 5: flock file:fd 3 of 5 description 2 = 2',
      '22 tid 5: file exit',
    ]);
  });

  it('follow copies of descriptors, and processes that are forked', () => {
    const events = [
      ...opened(1, 5, '/a', 3),
      enters(3, 5, 'dup', { fildes: 3 }),
      leaves(4, 5, 'dup', 4),
      enters(5, 5, 'dup2', { oldfd: 4, newfd: 7 }),
      leaves(6, 5, 'dup2', 7),
      enters(7, 5, 'fcntl', { fd: 7, cmd: 1030 }),
      leaves(8, 5, 'fcntl', 8),
      event(9, 0, 'sched_process_fork', { parent_tid: 5, parent_pid: 5, child_tid: 6, child_pid: 6 }),
      event(9, 0, 'sched_process_fork', { parent_tid: 5, parent_pid: 5, child_tid: 7, child_pid: 5 }),
      ...opened(10, 5, '/b', 9),
      ...held(12, 6, 8),
      ...held(14, 6, 9),
      ...held(16, 7, 9),
    ];
    expect(
      fileOf(
        events,
        kernelOf([
          [5, 5, 0],
          [6, 6, 9],
          [7, 5, 9],
        ]),
      ),
    ).toEqual([
      '12 tid 6: flock file:/a description 0 = 2',
      '14 tid 6: flock file:fd 9 of 6 description 1 = 2',
      '16 tid 7: flock file:/b description 2 = 2',
    ]);
  });

  it('know the files of state dumps, whichever event comes first, and lose those that exec closes', () => {
    const dumped = (ts: number, fd: number, filename: string, table: bigint) =>
      event(ts, 0, 'lttng_statedump_file_descriptor', { fd, filename, file_table_address: table });
    const process = (ts: number, tid: number, pid: number, table: bigint) =>
      event(ts, 0, 'lttng_statedump_process_state', { tid, pid, file_table_address: table });
    const events = [
      dumped(1, 3, '/a', 0xffff_8880_0000_1000n),
      process(2, 5, 5, 0xffff_8880_0000_1000n),
      dumped(3, 4, '/b', 0xffff_8880_0000_1000n),
      ...opened(5, 5, '/c', 6, 0o2000000),
      ...held(7, 5, 6),
      enters(10, 5, 'execve'),
      leaves(11, 5, 'execve', 0),
      ...held(12, 5, 3),
      ...held(14, 5, 4),
      ...held(16, 5, 6),
    ];
    expect(fileOf(events)).toEqual([
      '7 tid 5: flock file:/c description 0 = 2',
      '12 tid 5: flock file:/a description 1 = 2',
      '14 tid 5: flock file:/b description 2 = 2',
      '16 tid 5: flock file:fd 6 of 5 description 3 = 2',
    ]);
    expect(text(events)).toEqual(
      expect.arrayContaining([
        '11 tid 5: file close file:/c',
        '11 tid -1: file left file:/c description 0 = 5',
      ]),
    );
  });
});

describe('events of the kernel', () => {
  it('of futexes have their addresses by process, and end with a return of that call alone', () => {
    const events = [
      enters(10, 5, 'futex', { op: 137, uaddr: A, uaddr2: 0 }),
      enters(11, 6, 'futex', { op: 133, uaddr: 0x10, uaddr2: A }),
      leaves(12, 6, 'close', 0),
      leaves(13, 6, 'futex', 1),
      leaves(14, 6, 'futex', 1),
      event(15, 0, 'exit_syscall', { tid: 5, ret: -110n }),
    ];
    expect(
      text(events, {
        kernel: kernelOf([
          [5, 100, 0],
          [6, 100, 0],
        ]),
      }),
    ).toEqual([
      '10 tid 5: futex 100:0x55bf0033f220 = 137',
      '11 tid 6: futex 100:0x10 100:0x55bf0033f220 = 133',
      '13 tid 6: futex exit = 1',
      '15 tid 5: futex exit = -110',
    ]);
  });

  it('of futexes may tell their operation by their name', () => {
    const events = [
      enters(10, 5, 'futex_wait', { uaddr: A, flags: 0x82 }),
      leaves(11, 5, 'futex_wait', 0),
      enters(12, 6, 'futex_wake', { uaddr: A, flags: 2 }),
      leaves(13, 6, 'futex_wake', 1),
    ];
    expect(text(events)).toEqual([
      '10 tid 5: futex 5:0x55bf0033f220 = 137',
      '11 tid 5: futex exit',
      '12 tid 6: futex 6:0x55bf0033f220 = 10',
      '13 tid 6: futex exit = 1',
    ]);
  });

  it('of contention have lock, flags and result, under each name', () => {
    const lock_addr = 0xffff_8880_0000_1000n;
    const events = [
      event(10, 0, 'lock_contention_begin', { tid: 5, lock_addr, flags: 33 }),
      event(11, 0, 'lock:contention_end', { tid: 5, lock_addr, ret: -4 }),
    ];
    expect(text(events)).toEqual([
      '10 tid 5: contention 0xffff888000001000 = 33',
      '11 tid 5: contention end 0xffff888000001000 = -4',
    ]);
  });

  it.each(['all', 'own'] as const)(
    'happen in the thread that runs where no context tells (%s)',
    (switches) => {
      const begin = (ts: number, cpu: number) =>
        event(ts, cpu, 'lock:contention_begin', { lock_addr: 16n, flags: 1 });
      const events = [
        begin(4, 0),
        switchTo(5, 0, 7),
        switchTo(6, 1, 8),
        begin(7, 0),
        begin(8, 1),
        switchTo(9, 0, 0),
        begin(10, 0),
        begin(11, 1),
        switchTo(12, 0, 9),
        begin(13, 0),
      ];
      const log = logOf(events, { reads: { ...ALL, switches } });
      expect(textOf(log).map((line) => line.split(':')[0])).toEqual([
        '7 tid 7',
        '8 tid 8',
        '11 tid 8',
        '13 tid 9',
      ]);
      expect(log.problems).toEqual({ 'kernel lock event without thread': 2 });
    },
  );
});

it('programs say what they loaded and closed, in their own processes', () => {
  const place = { baddr: 0x55bf_0033_b000n };
  const loadedPlace = { ...place, memsz: 0x6000n, path: '/opt/p' };
  const of = (vpid: number) => ({ vpid, vtid: vpid });
  const { modules } = logOf([
    event(1, 0, 'lttng_ust_statedump:bin_info', { ...of(100), ...loadedPlace, is_pic: 0 }),
    event(2, 1, 'lttng_ust_lib:load', { ...of(200), ...loadedPlace }),
    user(3, 101, 'pthread_mutex_lock_req', { mutex: A }),
    event(4, 1, 'lttng_ust_dl:dlclose', { ...of(200), ...place }),
    event(5, 1, 'lttng_ust_lib:unload', { ...of(200), ...place }),
    event(6, 1, 'lttng_ust_dl:dlopen', { ...of(200), ...loadedPlace }),
  ]);
  const module = { base: place.baddr, size: 0x6000, path: '/opt/p', buildId: undefined };
  expect(modules).toEqual([
    { ...module, process: 100, memory: 0, isPic: false, since: -Infinity },
    { ...module, process: 200, memory: 1, isPic: true, since: 2, until: 5 },
    { ...module, process: 200, memory: 1, isPic: true, since: 6 },
  ]);
});

it('losses are rows, and nobody is known to run behind one of the kernel', () => {
  const begin = (ts: number) => event(ts, 3, 'lock:contention_begin', { lock_addr: 16n, flags: 1 });
  const events = [switchTo(1, 3, 7), begin(2), begin(20), switchTo(21, 3, 8), begin(22)];
  const streams = [
    {
      cpu: 3,
      chunks: [
        [
          { events: events.slice(0, 2), begin: 0, end: 5 },
          { events: events.slice(2), begin: 15, end: 30, lostPackets: 1 },
        ],
      ],
    },
  ];
  for (const switches of ['all', 'own'] as const) {
    const log = reduce(streams, [], { reads: { ...ALL, switches } });
    expect(textOf(log)).toEqual([
      '2 tid 7: contention 0x10 = 1',
      '20 tid -1: loss = 3',
      '22 tid 8: contention 0x10 = 1',
    ]);
    expect(log.problems).toEqual({ 'kernel lock event without thread': 1 });
  }
});
