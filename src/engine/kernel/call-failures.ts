/**
 * System calls that failed, by thread, call and error number: what returned a negative number. An aggregate that only
 * looks at returns. Who called is told by the switches of the CPU; a return before the first one, or between a loss
 * and the next one, is nobody's, as in the state history.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../analysis/contract.ts';
import { oncePer } from '../base/once-per.ts';
import { losesBefore, losesWithin } from '../ctf/decode/rows.ts';
import { kernelMeaning, subjectsOf } from './meanings.ts';
import { placesOf, RowReader, ROWS_A_CALL } from './row-reader.ts';
import { mergePieces } from './stream-pieces.ts';
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
const THREAD_OPEN = -1;
/** Thread of returns that is not told. */
const THREAD_LOST = -2;

/**
 * Call of a return that old tracers do not name, where the entry lies before the piece: the call that was pending at
 * the end of the chunk before. No call is called that.
 */
const CALL_OPEN = '?';

/** Consecutive chunks of one stream. */
export interface FailurePiece extends StreamPiece {
  readonly host: number;
  /** Who runs at the end; THREAD_OPEN: no switch and no loss was seen. */
  readonly endThread: number;
  /** The call that is pending at the end, '' none; CALL_OPEN: as before the piece. */
  readonly endCall: string;
  /** In order of tid, call and number. */
  readonly failures: readonly CallFailure[];
}

export type FailureLeaf = readonly FailurePiece[];

export const callFailures: Analysis<FailureLeaf, readonly CallFailure[]> = {
  id: 'call-failures',
  version: 2,
  reads: {
    meanings: [
      kernelMeaning('switch', 'next_tid'),
      kernelMeaning('syscall-entry'),
      kernelMeaning('syscall-exit', 'ret'),
    ],
  },
  map: mapFailures,
  merge: (a, b) => mergePieces(a, b, joinFailures),
  empty: [],
  finish: (leaf) =>
    addUp(leaf.flatMap(({ failures }) => failures.filter(({ tid }) => tid > 0).map(namedCall))),
};

function mapFailures(batch: EventBatch): FailureLeaf {
  if (batch.domain !== 'kernel') return [];
  const { chunk, streamRank } = batch;
  const part = mapperOf(batch.plan).map(batch);
  return [{ rank: streamRank, first: chunk.sequence, last: chunk.sequence, host: chunk.host, ...part }];
}

function joinFailures(a: FailurePiece, b: FailurePiece): FailurePiece {
  const known = b.failures.map((one) => ({
    ...one,
    tid: one.tid === THREAD_OPEN ? a.endThread : one.tid,
    call: one.call === CALL_OPEN ? a.endCall : one.call,
  }));
  return {
    ...a,
    last: b.last,
    endThread: b.endThread === THREAD_OPEN ? a.endThread : b.endThread,
    endCall: b.endCall === CALL_OPEN ? a.endCall : b.endCall,
    failures: addUp([...a.failures, ...known]),
  };
}

function namedCall(failure: CallFailure): CallFailure {
  return failure.call === CALL_OPEN ? { ...failure, call: '' } : failure;
}

/** One entry per thread, call and number. */
function addUp(failures: readonly CallFailure[]): CallFailure[] {
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

const mapperOf = oncePer((plan: ProjectionPlan) => new FailureMapper(plan));

/** The kernel's error numbers; what is below −4095 is an address. */
const MOST_ERRORS = 4096;

/** Goes through the rows of one chunk after the other. */
class FailureMapper {
  readonly #switch: number;
  readonly #entry: number;
  readonly #exit: number;
  readonly #places;
  readonly #rows = new RowReader();
  #subjects: readonly string[] = [];
  #thread = THREAD_OPEN;
  /** Event class of the pending call's entry; old tracers do not name the call that returns. Else one of these two. */
  #pending = 0;
  #noCall = 0;
  #openCall = 0;
  /** Failures by thread, event class and number in one integer: made of failing calls only. */
  #counts = new Map<number, number>();

  constructor(plan: ProjectionPlan) {
    this.#switch = plan.meaning('switch');
    this.#entry = plan.meaning('syscall-entry');
    this.#exit = plan.meaning('syscall-exit');
    const { next_tid } = placesOf(plan, 'switch', ['next_tid']);
    const { ret } = placesOf(plan, 'syscall-exit', ['ret']);
    this.#places = { next_tid, ret };
  }

  map(batch: EventBatch): Pick<FailurePiece, 'endThread' | 'endCall' | 'failures'> {
    const { packets, chunk } = batch;
    this.#start(batch);
    for (let packet = 0; packet < packets.length; packet++) {
      if (losesBefore(packets, packet)) this.#change(THREAD_LOST);
      const end = packets.firstRow[packet + 1];
      for (let row = packets.firstRow[packet]; row < end; row += ROWS_A_CALL)
        this.#readRows(row, Math.min(row + ROWS_A_CALL, end));
      if (losesWithin(packets, packet)) this.#change(THREAD_LOST);
    }
    this.#rows.close();
    return {
      endThread: this.#thread,
      endCall: this.#subjects[this.#pending],
      failures: this.#finish(chunk.host),
    };
  }

  #start({ rows, eventClasses }: EventBatch): void {
    this.#rows.open(rows);
    this.#subjects = [...subjectsOf(eventClasses), '', CALL_OPEN];
    this.#noCall = eventClasses.length;
    this.#openCall = eventClasses.length + 1;
    this.#thread = THREAD_OPEN;
    this.#pending = this.#openCall;
    this.#counts = new Map();
  }

  /** Rows [from, to). */
  #readRows(from: number, to: number): void {
    const rows = this.#rows;
    const { meaning, eventClass } = rows;
    const { ret, next_tid } = this.#places;
    for (let row = from; row < to; row++) {
      const kind = meaning[row];
      if (kind === this.#entry) this.#pending = eventClass[row];
      else if (kind === this.#switch) this.#change(rows.int(row, next_tid));
      else if (kind === this.#exit) {
        const value = rows.wide(row, ret, 0);
        if (value < 0 && value > -MOST_ERRORS) this.#fail(eventClass[row], -value);
        this.#pending = this.#noCall;
      }
    }
  }

  #change(thread: number): void {
    this.#thread = thread;
    this.#pending = this.#noCall;
  }

  #fail(exit: number, errno: number): void {
    const eventClass = this.#subjects[exit] === '' ? this.#pending : exit;
    const thread = this.#thread - THREAD_LOST;
    const key = (thread * this.#subjects.length + eventClass) * MOST_ERRORS + errno;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  #finish(host: number): CallFailure[] {
    const failures = Array.from(this.#counts, ([key, count]): CallFailure => {
      const place = Math.floor(key / MOST_ERRORS);
      const tid = Math.floor(place / this.#subjects.length) + THREAD_LOST;
      const call = this.#subjects[place % this.#subjects.length];
      return { host, tid, call, errno: key % MOST_ERRORS, count };
    });
    return addUp(failures);
  }
}
