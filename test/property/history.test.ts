/** The state history against plain arrays, for random sequences of calls. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { blocksSha256 } from '../support/blocks-sha256.ts';
import type {
  HistoryQuery,
  IdTile,
  Interval,
  Tile,
  TileSpans,
  Load,
} from '../../src/engine/history/query-types.ts';
import { createQuery } from '../../src/engine/history/query.ts';
import { Sealer } from '../../src/engine/history/seal.ts';
import type { ValueScheme } from '../../src/engine/history/types.ts';
import { ATTRIBUTES, type CallPlan, callPlans, PlanPlayer, TEST_SCHEME } from '../support/history-calls.ts';
import { NaiveHistory, type NaiveSpan } from '../support/naive-history.ts';
import { forAll } from '../support/for-all.ts';

function builderFor(plan: CallPlan): HistoryBuilder {
  const { segmentIntervals, outlineLevel } = plan;
  return new HistoryBuilder({ schemeOf: schemeOfPath, segmentIntervals, outlineLevel });
}

/** As `schemeOf`, by path. */
function schemeOfPath(path: readonly string[]): ValueScheme | undefined {
  return path[2] === 'state' ? TEST_SCHEME : undefined;
}

/** Finished history and truth of a plan. */
function play(plan: CallPlan): { builder: HistoryBuilder; query: HistoryQuery; naive: NaiveHistory } {
  const builder = builderFor(plan);
  const naive = new NaiveHistory();
  const player = new PlanPlayer(plan, [builder, naive]);
  player.play();
  builder.finish(player.time + 7);
  naive.finish(player.time + 7);
  return { builder, query: createQuery(builder), naive };
}

/** Times that matter: random ones over the history's length, and beyond both ends. */
function timesIn(naive: NaiveHistory, plan: CallPlan, fractions: readonly number[]): number[] {
  const length = naive.endTime - plan.start;
  return fractions.map((fraction) => Math.floor(plan.start - 5 + fraction * (length + 10)));
}

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
const range = fc.tuple(fraction, fraction).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);

async function expectEqual(
  query: HistoryQuery,
  naive: NaiveHistory,
  plan: CallPlan,
  from: number,
  to: number,
): Promise<void> {
  const attributes = Array.from({ length: plan.attributes }, (_, i) => i);
  const totals = await query.totals(attributes, from, to);
  for (const attribute of attributes) {
    const expected = naive.all(attribute).filter((interval) => interval.from < to && interval.to > from);
    expect(await query.intervals(attribute, from, to)).toEqual(expected);
    expect(await query.intervals(attribute, from, to, 2)).toEqual(expected.slice(0, 2));
    const ns = attribute < 4 ? nsOf(expected, from, to) : new Array<number>(16).fill(0);
    expect([...totals.ns.slice(attribute * 16, attribute * 16 + 16)]).toEqual(ns);
    const at = naive.all(attribute).find((interval) => interval.from <= from && from < interval.to);
    expect(await query.at(attribute, from)).toEqual(at);
  }
}

/** The first four attributes of a plan are states. */
function schemeOf(attribute: number): ValueScheme | undefined {
  return attribute < 4 ? TEST_SCHEME : undefined;
}

function spansOf(tile: TileSpans, row: number): { from: number; to: number; value: number; mix: number }[] {
  const spans = [];
  for (let i = tile.rowStart[row]; i < tile.rowStart[row + 1]; i++)
    spans.push({ from: tile.begin[i], to: tile.end[i], value: tile.value[i], mix: tile.mix[i] });
  return spans;
}

/** Shares are rounded when a level is stored and when it is read; causes of parts joined are not all known. */
function expectShares(tile: Tile, mix: number, span: NaiveSpan, tolerance: number): void {
  span.shares.forEach((ns, bucket) => {
    const at = (mix + bucket) * 9;
    ns.forEach((time, group) => {
      const share = (time * 255) / tile.bucketNs;
      expect(Math.abs(tile.shares[at + group] - share)).toBeLessThanOrEqual(tolerance);
    });
  });
}

/** Exact, whatever was stored of them. */
function expectIds({ longest, heldNs }: IdTile, mix: number, span: NaiveSpan): void {
  const ids = span.ids.map((_, bucket) => {
    return { longest: longest[mix + bucket], heldNs: heldNs[mix + bucket] };
  });
  expect(ids).toEqual(span.ids);
}

function expectSpans(
  tile: TileSpans,
  naive: NaiveHistory,
  attributes: readonly number[],
  expectMixed: (mix: number, span: NaiveSpan) => void,
): void {
  attributes.forEach((attribute, row) => {
    const expected = naive.spans(attribute, tile.from, tile.to, tile.bucketNs, schemeOf(attribute));
    const spans = spansOf(tile, row);
    expect(spans.map(({ from, to, value }) => ({ from, to, value }))).toEqual(
      expected.map(({ from, to, value }) => ({ from, to, value: value === -2 ? -1 : value })),
    );
    expected.forEach((span, i) => expectMixed(spans[i].mix, span));
  });
}

