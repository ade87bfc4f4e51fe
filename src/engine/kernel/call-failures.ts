/**
 * System calls that failed, by thread, call and error number: what returned a negative number. An aggregate that only
 * looks at returns. Who called is told by the switches of the CPU; a return before the first one, or between a loss
 * and the next one, is nobody's, as in the state history.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../analysis/contract.ts';
import { readAlone } from '../analysis/read-packets.ts';
import { oncePer } from '../base/once-per.ts';
import { noRows } from '../base/tables.ts';
import { tallyReaders, type RowTally } from './chunk-reader.ts';
import { widen } from './columns.ts';
import { addUp, CALL_OPEN, callClasses, FAILURES, joinFailures } from './failure-leaf.ts';
import { MOST_ERRORS, THREAD_LOST, THREAD_OPEN } from './failure-leaf.ts';
import type { FailureLeaf, FailurePiece, FailuresOfChunk } from './failure-leaf.ts';
import { kernelMeaning } from './meanings.ts';
import { RowReader, ROWS_A_CALL } from './row-reader.ts';
import { inPairs, mergePieces, pieceOf } from './stream-pieces.ts';
import { WasmFailureTally } from './wasm-failures.ts';

export interface CallFailure {
  readonly host: number;
  readonly tid: number;
  readonly call: string;
  /** Positive, as in errno.h. */
  readonly errno: number;
  readonly count: number;
}

export const callFailures: Analysis<FailureLeaf, readonly CallFailure[]> = {
  id: 'call-failures',
  version: 3,
  reads: {
    meanings: [
      kernelMeaning('switch', 'next_tid'),
      kernelMeaning('syscall-entry'),
      kernelMeaning('syscall-exit', 'ret'),
    ],
  },
  map: (batch, cpu) => readAlone(failureReader(batch.plan), batch, cpu),
  reader: (plan) => failureReader(plan),
  merge: (leaves) => mergePieces(leaves, inPairs(joinFailures)),
  empty: [],
  finish: finishFailures,
};

/** In order of host, tid, call and number; of threads that are known. */
function finishFailures(leaf: FailureLeaf): readonly CallFailure[] {
  const sums = new Map<string, CallFailure>();
  for (const { host, failures } of leaf) {
    failures.tid.forEach((tid, i) => {
      if (tid <= 0) return;
      const [name, errno] = [failures.calls[failures.call[i]], failures.errno[i]];
      const call = name === CALL_OPEN ? '' : name;
      const key = `${host} ${tid} ${errno} ${call}`;
      const count = failures.count[i] + (sums.get(key)?.count ?? 0);
      sums.set(key, { host, tid, call, errno, count });
    });
  }
  return [...sums.values()].sort(
    (a, b) =>
      a.host - b.host || a.tid - b.tid || (a.call < b.call ? -1 : a.call > b.call ? 1 : a.errno - b.errno),
  );
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
  #classes = callClasses([]);
  #thread = THREAD_OPEN;
  /** Event class of the pending call's entry; old tracers do not name the call that returns. */
  #pending = 0;
  readonly #failures = noRows(FAILURES);
  #length = 0;

  constructor(layout: FailureLayout) {
    this.#layout = layout;
  }

  start({ rows, eventClasses }: EventBatch): boolean {
    this.#rows.open(rows);
    this.#classes = callClasses(eventClasses);
    this.#thread = THREAD_OPEN;
    this.#pending = this.#classes.openCall;
    this.#length = 0;
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
    const { names } = this.#classes;
    return {
      endThread: this.#thread,
      endCall: names[this.#pending],
      failures: addUp(this.#failures, this.#length, names),
    };
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
        this.#pending = this.#classes.noCall;
      }
    }
  }

  #change(thread: number): void {
    this.#thread = thread;
    this.#pending = this.#classes.noCall;
  }

  #fail(exit: number, errno: number): void {
    const failures = this.#failures;
    if (this.#length === failures.tid.length) widen(failures);
    const row = this.#length++;
    failures.tid[row] = this.#thread;
    failures.call[row] = this.#classes.named[exit] === 0 ? this.#pending : exit;
    failures.errno[row] = errno;
    failures.count[row] = 1;
  }
}
