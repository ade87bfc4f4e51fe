/**
 * What compiled code makes of rows (`src/wasm`), written down in plain TypeScript that reads rows wherever they lie: tests
 * compare every chunk result of both.
 */
import type { AnyAnalysis } from '../../../src/engine/analysis/analysis-set.ts';
import type { PacketReader, ProjectionPlan } from '../../../src/engine/analysis/contract.ts';
import { callFailures, failureLayout } from '../../../src/engine/linux/sums/calls/call-failures.ts';
import { rowReaders } from '../../../src/engine/analysis/compiled/chunk-reader.ts';
import { interruptLayout } from '../../../src/engine/linux/sums/interrupts/interrupt-rules.ts';
import { interrupts } from '../../../src/engine/linux/sums/interrupts/interrupts.ts';
import { ioUsage } from '../../../src/engine/linux/sums/io/io.ts';
import { streamPart } from '../../../src/engine/analysis/stream-merge.ts';
import { ioStreamPart, layoutOf } from '../../../src/engine/linux/sums/io/io-chunk-reader.ts';
import { kernelState } from '../../../src/engine/linux/states/kernel-state.ts';
import { stateReaders } from '../../../src/engine/linux/states/map/state-map.ts';
import { FailureDefinition } from './failure-definition.ts';
import { InterruptDefinition } from './interrupt-definition.ts';
import { IoDefinition } from './io-definition.ts';
import { RuleDefinition } from './rule-definition.ts';

const READERS: Readonly<Partial<Record<string, (plan: ProjectionPlan) => PacketReader<unknown>>>> = {
  [kernelState.id]: (plan) => stateReaders(new RuleDefinition(plan)),
  [ioUsage.id]: (plan) => rowReaders(new IoDefinition(layoutOf(plan)), ioStreamPart),
  [interrupts.id]: (plan) => rowReaders(new InterruptDefinition(interruptLayout(plan)), streamPart),
  [callFailures.id]: (plan) => rowReaders(new FailureDefinition(failureLayout(plan)), streamPart),
};

/** What reads chunks as an analysis with compiled code does; undefined: it has none. */
export function definitionOf({ id }: AnyAnalysis, plan: ProjectionPlan): PacketReader<unknown> | undefined {
  return READERS[id]?.(plan);
}