/** @param isAsked of the attributes of the plan, by number */
async function expectTile(
  query: HistoryQuery,
  naive: NaiveHistory,
  plan: CallPlan,
  from: number,
  to: number,
  bucketNs: number,
  tolerance: number,
  isAsked: (attribute: number) => boolean = () => true,
): Promise<void> {
  const attributes = Array.from({ length: plan.attributes }, (_, i) => i).filter(isAsked);
  const ids = attributes.filter((attribute) => ATTRIBUTES[attribute].kind === 'id');
  const others = attributes.filter((attribute) => !ids.includes(attribute));
  const tile = await query.tile({ attributes: others, from, to, bucketNs });
  expect(tile.bucketNs).toBeLessThanOrEqual(Math.max(bucketNs, 1));
  expectSpans(tile, naive, others, (mix, span) => expectShares(tile, mix, span, tolerance));
  const idTile = await query.idTile({ attributes: ids, from, to, bucketNs });
  expectSpans(idTile, naive, ids, (mix, span) => expectIds(idTile, mix, span));
}

describe('the state history', () => {
  it('answers instants, intervals and totals as plain arrays do', () =>
    forAll(150, [callPlans(300), fc.array(range, { minLength: 1, maxLength: 5 })], async (plan, ranges) => {
      const { query, naive } = play(plan);
      await expectEqual(query, naive, plan, plan.start - 1, naive.endTime + 1);
      for (const fractions of ranges) {
        const [from, to] = timesIn(naive, plan, fractions);
        await expectEqual(query, naive, plan, from, to);
      }
    }));

  it('answers alike while it is being built', () =>
    forAll(100, [callPlans(200), fraction, fc.nat(100)], async (plan, part, ahead) => {
      const builder = builderFor(plan);
      const naive = new NaiveHistory();
      const player = new PlanPlayer(plan, [builder, naive]);
      const query = createQuery(builder);
      player.play(Math.ceil(plan.calls.length * part));
      await expectEqual(query, naive, plan, plan.start, naive.endTime);
      player.play();
      builder.advance(player.time + ahead);
      naive.finish(player.time + ahead);
      await expectEqual(query, naive, plan, plan.start, naive.endTime);
      await expectTile(
        query,
        naive,
        plan,
        plan.start,
        naive.endTime + 1,
        (naive.endTime - plan.start) / 40,
        2,
      );
    }));

  it('writes the same bytes whatever is asked and told in between', () =>
    forAll(50, [callPlans(300), fc.integer({ min: 1, max: 20 })], async (plan, stride) => {
      const asked = builderFor(plan);
      const query = createQuery(asked);
      const player = new PlanPlayer(plan, [asked]);
      for (let calls = stride; calls < plan.calls.length; calls += stride) {
        player.play(calls);
        asked.advance(player.time);
        await query.totals([0], plan.start, player.time);
      }
      player.play();
      asked.finish(player.time + 7);
      expect(await blocksSha256(asked)).toBe(await blocksSha256(play(plan).builder));
    }));

  it('is the same when segments are sealed elsewhere, late', () =>
    forAll(50, [callPlans(300)], async (plan) => {
      const order: number[] = [];
      const sealer = new Sealer(() => TEST_SCHEME);
      const builder = new HistoryBuilder({
        schemeOf: schemeOfPath,
        segmentIntervals: plan.segmentIntervals,
        outlineLevel: plan.outlineLevel,
        seal: async (job) => {
          const copy = structuredClone(job);
          // Later jobs are done sooner.
          for (let turns = 20 - (job.index % 20); turns > 0; turns--) await Promise.resolve();
          return sealer.seal(copy);
        },
        onSealed: (segment) => order.push(segment.index),
      });
      const naive = new NaiveHistory();
      const query = createQuery(builder);
      const player = new PlanPlayer(plan, [builder, naive]);
      for (let calls = 50; calls < plan.calls.length; calls += 50) {
        player.play(calls);
        await builder.pressure();
      }
      player.play();
      builder.finish(player.time + 7);
      naive.finish(player.time + 7);
      await expectEqual(query, naive, plan, plan.start, naive.endTime);
      expect(await blocksSha256(builder)).toBe(await blocksSha256(play(plan).builder));
      expect(order).toEqual(order.map((_, i) => i));
    }));

  it('draws buckets as their definition says', () =>
    forAll(
      150,
      [callPlans(600), range, fc.integer({ min: 1, max: 300 })],
      async (plan, fractions, buckets) => {
        const { query, naive } = play(plan);
        const [from, to] = timesIn(naive, plan, fractions);
        await expectTile(query, naive, plan, from, to + 1, (to - from) / buckets, 2);
      },
    ));

  it('draws the whole from its outline, without a block', () =>
    forAll(150, [callPlans(600), fc.integer({ min: 1, max: 200 })], async (plan, buckets) => {
      const { builder, naive } = play(plan);
      const level = builder.outline?.level ?? Infinity;
      const bucketNs = Math.max((naive.endTime - plan.start) / buckets, 4 ** level);
      fc.pre(Number.isFinite(bucketNs));
      for (const segment of builder.segments) segment.blocks = undefined;
      const query = createQuery(builder);
      const isDrawn = (attribute: number) => ATTRIBUTES[attribute].kind !== 'string';
      await expectTile(query, naive, plan, plan.start, naive.endTime + 1, bucketNs, 2, isDrawn);
    }));

  it('answers with what values mean now', async () => {
    // State 0 of every row, and state 1 of the first row, turn out to be state 2.
    const resolve = (attribute: number, value: number): number =>
      value % 16 === 0 || (value % 16 === 1 && attribute === 0) ? value - (value % 16) + 2 : value;
    await forAll(
      100,
      [callPlans(300), range, fc.integer({ min: 1, max: 100 })],
      async (plan, fractions, buckets) => {
        const { builder, naive } = play(plan);
        for (const [attribute, changes] of naive.changes.entries())
          for (const change of changes)
            if (change.value >= 0) change.value = resolve(attribute, change.value);
        const query = createQuery(builder, { resolve });
        const [from, to] = timesIn(naive, plan, fractions);
        const attributes = Array.from({ length: plan.attributes }, (_, i) => i);
        const totals = await query.totals(attributes, from, to);
        for (const attribute of attributes) {
          const inRange = naive
            .joined(attribute)
            .filter((interval) => interval.from < to && interval.to > from);
          expect(await query.intervals(attribute, from, to)).toEqual(inRange);
          if (attribute < 4)
            expect([...totals.ns.slice(attribute * 16, attribute * 16 + 16)]).toEqual(
              nsOf(inRange, from, to),
            );
        }
        const load = await query.load({ attributes, from, to, bucketNs: (to - from) / buckets });
        expectLoad(load, naive, attributes, from, (to - from) / buckets);
      },
    );
  });
});

