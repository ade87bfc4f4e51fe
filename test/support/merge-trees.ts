/** Merging leaves in every order that arrival may bring: any merge tree, the same result. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Analysis, EventBatch } from '../../src/engine/analysis/contract.ts';
import { batchesOf, type PlainEvent, type PlainStream } from './batches.ts';
import { forAll } from './for-all.ts';

/** The chunk result of each batch. */
export function chunkResultsOf<ChunkResult>(
  analysis: Analysis<ChunkResult, unknown>,
  batches: Iterable<EventBatch>,
): ChunkResult[] {
  const chunkResults: ChunkResult[] = [];
  for (const batch of batches) chunkResults.push(analysis.map(batch));
  return chunkResults;
}

/** Merges chunk results one after the other. */
export function mergeInOrder<ChunkResult>(
  analysis: Analysis<ChunkResult, unknown>,
  chunkResults: readonly ChunkResult[],
): ChunkResult {
  return chunkResults.reduce((merged, chunkResult) => analysis.merge([merged, chunkResult]), analysis.empty);
}

/** Merges two or more neighbours chosen by each number in turn, until one chunk result is left. */
export function mergeByTree<ChunkResult>(
  analysis: Analysis<ChunkResult, unknown>,
  chunkResults: readonly ChunkResult[],
  choices: readonly number[],
): ChunkResult {
  const rest = [...chunkResults];
  for (let i = 0; rest.length > 1; i++) {
    const choice = choices[i % choices.length] ?? 0;
    const at = choice % (rest.length - 1);
    const neighbours = rest.slice(at, at + 2 + (choice % 4));
    rest.splice(at, neighbours.length, analysis.merge(neighbours));
  }
  return rest[0] ?? analysis.empty;
}

/** The result of a story cut at random, its chunk results shuffled and merged by a random tree. */
export interface Cutting {
  /** Events per chunk, used in turn. */
  readonly sizes: readonly number[];
  /** Where each chunk result is put among those before it. */
  readonly places: readonly number[];
  readonly tree: readonly number[];
}

export const cuttings: fc.Arbitrary<Cutting> = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 }),
  places: fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }),
  tree: fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }),
});

export function resultOf<ChunkResult, Result>(
  analysis: Analysis<ChunkResult, Result>,
  events: readonly PlainEvent[],
  cutting?: Cutting,
): Result {
  const streams = cutStreams(events, cutting?.sizes ?? [Infinity]);
  const chunkResults = chunkResultsOf(analysis, batchesOf(streams, analysis.reads.kinds));
  if (cutting === undefined) return analysis.finish(mergeInOrder(analysis, chunkResults));
  const shuffled: ChunkResult[] = [];
  chunkResults.forEach((chunkResult, i) => {
    const place = cutting.places[i % cutting.places.length] % (shuffled.length + 1);
    shuffled.splice(place, 0, chunkResult);
  });
  return analysis.finish(mergeByTree(analysis, shuffled, cutting.tree));
}

/** Expects the same of whole stories as of any chunks of theirs, arrival and merge tree. */
export async function isSameHoweverCut<ChunkResult, Result>(
  analysis: Analysis<ChunkResult, Result>,
  stories: fc.Arbitrary<readonly PlainEvent[]>,
): Promise<void> {
  await forAll(100, [stories, cuttings], (events, cutting) => {
    expect(resultOf(analysis, events, cutting)).toEqual(resultOf(analysis, events));
  });
}

function cutStreams(events: readonly PlainEvent[], sizes: readonly number[]): PlainStream[] {
  const cpus = [...new Set(events.map((event) => event.cpu))].sort((a, b) => a - b);
  return cpus.map((cpu) => {
    const own = events.filter((event) => event.cpu === cpu);
    const chunks: { events: PlainEvent[] }[][] = [];
    for (let at = 0, i = 0; at < own.length; i++) {
      const size = sizes[i % sizes.length];
      chunks.push([{ events: own.slice(at, at + size) }]);
      at += size;
    }
    return { cpu, chunks };
  });
}
