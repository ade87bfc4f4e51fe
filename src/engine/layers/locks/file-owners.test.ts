/** Locks of files from calls to holds: who owns them, and when they end. */
import { expect, it } from 'vitest';
import { batchesOf, type PlainEvent, streamsOf } from '../../../../test/support/batches.ts';
import { noFacts } from '../../linux/namespaces/facts.ts';
import { NamespaceThreads } from '../../linux/namespaces/namespace-threads.ts';
import type { KernelThreads } from '../contract/event-threads.ts';
import type { KernelReads } from './kernel-calls.ts';
import { lockMap } from './lock-map.ts';
import { LockReducer } from './lock-reducer.ts';
import { WAYS } from './model/lock-model.ts';
import { lockModel } from './model/make-model.ts';

const END = 1000;
const READS: KernelReads = { files: true, futexes: false, contention: false, switches: 'all' };
const [SH, EX, UN] = [1, 2, 8];
const [SETLK, OFD_SETLK, OFD_SETLKW, SETFD] = [6, 37, 38, 2];
const O_CLOEXEC = 0o2000000;

/** Threads 5 and 15 of process 5, 6 of process 6 and 7 of process 7, which are there from the begin on. */
const THREADS = [
  [5, 5],
  [15, 5],
  [6, 6],
  [7, 7],
] as const;

function kernelThreads(): KernelThreads {
  const columns = {
    length: THREADS.length,
    tid: Int32Array.from(THREADS, ([tid]) => tid),
    pid: Int32Array.from(THREADS, ([, pid]) => pid),
    first: new Float64Array(THREADS.length),
    ended: new Float64Array(THREADS.length).fill(NaN),
    idleCpu: new Int32Array(THREADS.length).fill(-1),
  };
  const threads = columns as unknown as KernelThreads['threads'];
  return { namespaces: new NamespaceThreads(noFacts()), threads, end: END };
}

function event(ts: number, name: string, fields: PlainEvent['fields']): PlainEvent {
  return { ts, cpu: 0, name, fields };
}

/** A call that returns 1 ns later. */
function call(ts: number, tid: number, name: string, fields: PlainEvent['fields'], ret = 0): PlainEvent[] {
  return [
    event(ts, `syscall_entry_${name}`, { tid, ...fields }),
    event(ts + 1, `syscall_exit_${name}`, { tid, ret }),
  ];
}

const open = (ts: number, tid: number, fd: number, flags = 0) =>
  call(ts, tid, 'openat', { filename: '/a', flags }, fd);
const flock = (ts: number, tid: number, fd: number, cmd: number) => call(ts, tid, 'flock', { fd, cmd });
const fcntl = (ts: number, tid: number, fd: number, cmd: number, arg = 0) =>
  call(ts, tid, 'fcntl', { fd, cmd, arg });
const close = (ts: number, tid: number, fd: number) => call(ts, tid, 'close', { fd });
const fork = (ts: number, parent: number, child: number) =>
  event(ts, 'sched_process_fork', {
    parent_tid: parent,
    parent_pid: parent,
    child_tid: child,
    child_pid: child,
  });
const exit = (ts: number, tid: number) => event(ts, 'sched_process_exit', { tid });

/** Holds of `/a`: `5: 11-20`, the way if it is none of asking. */
async function holdsOf(...events: readonly (PlainEvent | readonly PlainEvent[])[]): Promise<string[]> {
  const settings = { events: [], kernel: READS };
  const analysis = lockMap.of(settings);
  const reducer = new LockReducer(settings, kernelThreads());
  for (const batch of batchesOf(streamsOf(events.flat(), Infinity), analysis.reads.kinds)) {
    const chunk = analysis.map(batch);
    reducer.run(chunk, 0, chunk.length);
  }
  const { waits, threads } = await lockModel(reducer.finish(END), { kernel: undefined, end: END });
  return Array.from({ length: waits.length }, (_, row) => {
    const way = WAYS[waits.way[row]];
    const times = `${waits.end[row]}-${waits.to[row]}`;
    return `${threads[waits.thread[row]].tid}: ${times}${way === 'lock' ? '' : ` ${way}`}`;
  });
}

