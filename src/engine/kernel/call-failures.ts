/**
 * System calls that failed, by thread, call and error number: what returned a negative number. An aggregate that only
 * looks at returns. Who called is told by the switches of the CPU; a return before the first one, or between a loss
 * and the next one, is nobody's, as in the state history.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../analysis/contract.ts';
import { readAlone } from '../analysis/read-packets.ts';
import { oncePer } from '../base/once-per.ts';
import { tallyReaders, type RowTally } from './chunk-reader.ts';
import { addUp, CALL_OPEN, FailureCounts, MOST_ERRORS, THREAD_LOST, THREAD_OPEN } from './failure-leaf.ts';
import type { CallFailure, FailureLeaf, FailurePiece, FailuresOfChunk } from './failure-leaf.ts';
import { kernelMeaning } from './meanings.ts';
import { RowReader, ROWS_A_CALL } from './row-reader.ts';
import { mergePieces, pieceOf } from './stream-pieces.ts';
import { WasmFailureTally } from './wasm-failures.ts';

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
  map: (batch, cpu) => readAlone(failureReader(batch.plan), batch, cpu),
  reader: (plan) => failureReader(plan),
  merge: (a, b) => mergePieces(a, b, joinFailures),
  empty: [],
  finish: (leaf) =>
    addUp(leaf.flatMap(({ failures }) => failures.filter(({ tid }) => tid > 0).map(namedCall))),
};

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

const failureReader = oncePer((plan: ProjectionPlan) => {
  const layout = layoutOf(plan);
  return tallyReaders(new FailureTally(layout), () => new WasmFailureTally(plan, layout), failurePiece);
});

function failurePiece(batch: EventBatch, made: FailuresOfChunk): FailurePiece {
  return { ...pieceOf(batch), ...made };
}

function layoutOf(plan: ProjectionPlan) {
  return {
    switch: plan.meaning('switch'),
    entry: plan.meaning('syscall-entry'),
    exit: plan.meaning('syscall-exit'),
    next_tid: plan.field('switch', 'next_tid'),
    ret: plan.field('syscall-exit', 'ret'),
  };
}

export type FailureLayout = ReturnType<typeof layoutOf>;

/** The definition. */
class FailureTally implements RowTally<FailuresOfChunk> {
  readonly #layout: FailureLayout;
  readonly #rows = new RowReader();
  readonly #counts = new FailureCounts();
  #thread = THREAD_OPEN;
  /** Event class of the pending call's entry; old tracers do not name the call that returns. */
  #pending = 0;

  constructor(layout: FailureLayout) {
    this.#layout = layout;
  }

  start(batch: EventBatch): boolean {
    this.#rows.open(batch.rows);
    this.#counts.start(batch);
    this.#thread = THREAD_OPEN;
    this.#pending = this.#counts.openCall;
    return true;
  }

  read(from: number, to: number): boolean {
    for (let row = from; row < to; row += ROWS_A_CALL) this.#readRows(row, Math.min(row + ROWS_A_CALL, to));
    return true;
  }

  lose(): void {
    this.#change(THREAD_LOST);
  }

  finish(): FailuresOfChunk {
    this.#rows.close();
    return this.#counts.finish(this.#thread, this.#pending);
  }

  #readRows(from: number, to: number): void {
    const rows = this.#rows;
    const { meaning, eventClass } = rows;
    const { ret, next_tid, entry, exit, switch: switches } = this.#layout;
    for (let row = from; row < to; row++) {
      const kind = meaning[row];
      if (kind === entry) this.#pending = eventClass[row];
      else if (kind === switches) this.#change(rows.int(row, next_tid));
      else if (kind === exit) {
        const value = rows.wide(row, ret, 0);
        if (value < 0 && value > -MOST_ERRORS) this.#fail(eventClass[row], -value);
        this.#pending = this.#counts.noCall;
      }
    }
  }

  #change(thread: number): void {
    this.#thread = thread;
    this.#pending = this.#counts.noCall;
  }

  #fail(exit: number, errno: number): void {
    const eventClass = this.#counts.named[exit] === 0 ? this.#pending : exit;
    this.#counts.add(this.#thread, eventClass, errno);
  }
}
