/** The state history against plain arrays, for random sequences of calls. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { createQuery } from '../../src/engine/history/query.ts';
import type { HistoryQuery, Tile } from '../../src/engine/history/types.ts';
import { callPlans, PlanPlayer, TEST_SCHEME, type CallPlan } from '../support/history-calls.ts';
import { NaiveHistory, type NaiveSpan } from '../support/naive-history.ts';

function builderFor(plan: CallPlan): HistoryBuilder {
  return new HistoryBuilder({ schemeOf: () => TEST_SCHEME, segmentTiles: plan.segmentTiles });
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
    expect(totals.intervals[attribute]).toBe(expected.length);
    const ns = new Array<number>(16).fill(0);
    if (attribute < 4)
      for (const { from: begin, to: end, value } of expected)
        ns[value % 16] += Math.min(end, to) - Math.max(begin, from);
    expect([...totals.ns.slice(attribute * 16, attribute * 16 + 16)]).toEqual(ns);
    const at = naive.all(attribute).find((interval) => interval.from <= from && from < interval.to);
    expect(await query.at(attribute, from)).toEqual(at);
  }
}

function spansOf(tile: Tile, row: number): { from: number; to: number; value: number; mix: number }[] {
  const spans = [];
  for (let i = tile.rowStart[row]; i < tile.rowStart[row + 1]; i++)
    spans.push({ from: tile.begin[i], to: tile.end[i], value: tile.value[i], mix: tile.mix[i] });
  return spans;
}

/** Shares are rounded when a level is stored and when it is read; causes of parts joined are not all known. */
function expectShares(tile: Tile, mix: number, span: NaiveSpan, tolerance: number): void {
  span.shares.forEach((ns, bucket) => {
    const at = (mix + bucket) * 8;
    ns.forEach((time, group) => {
      const share = (time * 255) / tile.bucketNs;
      expect(Math.abs(tile.shares[at + group] - share)).toBeLessThanOrEqual(tolerance);
    });
  });
}

async function expectTile(
  query: HistoryQuery,
  naive: NaiveHistory,
  plan: CallPlan,
  from: number,
  to: number,
  bucketNs: number,
  tolerance: number,
): Promise<void> {
  const attributes = Array.from({ length: plan.attributes }, (_, i) => i);
  const tile = await query.tile({ attributes, from, to, bucketNs });
  expect(tile.bucketNs).toBeLessThanOrEqual(Math.max(bucketNs, 1));
  for (const attribute of attributes) {
    const expected = naive.spans(attribute, tile.from, tile.to, tile.bucketNs, TEST_SCHEME);
    const spans = spansOf(tile, attribute);
    expect(spans.map(({ from, to, value }) => ({ from, to, value }))).toEqual(
      expected.map(({ from, to, value }) => ({ from, to, value: value === -2 ? -1 : value })),
    );
    expected.forEach((span, i) => expectShares(tile, spans[i].mix, span, tolerance));
  }
}

describe('the state history', () => {
  it('answers instants, intervals and totals as plain arrays do', async () => {
    await fc.assert(
      fc.asyncProperty(
        callPlans(300),
        fc.array(range, { minLength: 1, maxLength: 5 }),
        async (plan, ranges) => {
          const { query, naive } = play(plan);
          await expectEqual(query, naive, plan, plan.start - 1, naive.endTime + 1);
          for (const fractions of ranges) {
            const [from, to] = timesIn(naive, plan, fractions);
            await expectEqual(query, naive, plan, from, to);
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  it('answers alike while it is being built', async () => {
    await fc.assert(
      fc.asyncProperty(callPlans(200), fraction, fc.nat(100), async (plan, part, ahead) => {
        const builder = builderFor(plan);
        const naive = new NaiveHistory();
        const player = new PlanPlayer(plan, [builder, naive]);
        const query = createQuery(builder);
        player.play(Math.floor(plan.calls.length * part));
        builder.advance(player.time + ahead);
        naive.endTime = Math.max(player.time + ahead, naive.endTime);
        if (plan.calls.length * part >= 1) await expectEqual(query, naive, plan, plan.start, naive.endTime);
      }),
    );
  });

  it('draws buckets as their definition says', async () => {
    await fc.assert(
      fc.asyncProperty(
        callPlans(600),
        range,
        fc.integer({ min: 1, max: 300 }),
        async (plan, fractions, buckets) => {
          const { query, naive } = play(plan);
          const [from, to] = timesIn(naive, plan, fractions);
          await expectTile(query, naive, plan, from, to + 1, (to - from) / buckets, 2);
        },
      ),
      { numRuns: 150 },
    );
  });
});
