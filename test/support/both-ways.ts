/** Reading chunks twice: by compiled code, and by the definitions of what it does. */
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { type EventBatch } from '../../src/engine/analysis/contract.ts';
import { readPackets } from '../../src/engine/analysis/read-packets.ts';
import { ChunkReaders } from '../../src/engine/kernel/chunk-reader.ts';
import { valueDifference } from './value-difference.ts';

export interface BothWays {
  /** By id of the analysis, of compiled code where it can. */
  readonly leaves: Readonly<Record<string, unknown>>;
  /** Ids of the analyses that compiled code did not read. */
  readonly defined: readonly string[];
  /** How the definitions' leaves differ, in words; undefined: they do not. */
  readonly difference: string | undefined;
}

/** The analyses take turns at the packets of a batch, whose rows lie in a memory. */
export function readBothWays(analyses: readonly AnyAnalysis[], batch: EventBatch): BothWays {
  const readers = analyses.map(({ id, reader }) => {
    const readers = reader?.(batch.plan);
    if (!(readers instanceof ChunkReaders)) throw new Error(`${id} has compiled code`);
    return readers as ChunkReaders<unknown, unknown>;
  });
  const leavesOf = (own: EventBatch) => {
    const leaves = readPackets(readers, own);
    return Object.fromEntries(analyses.map(({ id }, i) => [id, leaves[i]]));
  };
  const before = readers.map(({ compiled }) => compiled);
  const leaves = leavesOf(batch);
  const defined = analyses.filter((_, i) => readers[i].compiled === before[i]).map(({ id }) => id);
  const expected = leavesOf({ ...batch, rows: { ...batch.rows, place: undefined } });
  return { leaves, defined, difference: valueDifference(leaves, expected, 'leaves') };
}
