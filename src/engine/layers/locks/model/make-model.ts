/** Makes the model of a host's locks from its log and from the states of its kernel trace, if there is one. */
import { GrowingTable, ordered } from '../../../base/columns.ts';
import { orderBy } from '../../../base/stable-order.ts';
import {
  type LockLog,
  CONTENTION_BEGIN,
  CONTENTION_END,
  COND_BEGIN,
  COND_END,
  type LockName,
} from '../lock-log.ts';
import { CellTable, type WaitTable } from './model-tables.ts';
import { HandOvers } from './hand-overs.ts';
import { holdParts } from './hold-parts.ts';
import {
  type LockModel,
  type StrayRows,
  UNFINISHED,
  KERNEL_LOCK_WAITS,
  type KernelLockWaits,
} from './lock-model.ts';
import { ModelThreads, textRanks, threadEnds, threadRanks } from './model-threads.ts';
import { LockReader } from './read-locks.ts';
import {
  awaySince,
  hasSlept,
  noThreadWaits,
  onCpuNs,
  readThreadWaits,
  type ThreadWaits,
  type WakeUps,
  firstWakeBehind,
  ThreadTimes,
} from './thread-waits.ts';
import { tableOf } from '../../../base/tables.ts';
import { rowsBy } from '../../../base/rows-by.ts';
import { ThreadSet } from './thread-set.ts';
import { groupBy } from '../../../base/group-by.ts';
import type { ReadHost } from '../../contract/layer.ts';
import { compareAddresses } from '../lock-names.ts';
import { lockFinder } from '../lock-places.ts';
import { isOfLock } from './log-index.ts';
import { FutexCalls } from './futex-waits.ts';

export async function lockModel(
  log: LockLog,
  { kernel, end }: Pick<ReadHost, 'kernel' | 'end'>,
): Promise<LockModel> {
  const threads = new ModelThreads(log.threads, kernel?.tables);
  const endOf = threadEnds(log, kernel?.tables, end);
  const calls = new FutexCalls(log, endOf);
  const lockAt = lockFinder(log);
  const ofKernel = kernelLockWaits(log, endOf);
  let threadWaits = noThreadWaits(log.threads.length);
  const reader = new LockReader(
    log,
    endOf,
    (enter, exit) => {
      const thread = log.thread[enter];
      return hasSlept(threadWaits, thread, log.time[enter], exit < 0 ? endOf(thread) : log.time[exit]);
    },
    (lock, thread, since, time) =>
      log.threads[thread].row < 0 || log.locks[lock].kind === 'file'
        ? NaN
        : calls.waitAround(thread, time, since, (futex) => lockAt(futex)?.row !== lock),
  );
  reader.read((kind) => kind !== 'file');
  if (kernel !== undefined) {
    const times = new ThreadTimes();
    addWaits(reader.waits, times);
    addLateHolds(reader, times);
    reader.addFileCalls(times);
    calls.addTimes(times);
    addKernelTimes(ofKernel.waits, times);
    const rows = log.threads.map(({ row }) => row);
    threadWaits = await readThreadWaits(times, rows, kernel);
    endWhileAway(reader, threadWaits);
  }
  reader.read((kind) => kind === 'file');
  const wakes = wakeUps(threadWaits, threads);
  const ranks = textRanks(threads.list);
  const cells = new CellTable(threads.list.length);
  const handOvers = new HandOvers(reader, wakes, ranks, cells);
  findHandOvers(log, reader, handOvers);
  addSpinning(reader.waits, threadWaits);
  endOnPath(reader);
  const futexWaits = await calls.waits(threadWaits, threads, kernel);
  const order = threadRanks(threads.list);
  const waits = inOrder(reader.waits, order);
  return {
    threads: threads.list,
    locks: log.locks,
    waits,
    cells: cells.all(),
    strays: strayRows(reader),
    counts: reader.counts,
    holdParts: kernel && (await holdParts(waits, log, kernel)),
    futexes: log.futexes,
    futexWaits,
    kernelLocks: log.kernelLocks,
    kernelWaits: wokenKernelWaits(ofKernel.waits, wakes, order),
    problems: withCounts(log.problems, {
      'contention end without begin': ofKernel.endsWithoutBegin,
      'hold ended by lost events': reader.owned.lostHolds,
      'wait at a barrier whose round was not looked for': handOvers.missedRounds,
      'search for the wake-up of a wait cut short': handOvers.missedWakes,
      'search for where waits for futexes were moved cut short': calls.missedMoves,
      'wait for a lock, the last part of which is told as for nobody known': handOvers.shortened,
      'waiter for a lock, most of whose many holders are told as nobody known': cells.shortened,
    }),
  };
}

/** Problems with further counts, of which those of 0 are left out. */
function withCounts(problems: LockModel['problems'], others: LockModel['problems']): LockModel['problems'] {
  return { ...problems, ...Object.fromEntries(Object.entries(others).filter(([, count]) => count > 0)) };
}

