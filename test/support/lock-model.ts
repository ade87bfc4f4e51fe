/** Small lock models, told by their waits. */
import type { LockKind } from '../../src/engine/layers/locks/lock-log.ts';
import * as m from '../../src/engine/layers/locks/model/lock-model.ts';

interface ToldThread {
  /** Row of the kernel's thread table, -1 none. */
  readonly row: number;
  readonly tid: number;
  readonly pid?: number;
  readonly process?: string;
}

interface ToldLock {
  readonly kind: LockKind;
  readonly process: number;
  readonly address: string;
}

/** A contended wait for a lock of an owner, unless it is told otherwise. */
interface ToldWait {
  /** Rows of the threads and locks. */
  readonly thread: number;
  readonly lock: number;
  readonly request: number;
  readonly end: number;
  readonly outcome?: number;
  readonly mode?: number;
  readonly flags?: number;
  readonly by?: number;
  /** Default `end`. */
  readonly link?: number;
  /** End of the hold; default: it has none. */
  readonly to?: number;
}

interface ToldFutexWait {
  readonly thread: number;
  readonly futex: number;
  readonly from: number;
  readonly to: number;
  /** Default: none is known. */
  readonly waker?: number;
}

export interface ToldLocks {
  readonly threads: readonly ToldThread[];
  readonly locks?: readonly ToldLock[];
  readonly waits?: readonly ToldWait[];
  readonly futexes?: readonly { readonly process: number; readonly address: string }[];
  readonly futexWaits?: readonly ToldFutexWait[];
}

export function lockModel(described: ToldLocks): m.LockModel {
  const { threads, locks = [], waits = [], futexes = [], futexWaits = [] } = described;
  const none = { length: 0, thread: new Int32Array(0), from: new Float64Array(0), to: new Float64Array(0) };
  return {
    threads: threads.map(({ pid = -1, process = '', ...thread }) => {
      return { ...thread, ns: 0, pid, process, key: String(thread.tid), name: '' };
    }),
    locks,
    waits: {
      length: waits.length,
      thread: Int32Array.from(waits, ({ thread }) => thread),
      lock: Int32Array.from(waits, ({ lock }) => lock),
      request: Float64Array.from(waits, ({ request }) => request),
      end: Float64Array.from(waits, ({ end }) => end),
      to: Float64Array.from(waits, ({ to = NaN }) => to),
      back: new Float64Array(waits.length).fill(NaN),
      outcome: Uint8Array.from(waits, ({ outcome = m.ACQUIRED }) => outcome),
      mode: Uint8Array.from(waits, ({ mode = 0 }) => mode),
      way: new Uint8Array(waits.length),
      flags: Uint8Array.from(waits, ({ flags = m.CONTENDED | m.TAKEN }) => flags),
      by: Int32Array.from(waits, ({ by = -1 }) => by),
      link: Float64Array.from(waits, ({ link, end }) => link ?? end),
      until: Float64Array.from(waits, ({ link, end }) =>
        link === undefined || Number.isNaN(link) ? end : link,
      ),
      spinning: new Float64Array(waits.length),
    },
    cells: {
      length: 0,
      lock: new Int32Array(0),
      waiter: new Int32Array(0),
      holder: new Int32Array(0),
      ns: new Float64Array(0),
      waits: new Int32Array(0),
    },
    strays: { length: 0, lock: new Int32Array(0), thread: new Int32Array(0), time: new Float64Array(0) },
    counts: Object.fromEntries(m.LOCK_COUNTS.map((name) => [name, new Int32Array(locks.length)])) as Record<
      m.LockCount,
      Int32Array
    >,
    holdParts: undefined,
    futexes,
    futexWaits: {
      length: futexWaits.length,
      thread: Int32Array.from(futexWaits, ({ thread }) => thread),
      futex: Int32Array.from(futexWaits, ({ futex }) => futex),
      from: Float64Array.from(futexWaits, ({ from }) => from),
      to: Float64Array.from(futexWaits, ({ to }) => to),
      result: new Float64Array(futexWaits.length),
      blocked: new Float64Array(futexWaits.length),
      waker: Int32Array.from(futexWaits, ({ waker = -1 }) => waker),
      at: new Float64Array(futexWaits.length).fill(NaN),
      byEnd: new Uint8Array(futexWaits.length),
    },
    kernelLocks: [],
    kernelWaits: {
      ...none,
      lock: new Int32Array(0),
      flags: new Int32Array(0),
      result: new Float64Array(0),
      waker: new Int32Array(0),
      at: new Float64Array(0),
    },
    problems: {},
  };
}
