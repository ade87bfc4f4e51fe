import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MergedChunk, MergeLimit, TransitionChunk } from './contract.ts';
import { createRunMerger } from './merge-runs.ts';
import { forAll } from '../../../test/support/for-all.ts';

/** Times of one source, cut into chunk results. */
type Source = readonly (readonly number[])[];

/** Within a chunk result times never go back: the map sees to it. */
function chunkResultOf(times: readonly number[]): TransitionChunk {
  let key = -Infinity;
  return { length: times.length, time: Float64Array.from(times, (time) => (key = Math.max(key, time))) };
}

/** `KEY SOURCE POSITION` of every transition in the one order, computed the simple way. */
function expected(sources: readonly Source[]): string[] {
  const all = sources.flatMap((chunkResults, source) => {
    let key = -Infinity;
    return chunkResults
      .flat()
      .map((time, position) => ({ key: (key = Math.max(key, time)), source, position }));
  });
  all.sort((a, b) => a.key - b.key || a.source - b.source || a.position - b.position);
  return all.map(({ key, source, position }) => `${key} ${source} ${position}`);
}

/** The least time of a chunk result and those after it: a true lower bound, as packet headers give it. */
function boundsOf(chunkResults: Source): number[] {
  return chunkResults.map((_, at) => Math.min(Infinity, ...chunkResults.slice(at).flat()));
}

interface Delivery {
  readonly emitted: string[];
  readonly watermarks: number[];
}

/** Puts the chunk results in the order of `arrival` (numbers are places among those left). */
function deliver(
  sources: readonly Source[],
  bounds: readonly number[][],
  arrival: readonly number[],
): Delivery {
  const emitted: string[] = [];
  const positions = sources.map(() => 0);
  const merger = createRunMerger(
    bounds.map((own, order) => ({ order, bounds: own })),
    (source, chunkResult, from, to) => {
      for (let i = from; i < to; i++) emitted.push(`${chunkResult.time[i]} ${source} ${positions[source]++}`);
    },
  );
  const left = sources.flatMap((chunkResults, source) =>
    chunkResults.map((times, sequence) => ({ source, sequence, times })),
  );
  const watermarks: number[] = [];
  for (let turn = 0; left.length > 0; turn++) {
    const [{ source, sequence, times }] = left.splice((arrival[turn % arrival.length] ?? 0) % left.length, 1);
    merger.put(source, sequence, chunkResultOf(times));
    const before = emitted.length;
    const last = watermarks.at(-1) ?? -Infinity;
    watermarks.push(merger.drain());
    for (const line of emitted.slice(before)) expect(Number(line.split(' ')[0])).toBeGreaterThanOrEqual(last);
  }
  return { emitted, watermarks };
}

const anySource = fc.array(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 6 }), { maxLength: 5 });
const anySources = fc.array(anySource, { minLength: 1, maxLength: 6 });
const anyArrival = fc.array(fc.nat(30), { minLength: 1, maxLength: 30 });

describe('merging runs', () => {
  it('gives the total order whatever the order of arrival, also where times go back', () =>
    forAll(100, [anySources, anyArrival], (sources, arrival) => {
      const { emitted, watermarks } = deliver(sources, sources.map(boundsOf), arrival);
      expect(emitted).toEqual(expected(sources));
      expect(watermarks).toEqual([...watermarks].sort((a, b) => a - b));
      if (watermarks.length > 0) expect(watermarks.at(-1)).toBe(Infinity);
    }));

  it('does not need bounds', () =>
    forAll(100, [anySources, anyArrival], (sources, arrival) => {
      const bounds = sources.map((chunkResults) => chunkResults.map(() => -Infinity));
      expect(deliver(sources, bounds, arrival).emitted).toEqual(expected(sources));
    }));

  it('waits for a chunk result only where it may come first', () => {
    const emitted: string[] = [];
    const merger = createRunMerger(
      [
        { order: 0, bounds: [0, 10] },
        { order: 1, bounds: [5] },
      ],
      (source, _, from, to) => emitted.push(`${source}:${from}-${to}`),
    );
    merger.put(1, 0, chunkResultOf([5, 10, 11]));
    expect(merger.drain()).toBe(0);
    merger.put(0, 0, chunkResultOf([1, 2, 7]));
    // At 10 the other source's next chunk result comes first, being of lower order.
    expect(merger.drain()).toBe(10);
    expect(emitted).toEqual(['0:0-2', '1:0-1', '0:2-3']);
    merger.put(0, 1, chunkResultOf([10]));
    expect(merger.drain()).toBe(Infinity);
    expect(emitted.slice(3)).toEqual(['0:0-1', '1:1-3']);
  });

  it('gives a chunk result away when all of it is emitted', () => {
    const spent: TransitionChunk[] = [];
    const sources = [
      { order: 0, bounds: [0] },
      { order: 1, bounds: [0] },
    ];
    const merger = createRunMerger(
      sources,
      () => undefined,
      undefined,
      (chunkResult) => spent.push(chunkResult),
    );
    const [whole, waiting] = [chunkResultOf([1, 2]), chunkResultOf([5])];
    merger.put(0, 0, whole);
    merger.drain();
    expect(spent).toEqual([]);
    merger.put(1, 0, waiting);
    merger.drain();
    expect(spent).toEqual([whole, waiting]);
  });

  it('lifts what lies before the bound of its chunk result', () => {
    const times: number[] = [];
    const merger = createRunMerger([{ order: 0, bounds: [5] }], (_, { time }) => times.push(...time));
    merger.put(0, 0, chunkResultOf([3, 8]));
    merger.drain();
    expect(times).toEqual([5, 8]);
  });
});

/** Takes transitions one by one, as far as it may. */
function takeInOrder(
  taken: string[],
  merged: readonly MergedChunk<TransitionChunk>[],
  limit: MergeLimit,
): void {
  for (;;) {
    const [least] = [...merged].sort(
      (a, b) => a.chunkResult.time[a.at] - b.chunkResult.time[b.at] || a.order - b.order,
    );
    const time = least.chunkResult.time[least.at];
    if (time > limit.time || (time === limit.time && least.order >= limit.order)) return;
    taken.push(`${time} ${least.order}`);
    if (++least.at === least.chunkResult.length) return;
  }
}

it('merges few chunk results at a time, however many streams there are', () => {
  const streams = 1000;
  const taken: string[] = [];
  let handed = 0;
  let most = 0;
  const merger = createRunMerger(
    Array.from({ length: streams }, (_, order) => ({ order, bounds: [0, 0] })),
    () => expect.unreachable('chunk results are merged'),
    (merged, limit) => {
      handed += merged.length;
      most = Math.max(most, merged.length);
      takeInOrder(taken, merged, limit);
    },
  );
  const times = (source: number, sequence: number) => [(source * 7919) % streams, streams + sequence];
  for (let source = 0; source < streams; source++)
    for (const sequence of [0, 1]) merger.put(source, sequence, chunkResultOf(times(source, sequence)));
  expect(merger.drain()).toBe(Infinity);
  const all = Array.from({ length: streams }, (_, source) => [[...times(source, 0)], [...times(source, 1)]]);
  expect(taken).toEqual(expected(all).map((line) => line.split(' ').slice(0, 2).join(' ')));
  expect(most).toBeLessThanOrEqual(64);
  expect(handed).toBeLessThan(100 * 4 * streams);
});
