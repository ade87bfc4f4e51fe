/**
 * System calls that failed, by thread, call and error number: what returned a negative number. An aggregate that only
 * looks at returns. Who called is told by the switches of the CPU; a return before the first one, or between a loss
 * and the next one, is nobody's, as in the state history.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../../analysis/contract.ts';
import { readAlone } from '../../analysis/read-packets.ts';
import { oncePer } from '../../base/once-per.ts';
import { tallyReaders } from '../chunk-reader.ts';
import { kernelMeaning } from '../meanings.ts';
import { inPairs, mergePieces, pieceOf } from '../stream-pieces.ts';
import {
  CALL_OPEN,
  type FailureLeaf,
  type FailurePiece,
  type FailuresOfChunk,
  joinFailures,
} from './failure-leaf.ts';
import { failureLayout, FailureTally } from './failure-tally.ts';
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
  const layout = failureLayout(plan);
  return tallyReaders(new FailureTally(layout), () => new WasmFailureTally(plan, layout), failurePiece);
});

function failurePiece(batch: EventBatch, made: FailuresOfChunk): FailurePiece {
  return { ...pieceOf(batch), ...made };
}
