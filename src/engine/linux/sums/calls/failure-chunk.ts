/** Chunk results of the analysis of failed calls (`call-failures.ts`), and how one chunk's is counted. */
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { orderBy } from '../../../base/stable-order.ts';
import { f64, i32, joinTables, type Table, tableOf } from '../../../base/tables.ts';
import type { EventClass } from '../../../ctf/model.ts';
import { trimmed } from '../../../base/columns.ts';
import { subjectsOf, toldBy } from '../../events/kernel-events.ts';
import type { StreamPart } from '../../../analysis/stream-merge.ts';
import { THREAD_OPEN } from '../../events/values.ts';

/** Calls that returned an error, as columns, without duplicates, in order of thread, name of the call, number and time. */
export interface Failures {
  readonly tid: Int32Array;
  /** Index in `calls`. */
  readonly call: Int32Array;
  /** Positive, as in errno.h. */
  readonly errno: Int32Array;
  readonly count: Float64Array;
  /** HostNs of the return if the thread is THREAD_ELSEWHERE, else 0. */
  readonly time: Float64Array;
  /** Ascending. */
  readonly calls: readonly string[];
}

/**
 * Call of a return that old tracers do not name, if the entry lies before the part: the call that was pending at the
 * end of the chunk before. No call has this name.
 */
export const CALL_OPEN = '?';

/** Consecutive chunks of one stream. */
export interface FailureStreamPart extends StreamPart {
  /** Thread at the end; THREAD_OPEN: no switch and no loss was seen, THREAD_ELSEWHERE: the stream has no switches. */
  readonly endThread: number;
  /** Call that is pending at the end, '' none; CALL_OPEN: the one before the part. */
  readonly endCall: string;
  readonly failures: Failures;
}

/** Failures of one chunk, with its thread and call at the end. */
export type FailuresOfChunk = Pick<FailureStreamPart, 'endThread' | 'endCall' | 'failures'>;

export type FailureChunk = readonly FailureStreamPart[];

/** Number of the kernel's error numbers; results below −4095 are addresses. */
export const MOST_ERRORS = 4096;

/** Failures in any order, calls by their index in some list of names. */
export const FAILURES = { tid: i32(), call: i32(), errno: i32(), count: f64(), time: f64() };

/** One row per thread, call, number and time; `names` may have a name several times. */
export function addUp(rows: Table<typeof FAILURES>, length: number, names: readonly string[]): Failures {
  const { tid, errno, count, time } = rows;
  const used = [...new Set(rows.call.subarray(0, length))];
  const calls = [...new Set(used.map((call) => names[call]))].sort();
  const rankOf = new Map(calls.map((name, rank) => [name, rank]));
  const ranks = new Map(used.map((call) => [call, rankOf.get(names[call]) ?? -1]));
  const call = rows.call.subarray(0, length).map((own) => ranks.get(own) ?? -1);
  const order = orderBy(
    Float64Array.from(tid.subarray(0, length)),
    (a, b) => call[a] - call[b] || errno[a] - errno[b] || time[a] - time[b],
  );
  const sums = tableOf(FAILURES, length);
  let last = -1;
  for (const row of order) {
    const isSame = last >= 0 && sums.tid[last] === tid[row] && sums.call[last] === call[row];
    if (!isSame || sums.errno[last] !== errno[row] || sums.time[last] !== time[row]) {
      last++;
      sums.tid[last] = tid[row];
      sums.call[last] = call[row];
      sums.errno[last] = errno[row];
      sums.time[last] = time[row];
    }
    sums.count[last] += count[row];
  }
  return { ...trimmed(sums, last + 1), calls };
}

/** Joins parts; `a` lies before `b` in the stream: open values of `b` are those at the end of `a`. */
export function joinFailures(a: FailureStreamPart, b: FailureStreamPart): FailureStreamPart {
  const [own, later] = [a.failures, b.failures];
  const rows = joinTables(FAILURES, [own, later]);
  const { length } = rows.tid;
  for (let row = own.tid.length; row < length; row++) {
    if (rows.tid[row] === THREAD_OPEN) rows.tid[row] = a.endThread;
    rows.call[row] += own.calls.length;
  }
  const names = [...own.calls, ...later.calls.map((name) => (name === CALL_OPEN ? a.endCall : name))];
  return {
    ...a,
    last: b.last,
    endThread: b.endThread === THREAD_OPEN ? a.endThread : b.endThread,
    endCall: b.endCall === CALL_OPEN ? a.endCall : b.endCall,
    failures: addUp(rows, length, names),
  };
}

/** Marks by event class; 1: its name tells the call. */
const namesCall = cachedByKey((eventClasses: readonly EventClass[]) =>
  Uint8Array.from(subjectsOf(eventClasses), (subject) => (subject === '' ? 0 : 1)),
);

const namesOf = cachedByKey((eventClasses: readonly EventClass[]) => [
  ...subjectsOf(eventClasses),
  '',
  CALL_OPEN,
]);

/** Whether threads of returns are THREAD_ELSEWHERE. */
export function tellsCallsAlone(eventClasses: readonly EventClass[]): boolean {
  const { switches, unnamedExits } = toldBy(eventClasses);
  return !switches && (unnamedExits || namesCall(eventClasses).includes(1));
}

/** Numbers of calls while a chunk is read: the event class with the call's name. */
export function callClasses(eventClasses: readonly EventClass[]) {
  return {
    named: namesCall(eventClasses),
    /** Classes of calls that no event of the chunk names: no call, and the one pending before. */
    noCall: eventClasses.length,
    openCall: eventClasses.length + 1,
    names: namesOf(eventClasses),
  };
}
