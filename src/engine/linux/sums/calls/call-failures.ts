/**
 * Failed system calls, by thread, call and error number: those that returned a negative number. An aggregate that
 * only reads returns. The caller follows from the switches of the CPU; a return between a loss and the next switch
 * belongs to nobody, as in the state history. For returns before the first switch, which any range may have, this
 * analysis gives the CPU, and the history tells who ran there when the range began; likewise for each return of a
 * stream without switches, as in sessions of several channels.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../../../analysis/contract.ts';
import {
  aggregatesModule,
  type RowChunkReader,
  rowReaders,
} from '../../../analysis/compiled/chunk-reader.ts';
import { packed, type RowExports, RowKernel } from '../../../analysis/compiled/row-kernel.ts';
import { readBy } from '../../../analysis/read-packets.ts';
import { inPairs, mergeStreamParts, streamPart } from '../../../analysis/stream-merge.ts';
import { compare } from '../../../base/compare.ts';
import { noRows } from '../../../base/tables.ts';
import { kernelKind } from '../../events/kernel-events.ts';
import { THREAD_ELSEWHERE, THREAD_LOST, THREAD_OPEN } from '../../events/values.ts';
import { isRestart } from '../error-counts.ts';
import {
  CALL_OPEN,
  FAILURES,
  type FailureChunk,
  type FailuresOfChunk,
  joinFailures,
} from './failure-chunk.ts';
import { addUp, callClasses, tellsCallsAlone } from './failure-chunk.ts';

export interface CallFailure {
  readonly host: number;
  /** THREAD_OPEN: the thread on `cpu` at the begin, THREAD_ELSEWHERE: at `time`. */
  readonly tid: number;
  /** Set only for these two, and even then -1 if not known. */
  readonly cpu: number;
  /** HostNs of the return; undefined: the thread is known. */
  readonly time?: number;
  /** '': an old tracer's return does not give it, and the entry lies before the begin. */
  readonly call: string;
  /** Positive, as in errno.h. */
  readonly errno: number;
  readonly count: number;
}

export const callFailures: Analysis<FailureChunk, readonly CallFailure[]> = {
  id: 'call-failures',
  version: 6,
  reads: {
    kinds: [kernelKind('switch', 'next_tid'), kernelKind('syscall-entry'), kernelKind('syscall-exit', 'ret')],
  },
  ...readBy((plan) => rowReaders(new FailureChunkReader(failureLayout(plan)), streamPart)),
  merge: (chunkResults) => mergeStreamParts(chunkResults, inPairs(joinFailures)),
  empty: [],
  finish: finishFailures,
};

/** Sums of the failures, in order of host, tid, call and number, without those of unknown threads. */
function finishFailures(chunkResult: FailureChunk): readonly CallFailure[] {
  const sums = new Map<string, CallFailure>();
  for (const { host, cpu, failures } of chunkResult) {
    failures.tid.forEach((tid, i) => {
      const time = tid === THREAD_ELSEWHERE ? failures.time[i] : undefined;
      if (tid <= 0 && tid !== THREAD_OPEN && time === undefined) return;
      const [name, errno] = [failures.calls[failures.call[i]], failures.errno[i]];
      if (isRestart(errno)) return;
      const call = name === CALL_OPEN ? '' : name;
      const on = tid < 0 ? cpu : -1;
      const key = `${host} ${tid} ${on} ${time} ${errno} ${call}`;
      const count = failures.count[i] + (sums.get(key)?.count ?? 0);
      sums.set(key, { host, tid, cpu: on, time, call, errno, count });
    });
  }
  return [...sums.values()].sort(
    (a, b) => a.host - b.host || a.tid - b.tid || compare(a.call, b.call) || a.errno - b.errno,
  );
}

interface FailureExports extends RowExports {
  beginFailures(
    fields: number,
    failures: number,
    named: number,
    noCall: number,
    thread: number,
    call: number,
  ): void;
  readFailures(from: number, to: number): number;
  changeThread(thread: number): void;
  /** Moves failures to the first rows, and returns their number. */
  packFailures(): number;
  readonly failureThread: WebAssembly.Global;
  readonly failureCall: WebAssembly.Global;
}

/** Numbers passed to the kernel: those of kinds, then fields. */
export const FAILURE_NUMBERS = ['switches', 'entries', 'exits', 'nextTid', 'ret'] as const;

/** Slots for failures by thread, event class and number, half of which may be used; count 0: free. */
const SLOTS = 2 ** 13;

/** @internal */
export function failureLayout(plan: ProjectionPlan) {
  return {
    switches: plan.kind('switch'),
    entries: plan.kind('syscall-entry'),
    exits: plan.kind('syscall-exit'),
    nextTid: plan.field('switch', 'next_tid'),
    ret: plan.field('syscall-exit', 'ret'),
  };
}

export type FailureLayout = ReturnType<typeof failureLayout>;

/** Reads one chunk by compiled code (`src/wasm/aggregates/failures.ts`). */
class FailureChunkReader implements RowChunkReader<FailuresOfChunk> {
  readonly #kernel: RowKernel<FailureExports>;
  readonly #fields: Int32Array;
  // Data of the present chunk.
  #names: readonly string[] = [];
  #slots = noRows(FAILURES);
  #isElsewhere = false;

  constructor(layout: FailureLayout) {
    this.#kernel = new RowKernel(aggregatesModule());
    const [nextTid, ret] = packed([layout.nextTid, layout.ret]);
    const numbers = { ...layout, nextTid, ret };
    this.#fields = Int32Array.from(FAILURE_NUMBERS, (name) => numbers[name]);
  }

  start({ rows, eventClasses }: EventBatch, scale: number): boolean {
    const kernel = this.#kernel;
    if (!kernel.open(rows)) return false;
    const { named, noCall, openCall, names } = callClasses(eventClasses);
    const slots = kernel.table(FAILURES, SLOTS * scale);
    const fields = kernel.copy(this.#fields);
    const classes = kernel.copy(named);
    if (kernel.isFull) return false;
    this.#names = names;
    this.#slots = slots.rows;
    slots.rows.count.fill(0);
    this.#isElsewhere = tellsCallsAlone(eventClasses);
    const thread = this.#isElsewhere ? THREAD_ELSEWHERE : THREAD_OPEN;
    kernel.exports.beginFailures(fields, slots.directory, classes, noCall, thread, openCall);
    return true;
  }

  read(from: number, to: number): boolean {
    return this.#kernel.exports.readFailures(from, to) === 1;
  }

  lose(): void {
    this.#kernel.exports.changeThread(this.#isElsewhere ? THREAD_ELSEWHERE : THREAD_LOST);
  }

  finish(): FailuresOfChunk {
    const { exports } = this.#kernel;
    const length = exports.packFailures();
    return {
      endThread: exports.failureThread.value as number,
      endCall: this.#names[exports.failureCall.value as number],
      failures: addUp(this.#slots, length, this.#names),
    };
  }
}