function addWaits({ rows, length }: WaitTable, times: ThreadTimes): void {
  for (let row = 0; row < length; row++)
    if (rows.end[row] > rows.request[row]) times.add(rows.thread[row], rows.request[row], rows.end[row]);
}

/** Adds the holds that others ended, during which their threads may have been away. */
function addLateHolds({ owned, waits }: LockReader, times: ThreadTimes): void {
  const { thread, end, to } = waits.rows;
  for (const row of owned.lateHolds) times.add(thread[row], end[row], to[row]);
}

/**
 * Ends holds that others ended at the time when their threads left the CPU, if they are on none at the end and so
 * cannot release.
 */
function endWhileAway({ owned, waits }: LockReader, threadWaits: ThreadWaits): void {
  const { thread, end, to } = waits.rows;
  for (const row of owned.lateHolds) to[row] = awaySince(threadWaits, thread[row], end[row], to[row]);
}

function wakeUps({ start, signal, waker }: ThreadWaits, threads: ModelThreads): WakeUps {
  const table = new GrowingTable({ time: new Float64Array(0), by: new Int32Array(0) });
  const starts = new Int32Array(start.length);
  for (let thread = 0; thread + 1 < start.length; thread++) {
    for (let row = start[thread]; row < start[thread + 1]; row++) {
      if (waker[row] < 0) continue;
      const at = table.addRow();
      table.rows.time[at] = signal[row];
      table.rows.by[at] = threads.placeOf(waker[row]);
    }
    starts[thread + 1] = table.length;
  }
  return { start: starts, ...table.toTable() };
}

/** Finds hand-overs, of conditions first: a mutex retaken after one is waited for from the hand-over on. */
function findHandOvers({ locks }: LockLog, reader: LockReader, handOvers: HandOvers): void {
  const find = (isWanted: (kind: string) => boolean) => {
    locks.forEach(({ kind }, lock) => {
      const spans = reader.spans.at(lock);
      if (spans !== undefined && isWanted(kind)) handOvers.find(kind, lock, spans);
    });
  };
  find((kind) => kind === 'cond');
  const { request, end, to, link } = reader.waits.rows;
  for (const { mutex, condition, before } of reader.retakes()) {
    if (Number.isNaN(link[condition])) continue;
    // If events are missing, the thread may have had the mutex while it seems to wait for the condition.
    const free = before < 0 ? -Infinity : Number.isNaN(to[before]) ? end[before] : to[before];
    request[mutex] = Math.max(link[condition], free);
  }
  find((kind) => kind !== 'cond');
}

function addSpinning(waits: WaitTable, threadWaits: ThreadWaits): void {
  const { thread, request, end, link, spinning } = waits.rows;
  for (let row = 0; row < waits.length; row++) {
    if (!waits.isContended(row)) continue;
    const until = Number.isNaN(link[row]) ? end[row] : link[row];
    spinning[row] = onCpuNs(threadWaits, thread[row], request[row], until);
  }
}

/** Sets when waits end on a path. A waiting thread has no other event, so an unfinished wait ended by the next one. */
function endOnPath({ waits, nextEvent }: LockReader): void {
  const { thread, request, end, outcome, link, until } = waits.rows;
  for (let row = 0; row < waits.length; row++) {
    until[row] = Number.isNaN(link[row]) ? end[row] : link[row];
    if (outcome[row] === UNFINISHED) until[row] = Math.min(end[row], nextEvent(thread[row], request[row]));
  }
}

function inOrder(waits: WaitTable, ranks: Int32Array): LockModel['waits'] {
  const { thread, request, end } = waits.rows;
  const compare = (a: number, b: number) => end[a] - end[b] || ranks[thread[a]] - ranks[thread[b]] || a - b;
  return waits.inOrder(orderBy(request.subarray(0, waits.length), compare));
}

function strayRows({ owned: { strays }, spans }: LockReader): StrayRows {
  const lock = new Int32Array(strays.length);
  spans.forEach((span, row) => {
    if (span !== undefined) lock.fill(row, span.strays.from, span.strays.to);
  });
  return { lock, ...strays.toTable() };
}

/** Contended waits for kernel locks, from `contention_begin` to `contention_end` of a thread and a lock. */
interface ReadKernelLocks {
  /** Waits by lock, in order of begin; wakers are not known yet. */
  readonly waits: KernelLockWaits;
  readonly endsWithoutBegin: number;
}

