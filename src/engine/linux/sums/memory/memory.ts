/**
 * The kernel's memory by thread: pages and objects that were allocated and freed, and page faults. An aggregate. What
 * happens in an interrupt counts for the thread that it interrupts. Who ran follows from the switches of the CPU. The
 * first one of a CPU, and the first one behind a loss, say who ran before it, too. Where no switch says it, as in streams
 * without any, this analysis gives the CPU and the time: who ran there is for the history to say.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../../../analysis/contract.ts';
import { readAlone } from '../../../analysis/read-packets.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { tallyReaders } from '../../../analysis/compiled/chunk-reader.ts';
import { kernelKind } from '../../events/kernel-events.ts';
import { inPairs, mergeStreamParts, streamPartOf } from '../../../analysis/stream-merge.ts';
import { THREAD_ELSEWHERE, THREAD_LOST, THREAD_OPEN } from '../../events/values.ts';
import {
  joinMemory,
  MEMORY_SUM_NAMES,
  type MemoryChunk,
  type MemoryOfChunk,
  type MemoryStreamPart,
  type MemorySum,
} from './memory-chunk.ts';
import { MemoryChunkReader } from './memory-chunk-reader.ts';

export type MemorySums = Readonly<Record<MemorySum, number>>;

export interface MemoryUse {
  readonly host: number;
  /** THREAD_ELSEWHERE: who ran on `cpu` at `time`, THREAD_LOST: not known. */
  readonly tid: number;
  /** -1 where events of the stream differ. */
  readonly cpu: number;
  /** HostNs; undefined where the thread is known. */
  readonly time?: number;
  readonly sums: MemorySums;
}

export const memory: Analysis<MemoryChunk, readonly MemoryUse[]> = {
  id: 'memory',
  version: 2,
  reads: {
    kinds: [
      kernelKind('switch', 'prev_tid', 'next_tid'),
      kernelKind('page-alloc', 'order', 'pfn'),
      kernelKind('page-free', 'order'),
      kernelKind('object-alloc', 'ptr', 'bytes'),
      kernelKind('object-free', 'ptr'),
      kernelKind('user-fault'),
      kernelKind('kernel-fault'),
    ],
  },
  map: (batch) => readAlone(memoryReader(batch.plan), batch),
  reader: (plan) => memoryReader(plan),
  merge: (leaves) => mergeStreamParts(leaves, inPairs(joinMemory)),
  empty: [],
  finish: (leaf) => leaf.flatMap(usesOf),
};

const memoryReader = cachedByKey((plan: ProjectionPlan) =>
  tallyReaders(new MemoryChunkReader(plan), memoryStreamPart),
);

function memoryStreamPart(batch: EventBatch, made: MemoryOfChunk): MemoryStreamPart {
  return { ...streamPartOf(batch), cpu: batch.cpu, ...made };
}

function usesOf({ host, cpu, beginThread, rows }: MemoryStreamPart): MemoryUse[] {
  return Array.from({ length: rows.length }, (_, row) => {
    const own = rows.tid[row] === THREAD_OPEN && beginThread >= 0 ? beginThread : rows.tid[row];
    const isKnown = own >= 0 || own === THREAD_LOST;
    const tid = isKnown ? own : THREAD_ELSEWHERE;
    const time = isKnown ? undefined : rows.time[row];
    return { host, tid, cpu, time, sums: sumsBy((name) => rows[name][row]) };
  });
}

export const NO_MEMORY = sumsBy(() => 0);

export function addMemory(a: MemorySums, b: MemorySums): MemorySums {
  return sumsBy((name) => a[name] + b[name]);
}

function sumsBy(value: (name: MemorySum) => number): MemorySums {
  return Object.fromEntries(MEMORY_SUM_NAMES.map((name) => [name, value(name)])) as Record<MemorySum, number>;
}
