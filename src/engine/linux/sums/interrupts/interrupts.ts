/**
 * Interrupts by device, softirq, function of the timer and vector: how often, how long from entry to exit, and of
 * softirqs how long from raise to entry. An aggregate: entry and exit happen on one CPU, so its streams can be mapped
 * apart; how long those took that were switched out meanwhile, `irq-stats.ts` asks the state history. Of a time range:
 * what began and ended in it.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../../../analysis/contract.ts';
import { readAlone } from '../../../analysis/read-packets.ts';
import { append } from '../../../base/append.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import type { HostNs } from '../../../base/units.ts';
import { tallyReaders } from '../../../analysis/compiled/chunk-reader.ts';
import type { DurationTable } from '../duration-sums.ts';
import { mergeStreamParts, streamPartOf } from '../../../analysis/stream-merge.ts';
import type { InterruptsOfChunk } from './interrupt-ends.ts';
import {
  addRaise,
  type CutRun,
  type InterruptKey,
  type InterruptChunk,
  type InterruptStreamPart,
  InterruptSums,
  joinInterrupts,
} from './interrupt-chunk.ts';
import { INTERRUPT_KINDS, interruptLayout } from './interrupt-rules.ts';
import { InterruptChunkReader } from './interrupt-chunk-reader.ts';

export interface CpuInterrupts {
  readonly host: number;
  readonly cpu: number;
  /** Keys of the interrupts, in order of kind, number, name; the rows of `sums`. */
  readonly keys: readonly InterruptKey[];
  readonly sums: DurationTable<HostNs>;
  /** Interrupts that are not in the sums. */
  readonly cutRuns: readonly CutRun[];
}

export const interrupts: Analysis<InterruptChunk, readonly CpuInterrupts[]> = {
  id: 'interrupts',
  version: 4,
  reads: { kinds: INTERRUPT_KINDS },
  map: (batch) => readAlone(interruptReader(batch.plan), batch),
  reader: (plan) => interruptReader(plan),
  merge: (leaves) => mergeStreamParts(leaves, joinInterrupts),
  empty: [],
  finish: finishInterrupts,
};

/** Interrupts of the CPUs, in order of host and CPU. */
function finishInterrupts(leaf: InterruptChunk): readonly CpuInterrupts[] {
  const cpus = new Map<string, { host: number; cpu: number; sums: InterruptSums; cutRuns: CutRun[] }>();
  for (const { host, cpu, keys, sums, cutRuns, raises } of leaf) {
    const key = `${host} ${cpu}`;
    const known = cpus.get(key) ?? { host, cpu, sums: new InterruptSums(), cutRuns: [] };
    cpus.set(key, known);
    append(known.cutRuns, cutRuns);
    known.sums.addTable(keys, sums);
    raises.forEach(({ raise, entry }, vec) => addRaise(raise, entry, vec, cpu, known.sums));
  }
  return [...cpus.values()]
    .map(({ host, cpu, sums, cutRuns }) => ({ host, cpu, ...sums.finish(), cutRuns }))
    .sort((a, b) => a.host - b.host || a.cpu - b.cpu);
}

const interruptReader = cachedByKey((plan: ProjectionPlan) =>
  tallyReaders(new InterruptChunkReader(interruptLayout(plan)), interruptStreamPart),
);

/** @internal */
export function interruptStreamPart(batch: EventBatch, made: InterruptsOfChunk): InterruptStreamPart {
  return { ...streamPartOf(batch), cpu: batch.cpu, ...made };
}