/** @param endOf HostNs until which a thread may go on */
function kernelLockWaits(log: LockLog, endOf: (thread: number) => number): ReadKernelLocks {
  const table = new GrowingTable(tableOf(KERNEL_LOCK_WAITS, 0));
  const columns = table.rows;
  let endsWithoutBegin = 0;
  const { op, thread: threads, time, value } = log;
  const isOfKernel = (row: number) => op[row] === CONTENTION_BEGIN || op[row] === CONTENTION_END;
  const locks = log.lock.map((lock, row) => (isOfKernel(row) ? lock : -1));
  const { start, order } = rowsBy(locks, log.kernelLocks.length);
  const waiting = new ThreadSet(log.threads.length);
  const rowOf = new Int32Array(log.threads.length);
  for (let lock = 0; lock < log.kernelLocks.length; lock++) {
    for (let at = start[lock]; at < start[lock + 1]; at++) {
      const row = order[at];
      const thread = threads[row];
      if (op[row] === CONTENTION_END) {
        if (!waiting.delete(thread)) {
          endsWithoutBegin++;
          continue;
        }
        columns.to[rowOf[thread]] = time[row];
        columns.result[rowOf[thread]] = value[row];
        continue;
      }
      // A second begin: it spun, and now it sleeps.
      if (waiting.has(thread)) continue;
      waiting.add(thread);
      const wait = (rowOf[thread] = table.addRow());
      columns.thread[wait] = thread;
      columns.lock[wait] = lock;
      columns.from[wait] = time[row];
      columns.to[wait] = Math.max(time[row], endOf(thread));
      columns.flags[wait] = value[row];
      columns.result[wait] = columns.at[wait] = NaN;
      columns.waker[wait] = -1;
    }
    while (waiting.length > 0) waiting.delete(waiting.at(0));
  }
  return { waits: table.toTable(), endsWithoutBegin };
}

function addKernelTimes({ length, thread, from, to }: KernelLockWaits, times: ThreadTimes): void {
  for (let row = 0; row < length; row++) times.add(thread[row], from[row], to[row]);
}

/** Waits with the last wake-up in each that ended, in order of begin, end and thread. */
function wokenKernelWaits(waits: KernelLockWaits, wakes: WakeUps, ranks: ArrayLike<number>): KernelLockWaits {
  const { length, ...columns } = waits;
  const { thread, from, to, result, waker, at } = columns;
  for (let row = 0; row < length; row++) {
    if (Number.isNaN(result[row])) continue;
    const last = firstWakeBehind(wakes, thread[row], to[row]) - 1;
    if (last < firstWakeBehind(wakes, thread[row], from[row])) continue;
    waker[row] = wakes.by[last];
    at[row] = wakes.time[last];
  }
  const compare = (a: number, b: number) => to[a] - to[b] || ranks[thread[a]] - ranks[thread[b]] || a - b;
  const order = orderBy(from, compare);
  return { length, ...ordered(columns, order) };
}

/** The log with each lock shared by processes merged into one, named by the smallest process, then address. */
export async function withSharedLocks(
  log: LockLog,
  { kernel, end }: Pick<ReadHost, 'kernel' | 'end'>,
): Promise<LockLog> {
  if (kernel === undefined || log.futexes.length === 0) return log;
  const calls = new FutexCalls(log, threadEnds(log, kernel.tables, end));
  const lockAt = lockFinder(log);
  const times = new ThreadTimes();
  calls.addTimes(times, (call) => calls.isShared(call) && lockAt(calls.futexOf(call)) !== undefined);
  if (times.length === 0) return log;
  const rows = log.threads.map(({ row }) => row);
  const threadWaits = await readThreadWaits(times, rows, kernel);
  const same = Int32Array.from(log.locks.keys());
  const rootOf = (lock: number): number => {
    let root = lock;
    while (same[root] !== root) root = same[root] = same[same[root]];
    return root;
  };
  for (const [wait, wake] of calls.acrossProcesses(
    threadWaits,
    new ModelThreads(log.threads, kernel.tables),
  )) {
    const [a, b] = [lockAt(calls.futexOf(wait)), lockAt(calls.futexOf(wake))];
    if (a === undefined || b === undefined || a.offset !== b.offset) continue;
    if (log.locks[a.row].kind !== log.locks[b.row].kind) continue;
    const roots = [rootOf(a.row), rootOf(b.row)].sort((x, y) => compareAddresses(log.locks[x], log.locks[y]));
    same[roots[1]] = roots[0];
  }
  return joined(log, Int32Array.from(same, rootOf));
}

/** @param rootOf lock that each one is merged into, itself if it is alone */
function joined(log: LockLog, rootOf: Int32Array): LockLog {
  const members = groupBy(log.locks.keys(), (row) => rootOf[row]);
  if (members.size === log.locks.length) return log;
  const place = new Int32Array(log.locks.length);
  const locks: LockName[] = [];
  for (const [root, own] of members) {
    for (const row of own) place[row] = locks.length;
    const others = own.filter((row) => row !== root).map((row) => log.locks[row]);
    const aliases = others.sort(compareAddresses).map(({ process, address }) => ({ process, address }));
    locks.push(aliases.length === 0 ? log.locks[root] : { ...log.locks[root], aliases });
  }
  const { op } = log;
  return {
    ...log,
    locks,
    lock: log.lock.map((lock, row) => (lock < 0 || !isOfLock(op[row]) ? lock : place[lock])),
    other: log.other.map((other, row) =>
      other >= 0 && (op[row] === COND_BEGIN || op[row] === COND_END) ? place[other] : other,
    ),
  };
}
