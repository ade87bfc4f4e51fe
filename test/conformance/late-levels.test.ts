/** What is drawn of states that were decided later, from levels of detail, is what intervals tell. */
import { describe, expect, test } from 'vitest';
import type { HistoryQuery } from '../../src/engine/history/query-types.ts';
import { createQuery } from '../../src/engine/history/query.ts';
import { lateIntervals, resolveKinds } from '../../src/engine/linux/states/read/late-intervals.ts';
import { threadTotals } from '../../src/engine/linux/states/read/cpu-totals.ts';
import { STATE_DEAD, stateOf } from '../../src/engine/linux/events/values.ts';
import { cpuScheme, threadScheme } from '../../src/engine/linux/events/schemes.ts';
import { streamsOf } from '../support/batches.ts';
import { runStored, type StoredStates } from '../support/engine-run.ts';
import { scenario } from '../support/scenario.ts';
import { sharedDir, traceFolders, sharedPath } from '../support/shared.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { loadTrace } from '../support/trace-files.ts';
import { storedStates } from '../support/stored-states.ts';

const GROUPS = 8;
/** Of 255: shares are stored rounded, and rounded again when they are drawn. */
const ROUNDED = 2;

/** ns of each group in each bucket of [from, to), from intervals. */
async function plainGroups(
  query: HistoryQuery,
  attribute: number,
  isCpu: boolean,
  from: number,
  width: number,
  buckets: number,
) {
  const ns = new Float64Array(buckets * GROUPS);
  const { groupOf } = isCpu ? cpuScheme : threadScheme;
  for (const piece of await query.intervals(attribute, from, from + buckets * width)) {
    const group = groupOf(piece.value);
    if (group >= GROUPS) continue;
    const end = Math.min(piece.to, from + buckets * width);
    for (let at = Math.max(piece.from, from); at < end;) {
      const bucket = Math.floor((at - from) / width);
      const next = Math.min(end, from + (bucket + 1) * width);
      ns[bucket * GROUPS + group] += next - at;
      at = next;
    }
  }
  return ns;
}

/** The same from what is drawn, and the number of buckets that are mixed. */
async function drawnGroups(
  query: HistoryQuery,
  attribute: number,
  isCpu: boolean,
  from: number,
  to: number,
  width: number,
) {
  const tile = await query.tile({ attributes: [attribute], from, to, bucketNs: width });
  expect(tile.bucketNs).toBe(width);
  const buckets = Math.round((tile.to - tile.from) / width);
  const ns = new Float64Array(buckets * GROUPS);
  const { groupOf } = isCpu ? cpuScheme : threadScheme;
  let mixed = 0;
  for (let i = 0; i < tile.begin.length; i++) {
    let mix = tile.mix[i];
    for (let at = tile.begin[i]; at < tile.end[i];) {
      const bucket = Math.floor((at - tile.from) / width);
      const next = Math.min(tile.end[i], tile.from + (bucket + 1) * width);
      if (tile.mix[i] < 0) {
        const group = groupOf(tile.value[i]);
        if (group < GROUPS) ns[bucket * GROUPS + group] += next - at;
      } else {
        for (let group = 0; group < GROUPS; group++)
          ns[bucket * GROUPS + group] += (tile.shares[(GROUPS + 1) * mix + group] * width) / 255;
        mix++;
        mixed++;
      }
      at = next;
    }
  }
  return { from: tile.from, buckets, ns, mixed };
}

/** Compares every row with late intervals at many widths; how many mixed buckets were compared. */
async function compare({ builder, tables }: StoredStates): Promise<number> {
  const late = lateIntervals(tables);
  const query = createQuery(builder, { resolve: resolveKinds(builder, tables), ...late });
  const { from, to } = query.extent();
  const isCpu = new Set(tables.cpus.map(({ stateAttribute }) => stateAttribute));
  let compared = 0;
  for (let attribute = 0; attribute < builder.attributes; attribute++) {
    if (late.apart(attribute) === undefined) continue;
    for (let width = 4 ** 3; width < to - from; width *= 16) {
      const range = Math.min(to - from, width * 20_000);
      const drawn = await drawnGroups(query, attribute, isCpu.has(attribute), from, from + range, width);
      const plain = await plainGroups(
        query,
        attribute,
        isCpu.has(attribute),
        drawn.from,
        width,
        drawn.buckets,
      );
      const most = drawn.ns.reduce((max, ns, i) => Math.max(max, Math.abs(ns - plain[i])), 0);
      expect(most / width, `attribute ${attribute}, width ${width}`).toBeLessThanOrEqual(ROUNDED / 255);
      compared += drawn.mixed;
    }
  }
  return compared;
}

/** 1,000 times thread 1001 is to sleep with a signal pending and is preempted for 20 of 100 ns; at last it sleeps. */
function preempted(): StoredStates {
  let story = scenario().switch(0, 0, 0, 0, 1001).waking(1, 0, 1002);
  for (let at = 100; at < 100_000; at += 100) {
    story = story
      .add(at, 0, 'signal_generate', { sig: 14, pid: 1001, group: 0, result: 0 })
      .switch(at + 10, 0, 1001, 1, 1002)
      .switch(at + 30, 0, 1002, 0, 1001)
      .add(at + 35, 0, 'signal_deliver', { sig: 14 });
  }
  story = story.switch(100_000, 0, 1001, 1, 0).switch(101_000, 0, 0, 0, 1001);
  return storedStates(streamsOf(story.events), 102_000, 1000);
}

test('preemptions that looked like waits are drawn as such', async () => {
  const history = preempted();
  expect(history.tables.overruled.thread.length).toBeGreaterThan(900);
  expect(await compare(history)).toBeGreaterThan(100);
});

test.each([28, 745])('waits with lost events are drawn and summed as meant (seed %i)', async (seed) => {
  const { files, losses } = simulate(settingsOf(seed));
  expect(losses.length).toBeGreaterThan(0);
  const { builder, tables } = await runStored(files, {}, 300);
  expect(new Set(tables.overruled.value).size).toBeGreaterThan(2);
  await compare({ builder, tables });
  const query = createQuery(builder, { resolve: resolveKinds(builder, tables), ...lateIntervals(tables) });
  const { from, to } = query.extent();
  for (const [begin, end] of [
    [from, to],
    [from + (to - from) / 3, from + (to - from) / 2],
  ]) {
    const { ns, states } = await threadTotals(query, tables, { from: begin, to: end });
    for (const [thread, attribute] of tables.threads.stateAttribute.entries()) {
      const sums = new Float64Array(states);
      for (const { value, ...piece } of await query.intervals(attribute, begin, end))
        sums[stateOf(value)] += Math.min(end, piece.to) - Math.max(begin, piece.from);
      sums[STATE_DEAD] = ns[thread * states + STATE_DEAD];
      expect(ns.subarray(thread * states, (thread + 1) * states)).toEqual(sums);
    }
  }
});

// Skipped where the folder with recorded traces is not there.
describe.skipIf(sharedDir() === undefined)('recorded traces', () => {
  test.each(['real/16-cores-rt', 'traces/sampled-python'])('%s', async (name) => {
    const [folder] = traceFolders(sharedPath(name)).filter(({ name }) => name.includes('kernel'));
    const history = await runStored(loadTrace(folder.path), {}, 4000);
    expect(await compare(history)).toBeGreaterThan(0);
  });
});
