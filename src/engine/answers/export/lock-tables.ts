/** Locks and single waits for them as tables of files. */
import type { LockSums } from '../../layers/locks/results/lock-sums.ts';
import {
  columnsOf,
  type ExportCell,
  type ExportRow,
  type ExportTable,
  rowTable,
} from '../../export/tables/table.ts';
import type { FutexLine, LocksAnswer, LockThreadInfo } from '../../protocol/locks.ts';
import { isOnlyEnds } from '../locks/holderless-locks.ts';
import { lockWaits } from '../locks/lock-waits.ts';
import { type ExportSource, THREAD_COLUMNS, timeCells, timeColumns } from './export-source.ts';

const LOCK_COLUMNS = [
  ...columnsOf('text', 'lock', 'kind'),
  ...columnsOf('integer', 'lock_pid'),
  ...columnsOf('text', 'lock_process', 'address'),
] as const;

interface NamedLock {
  readonly host: number;
  readonly name: string;
  readonly kind?: string;
  readonly pid?: number;
  readonly process?: string;
  readonly address: string;
}

function lockCells({ name, kind = 'futex', pid = -1, process = '', address }: NamedLock): ExportCell[] {
  return [name, kind, pid < 0 ? null : pid, process === '' ? null : process, address];
}

/** @param answer whole; undefined: no lock events */
export function lockTable({ hosts }: ExportSource, answer: LocksAnswer | undefined): ExportTable {
  const isWanted = ({ host }: NamedLock) => hosts.includes(host);
  const { locks = [], kernelLocks = [] } = answer ?? {};
  const rows: ExportRow[] = [
    ...locks.filter(isWanted).map((lock) => {
      const { requests, acquired, failed, unfinished, contended, wait, spinningNs, hold, maxWaiters } = lock;
      const waited = [...sumCells(wait), spinningNs, ...sumCells(hold), maxWaiters];
      const isIdle = lock.isIdle === undefined ? null : Number(lock.isIdle);
      return [...lockCells(lock), requests, acquired, failed, unfinished, contended, ...waited, isIdle];
    }),
    ...futexesAlone(hosts, answer).map((futex) => {
      const list = futex.list ?? [];
      const maxNs = list.reduce((most, { from, to }) => Math.max(most, to - from), 0);
      const totalNs = list.reduce((sum, { from, to }) => sum + to - from, 0);
      const waited = [totalNs, maxNs, null, null, null, null];
      return [...lockCells(futex), futex.waits, null, null, null, list.length, ...waited, null];
    }),
    ...kernelLocks.filter(isWanted).map((lock) => {
      const waited = [...sumCells(lock.wait), null, null, null, lock.maxWaiters];
      return [...lockCells(lock), null, null, null, null, lock.wait.count, ...waited, null];
    }),
  ];
  const sums = ['requests', 'acquired', 'failed', 'unfinished', 'contended', 'wait_ns', 'longest_wait_ns'];
  const more = ['spinning_ns', 'hold_ns', 'longest_hold_ns', 'most_waiters', 'idle'];
  return rowTable([...LOCK_COLUMNS, ...columnsOf('integer', ...sums, ...more)], [rows]);
}

/** Futexes that are not part of a known lock, whose waits would be listed twice, nor used for the end of a thread. */
function futexesAlone(hosts: readonly number[], answer: LocksAnswer | undefined): readonly FutexLine[] {
  return (answer?.futexes ?? []).filter(
    (futex) => futex.lock === undefined && !isOnlyEnds(futex) && hosts.includes(futex.host),
  );
}

function sumCells({ totalNs, maxNs }: LockSums['wait']): number[] {
  return [totalNs, maxNs];
}

export function lockWaitTable(source: ExportSource, answer: LocksAnswer | undefined): ExportTable {
  return rowTable(
    [
      ...timeColumns(source),
      ...columnsOf('integer', 'duration_ns'),
      ...THREAD_COLUMNS,
      ...LOCK_COLUMNS,
      ...columnsOf('text', 'outcome', 'mode'),
      ...columnsOf('integer', 'spinning_ns', 'hold_ns'),
      ...columnsOf('text', 'by_worker'),
      ...columnsOf('integer', 'by_tid', 'by_pid'),
      ...columnsOf('text', 'by'),
    ],
    answer === undefined ? [] : waitPieces(source, answer),
  );
}

async function* waitPieces(source: ExportSource, answer: LocksAnswer): AsyncIterable<ExportRow[]> {
  const { threads } = answer;
  const known = new Map<string, NamedLock>(
    [...answer.locks, ...answer.kernelLocks].map((lock) => [lock.id, lock]),
  );
  const threadOf = (index: number) => threadCells(threads.at(index < 0 ? threads.length : index));
  const cellsOf = (lock: NamedLock, { waiter, from, to }: Pick<HolderlessEnds, 'waiter' | 'from' | 'to'>) => {
    return [...timeCells(source, from), to - from, ...threadOf(waiter), ...lockCells(lock)];
  };
  const { waits } = await lockWaits(source, { kernel: true, order: 'earliest', limit: Infinity });
  yield waits.flatMap((wait) => {
    const lock = known.get(wait.lock);
    if (lock === undefined || !source.hosts.includes(lock.host)) return [];
    const { outcome, mode = null, spinningNs = null, heldToNs, to, by } = wait;
    const holdNs = heldToNs === undefined ? null : heldToNs - to;
    return [[...cellsOf(lock, wait), outcome, mode, spinningNs, holdNs, ...threadOf(by)]];
  });
  for (const futex of futexesAlone(source.hosts, answer))
    yield (futex.list ?? []).map((wait) => {
      const { result, waker } = wait;
      const outcome = result === undefined ? 'unfinished' : result < 0 ? 'failed' : 'acquired';
      return [...cellsOf(futex, wait), outcome, null, null, null, ...threadOf(waker)];
    });
}

type HolderlessEnds = NonNullable<LocksAnswer['futexes'][number]['list']>[number];

function threadCells(thread: LockThreadInfo | undefined): ExportCell[] {
  if (thread === undefined) return [null, null, null, null];
  const { key, tid, pid = null, name } = thread;
  return [key, tid, pid, name];
}