function nsOf(intervals: readonly Interval[], from: number, to: number): number[] {
  const ns = new Array<number>(16).fill(0);
  for (const { from: begin, to: end, value } of intervals)
    ns[value % 16] += Math.min(end, to) - Math.max(begin, from);
  return ns;
}

/** Whether there is more than one change inside a bucket. */
function isMixed(naive: NaiveHistory, attribute: number, from: number, to: number): boolean {
  return naive.changes[attribute].filter(({ time }) => time > from && time < to).length > 1;
}

/**
 * Attributes that use a CPU on average in each bucket, states whose group is user, kernel or interrupted, and any id; and
 * those whose state is unknown.
 */
function expectLoad(
  load: Load,
  naive: NaiveHistory,
  attributes: readonly number[],
  from: number,
  bucketNs: number,
): void {
  const width = 4 ** Math.max(0, Math.floor(Math.log(bucketNs) / Math.log(4) + 1e-12));
  const begin = Math.floor(from / width) * width;
  load.used.forEach((used, bucket) => {
    const bucketFrom = begin + bucket * width;
    const bucketTo = bucketFrom + width;
    let onCpu = NaN;
    let unknown = NaN;
    let [present, most] = [0, 0];
    for (const attribute of attributes) {
      let own = 0;
      for (const { from, to, value } of naive.all(attribute)) {
        const overlap = Math.min(to, bucketTo) - Math.max(from, bucketFrom);
        if (overlap <= 0) continue;
        own += overlap / width;
        if (Number.isNaN(onCpu)) onCpu = unknown = 0;
        const isId = ATTRIBUTES[attribute].kind === 'id';
        const group = isId ? 0 : (schemeOf(attribute)?.groupOf(value) ?? 255);
        if (group < 3 || group === 6 || group === 7) onCpu += overlap / width;
        if (group === 5) unknown += overlap / width;
      }
      present += own;
      most = Math.max(most, own);
    }
    const tolerance = 0.01 * attributes.length + 1e-6;
    const expectNear = (share: number, expected: number) => {
      if (Number.isNaN(expected)) expect(share).toBeNaN();
      else expect(Math.abs(share - expected)).toBeLessThan(tolerance);
    };
    expectNear(used, onCpu);
    expectNear(load.unknown[bucket], unknown);
    const isPure = !attributes.some((attribute) => isMixed(naive, attribute, bucketFrom, bucketTo));
    if (isPure) expect(load.absent[bucket]).toBeCloseTo(attributes.length * most - present, 5);
  });
}
