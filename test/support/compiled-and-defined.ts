/** Reading chunks twice: by compiled code, and by the definitions of what it does. */
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import type { EventBatch } from '../../src/engine/analysis/contract.ts';
import { readPackets } from '../../src/engine/analysis/read-packets.ts';
import { ChunkReaders } from '../../src/engine/analysis/compiled/chunk-reader.ts';
import { definitionOf } from './definitions/definitions.ts';
import { valueDifference } from './value-difference.ts';

export interface BothWays {
  /** By id of the analysis, of compiled code. */
  readonly leaves: Readonly<Record<string, unknown>>;
  /** Ids of the analyses that had too little room where the rows lie, and read a copy. */
  readonly copied: readonly string[];
  /** How the definitions' leaves differ, in words; undefined: they do not. */
  readonly difference: string | undefined;
}

/** The analyses take turns at the packets of a batch. */
export function readBothWays(analyses: readonly AnyAnalysis[], batch: EventBatch): BothWays {
  const readers = analyses.map(({ id, reader }) => {
    const readers = reader?.(batch.plan);
    if (!(readers instanceof ChunkReaders)) throw new Error(`${id} has compiled code`);
    return readers as ChunkReaders<unknown, unknown>;
  });
  const byId = (leaves: readonly unknown[]) =>
    Object.fromEntries(analyses.map(({ id }, i) => [id, leaves[i]]));
  const before = readers.map(({ readInPlace }) => readInPlace);
  const leaves = byId(readPackets(readers, batch));
  const copied = analyses.filter((_, i) => readers[i].readInPlace === before[i]).map(({ id }) => id);
  const definitions = analyses.map((analysis) => {
    const definition = definitionOf(analysis, batch.plan);
    if (definition === undefined) throw new Error(`${analysis.id} has a definition`);
    return definition;
  });
  const expected = byId(readPackets(definitions, batch));
  return { leaves, copied, difference: valueDifference(leaves, expected, 'leaves') };
}
