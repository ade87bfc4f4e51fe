/** Leaves of the analysis of failed calls (`call-failures.ts`), and how one chunk's is counted. */
import type { EventBatch } from '../analysis/contract.ts';
import { oncePer } from '../base/once-per.ts';
import type { EventClass } from '../ctf/model.ts';
import { subjectsOf } from './meanings.ts';
import type { StreamPiece } from './stream-pieces.ts';

export interface CallFailure {
  readonly host: number;
  readonly tid: number;
  readonly call: string;
  /** Positive, as in errno.h. */
  readonly errno: number;
  readonly count: number;
}

/** Thread of returns before the first switch of a piece: whoever ran at the end of the chunk before. */
export const THREAD_OPEN = -1;
/** Thread of returns that is not told. */
export const THREAD_LOST = -2;

/**
 * Call of a return that old tracers do not name, where the entry lies before the piece: the call that was pending at
 * the end of the chunk before. No call is called that.
 */
export const CALL_OPEN = '?';

/** Consecutive chunks of one stream. */
export interface FailurePiece extends StreamPiece {
  /** Who runs at the end; THREAD_OPEN: no switch and no loss was seen. */
  readonly endThread: number;
  /** The call that is pending at the end, '' none; CALL_OPEN: as before the piece. */
  readonly endCall: string;
  /** In order of tid, call and number. */
  readonly failures: readonly CallFailure[];
}

/** What a chunk tells. */
export type FailuresOfChunk = Pick<FailurePiece, 'endThread' | 'endCall' | 'failures'>;

export type FailureLeaf = readonly FailurePiece[];

/** One entry per thread, call and number. */
export function addUp(failures: readonly CallFailure[]): CallFailure[] {
  const sums = new Map<string, CallFailure>();
  for (const one of failures) {
    const key = `${one.host} ${one.tid} ${one.errno} ${one.call}`;
    const known = sums.get(key);
    sums.set(key, known === undefined ? one : { ...known, count: known.count + one.count });
  }
  return [...sums.values()].sort(
    (a, b) =>
      a.host - b.host || a.tid - b.tid || (a.call < b.call ? -1 : a.call > b.call ? 1 : a.errno - b.errno),
  );
}

/** The kernel's error numbers; what is below −4095 is an address. */
export const MOST_ERRORS = 4096;

/** By event class: 1 when its name tells the call. */
const namesCall = oncePer((eventClasses: readonly EventClass[]) =>
  Uint8Array.from(subjectsOf(eventClasses), (subject) => (subject === '' ? 0 : 1)),
);

/** How often calls of the chunk at hand failed, calls by event class. */
export class FailureCounts {
  named = new Uint8Array(0);
  /** Classes of calls that no event of the chunk tells: that of no call, and of the one pending before. */
  noCall = 0;
  openCall = 0;
  #host = 0;
  #subjects: readonly string[] = [];
  /** By thread, event class and number in one integer: made of failing calls only. */
  #counts = new Map<number, number>();

  start({ eventClasses, chunk }: EventBatch): void {
    this.named = namesCall(eventClasses);
    this.noCall = eventClasses.length;
    this.openCall = eventClasses.length + 1;
    this.#host = chunk.host;
    this.#subjects = [...subjectsOf(eventClasses), '', CALL_OPEN];
    this.#counts = new Map();
  }

  add(thread: number, eventClass: number, errno: number, count = 1): void {
    const key = ((thread - THREAD_LOST) * this.#subjects.length + eventClass) * MOST_ERRORS + errno;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
  }

  /** With who runs at the end, and the event class of the call pending then. */
  finish(endThread: number, pending: number): FailuresOfChunk {
    const failures = Array.from(this.#counts, ([key, count]): CallFailure => {
      const place = Math.floor(key / MOST_ERRORS);
      const tid = Math.floor(place / this.#subjects.length) + THREAD_LOST;
      const call = this.#subjects[place % this.#subjects.length];
      return { host: this.#host, tid, call, errno: key % MOST_ERRORS, count };
    });
    return { endThread, endCall: this.#subjects[pending], failures: addUp(failures) };
  }
}
