/** Reading chunks twice: by compiled code, and by the definitions of what it does. */
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import type { EventBatch } from '../../src/engine/analysis/contract.ts';
import { readPackets } from '../../src/engine/analysis/read-packets.ts';
import { ChunkReaders } from '../../src/engine/analysis/compiled/chunk-reader.ts';
import { definitionOf } from './definitions/definitions.ts';
import { firstDifference } from './decoded-difference.ts';
import { isObject } from './is-object.ts';

export interface BothWays {
  /** By id of the analysis, of compiled code. */
  readonly chunkResults: Readonly<Record<string, unknown>>;
  /** Ids of the analyses that had too little room where the rows lie, and read a copy. */
  readonly copied: readonly string[];
  /** How the definitions' chunk results differ, in words; undefined: they do not. */
  readonly difference: string | undefined;
}

/** The analyses take turns at the packets of a batch. */
export function readBothWays(analyses: readonly AnyAnalysis[], batch: EventBatch): BothWays {
  const readers = analyses.map(({ id, reader }) => {
    const readers = reader?.(batch.plan);
    if (!(readers instanceof ChunkReaders)) throw new Error(`${id} has compiled code`);
    return readers as ChunkReaders<unknown, unknown>;
  });
  const byId = (chunkResults: readonly unknown[]) =>
    Object.fromEntries(analyses.map(({ id }, i) => [id, chunkResults[i]]));
  const before = readers.map(({ readInPlace }) => readInPlace);
  const chunkResults = byId(readPackets(readers, batch));
  const copied = analyses.filter((_, i) => readers[i].readInPlace === before[i]).map(({ id }) => id);
  const definitions = analyses.map((analysis) => {
    const definition = definitionOf(analysis, batch.plan);
    if (definition === undefined) throw new Error(`${analysis.id} has a definition`);
    return definition;
  });
  const expected = byId(readPackets(definitions, batch));
  return { chunkResults, copied, difference: valueDifference(chunkResults, expected, 'chunkResults') };
}

/** Says the first difference of two plain values, in words; undefined: there is none. NaN is itself, and -0 is not 0. */
function valueDifference(actual: unknown, expected: unknown, path = 'it'): string | undefined {
  if (ArrayBuffer.isView(actual) && ArrayBuffer.isView(expected)) {
    const [ours, theirs] = [actual, expected] as unknown as [ArrayLike<number>, ArrayLike<number>];
    if (actual.constructor !== expected.constructor || ours.length !== theirs.length)
      return `${path}: ${actual.constructor.name}[${ours.length}], not ${expected.constructor.name}[${theirs.length}]`;
    const at = firstDifference(ours, theirs);
    return at < 0 ? undefined : `${path}[${at}] is ${ours[at]} and not ${theirs[at]}`;
  }
  if (!isObject(actual) || !isObject(expected))
    return Object.is(actual, expected) ? undefined : `${path}: ${String(actual)} and not ${String(expected)}`;
  const [ours, theirs] = [Object.keys(actual), Object.keys(expected)];
  if (ours.join() !== theirs.join()) return `${path}: {${ours.join()}} and not {${theirs.join()}}`;
  for (const key of theirs) {
    const found = valueDifference(actual[key], expected[key], `${path}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