it('flock belongs to what open made: any copy of the descriptor gives it back, closing others does not', async () => {
  expect(
    await holdsOf(
      open(1, 5, 3),
      open(3, 5, 4),
      flock(10, 5, 3, EX),
      call(20, 5, 'dup', { fildes: 3 }, 7),
      close(30, 5, 3),
      close(40, 5, 4),
      flock(50, 15, 7, UN),
    ),
  ).toEqual(['5: 11-50']);
});

it.each([
  ['close', close(50, 5, 3), 50],
  ['dup2 of another file', call(50, 5, 'dup2', { oldfd: 4, newfd: 3 }, 3), 51],
  ['close_range', call(50, 5, 'close_range', { fd: 3, max_fd: 3, flags: 0 }), 51],
] as const)('the last descriptor ends it: %s', async (_, closes, end) => {
  expect(await holdsOf(open(1, 5, 3), open(3, 5, 4), flock(10, 5, 3, EX), closes)).toEqual([`5: 11-${end}`]);
});

it('a copy onto itself closes nothing', async () => {
  const copy = call(50, 5, 'dup2', { oldfd: 3, newfd: 3 }, 3);
  expect(await holdsOf(open(1, 5, 3), flock(10, 5, 3, EX), copy)).toEqual(['5: 11-1000']);
});

it('exec closes what is marked, by open or by fcntl', async () => {
  const exec = event(50, 'sched_process_exec', { tid: 5 });
  expect(await holdsOf(open(1, 5, 3, O_CLOEXEC), flock(10, 5, 3, EX), exec)).toEqual(['5: 11-50']);
  expect(await holdsOf(open(1, 5, 3), flock(10, 5, 3, EX), fcntl(20, 5, 3, SETFD, 1), exec)).toEqual([
    '5: 11-50',
  ]);
  const unmarked = fcntl(20, 5, 3, SETFD, 0);
  expect(await holdsOf(open(1, 5, 3, O_CLOEXEC), flock(10, 5, 3, EX), unmarked, exec)).toEqual([
    '5: 11-1000',
  ]);
});

it('a child keeps what its parent closes, and gives it back', async () => {
  const begin = [...open(1, 5, 3), ...flock(10, 5, 3, SH)];
  const children = [fork(20, 5, 7), fork(21, 5, 6)];
  expect(await holdsOf(begin, children, close(30, 5, 3), close(40, 7, 3), flock(50, 6, 3, UN))).toEqual([
    '5: 11-30',
    '6: 30-50 kept',
  ]);
  // The holder still has it.
  expect(await holdsOf(begin, children, close(30, 6, 3), close(40, 7, 3), close(50, 5, 3))).toEqual([
    '5: 11-50',
  ]);
});

it('a process that ends leaves its lock to a child, else it ends with its thread', async () => {
  const begin = [...open(1, 5, 3), ...flock(10, 5, 3, EX)];
  expect(await holdsOf(begin, fork(20, 5, 6), exit(30, 5), exit(40, 15), close(50, 6, 3))).toEqual([
    '5: 11-40',
    '6: 40-50 kept',
  ]);
  expect(await holdsOf(begin, exit(30, 5), exit(40, 15))).toEqual(['5: 11-1000']);
});

it('F_OFD_SETLK belongs to the description, F_SETLK to the process', async () => {
  const files = [...open(1, 5, 3), ...open(3, 15, 4)];
  expect(
    await holdsOf(files, fcntl(10, 5, 3, OFD_SETLKW), close(20, 15, 4), fcntl(30, 5, 3, OFD_SETLK)),
  ).toEqual(['5: 11-30']);
  expect(await holdsOf(files, fcntl(10, 5, 3, 7), fcntl(20, 15, 4, SETLK))).toEqual(['5: 11-20']);
  expect(await holdsOf(files, fcntl(10, 5, 3, 7), close(20, 15, 4))).toEqual(['5: 11-20']);
});
