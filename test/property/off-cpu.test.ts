/** Blocked time by call stacks is, to the ns, that of the states, and what a path of the thread has beside its own time. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BLOCKED, NETWORK } from '../../src/engine/graph/path-codes.ts';
import {
  CAUSES,
  STATE_IDLE_KTHREAD,
  STATE_PARKED,
  STATE_STOPPED,
} from '../../src/engine/linux/events/values.ts';
import type { RowInfo } from '../../src/engine/protocol/rows.ts';
import { OFF_CPU_ORDERS, type ProfileAnswer } from '../../src/engine/protocol/profile.ts';
import type { SessionApi } from '../../src/engine/protocol/session.ts';
import type { TimeRange } from '../../src/engine/protocol/range.ts';
import { localSession } from '../support/local-session.ts';
import { folderRefs } from '../support/memory-files.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { cut, rangeFrom, share } from './cuts.ts';
import { forAll } from '../support/for-all.ts';
import { sum } from '../support/sum.ts';
import { DEEP } from '../support/tier.ts';

const cases = fc.record({
  seed: fc.nat(),
  chunkBytes: fc.constantFrom(600, 4 << 20),
  begin: cut,
  length: share,
  order: fc.constantFrom(...OFF_CPU_ORDERS),
});

async function blockedNs(api: SessionApi, { id: row }: RowInfo, range: TimeRange): Promise<number> {
  return sum((await api.ask('threadSummary', { row, range }))?.blockedNs ?? []);
}

/** ns of the stacks that begin with a frame. */
function nsFrom({ tree }: ProfileAnswer, isWanted: (frame: string) => boolean): number {
  const outermost = new Int32Array(tree.parent.length);
  let ns = 0;
  for (let node = 1; node < outermost.length; node++) {
    outermost[node] = tree.parent[node] === 0 ? node : outermost[tree.parent[node]];
    if (isWanted(tree.frames[tree.frame[outermost[node]]])) ns += tree.ns[node];
  }
  return ns;
}

it('blocked time by call stacks is that of the states, of one thread, a process and all, by cause too', async () => {
  let blocked = 0;
  await forAll(12, [cases], async ({ seed, chunkBytes, begin, length, order }) => {
    const session = localSession();
    const { files } = simulate(settingsOf(seed));
    const { rows, info } = await session.open(folderRefs(files), { chunkBytes });
    const { api } = session;
    const range = await rangeFrom(begin, length, api, info.lengthNs);
    const threads = rows.filter(({ kind }) => kind === 'thread');
    // The tracer's own are no work of a program.
    const isTracer = (row: RowInfo) =>
      [row, rows[row.parent]].some(({ name }) => /^lttng/.test(name) || name === 'Tracer');
    let ofPrograms = 0;
    for (const thread of threads) {
      const ns = await blockedNs(api, thread, range);
      const ask = (offCpu: typeof order) =>
        api.ask('profile', { of: 'thread', row: thread.id, range, offCpu });
      const profile = await ask(order);
      expect(profile?.time).toBe(ns);
      if (!isTracer(thread)) ofPrograms += ns;
      if (thread !== threads[seed % threads.length]) continue;
      blocked += ns;
      const causes = (await api.ask('threadSummary', { row: thread.id, range }))?.blockedNs ?? [];
      const byCause = await ask('cause');
      const ofCause = (begins: string) => byCause && nsFrom(byCause, (frame) => frame.startsWith(begins));
      expect(ofCause('woken by a thread')).toBe(causes[CAUSES.indexOf('thread')]);
      expect(ofCause('ended by a timer')).toBe(causes[CAUSES.indexOf('timer')]);
      expect(ofCause('ended by the disk')).toBe(causes[CAUSES.indexOf('disk')]);
      expect(ofCause('ended by the network')).toBe(causes[CAUSES.indexOf('network')]);
      expect(ofCause('not ended in the trace')).toBe(causes[CAUSES.indexOf('none')]);
    }
    const everybody = await api.ask('profile', { of: 'all', row: '', range, offCpu: order });
    expect(everybody?.time).toBe(ofPrograms);
  });
  if (DEEP) expect(blocked).toBeGreaterThan(0);
});

it('blocked time of many times of threads, which overlap, is that of each', async () => {
  let blocked = 0;
  await forAll(
    20,
    [cases, fc.array(fc.tuple(fc.nat(), share, share), { minLength: 1, maxLength: 8 })],
    async ({ seed, order }, times) => {
      const session = localSession();
      const { rows, info } = await session.open(folderRefs(simulate(settingsOf(seed)).files));
      const { api } = session;
      const threads = rows.filter(({ kind }) => kind === 'thread');
      const asked = times.map(([thread, a, b]) => ({
        thread: thread % threads.length,
        from: Math.round(Math.min(a, b) * info.lengthNs),
        to: Math.round(Math.max(a, b) * info.lengthNs),
      }));
      const found = await api.ask('offCpu', {
        rows: threads.map(({ id }) => id),
        thread: Int32Array.from(asked, ({ thread }) => thread),
        from: Float64Array.from(asked, ({ from }) => from),
        to: Float64Array.from(asked, ({ to }) => to),
        order,
      });
      for (const [i, { thread, from, to }] of asked.entries()) {
        const ns = sum(found?.ns.subarray(found.start[i], found.start[i + 1]) ?? []);
        expect(ns).toBe(from < to ? await blockedNs(api, threads[thread], { from, to }) : 0);
        blocked += ns;
      }
    },
  );
  if (DEEP) expect(blocked).toBeGreaterThan(0);
});

/** States of a thread in which a path says that it is blocked, beside those that sleep. */
const OTHER_WAITS = [STATE_STOPPED, STATE_IDLE_KTHREAD, STATE_PARKED];

it('what a path has beside the time of its own thread is that blocked time', async () => {
  let compared = 0;
  await forAll(30, [cases], async ({ seed, begin, length }) => {
    const session = localSession();
    const { rows, info } = await session.open(folderRefs(simulate(settingsOf(seed)).files));
    const { api } = session;
    const asked = await rangeFrom(begin, length, api, info.lengthNs);
    const threads = rows.filter(({ kind }) => kind === 'thread');
    const { id: row } = threads[seed % threads.length];
    const path = await api.ask('path', { row, range: asked, criterion: 'main-task' });
    if (path === undefined) return;
    const { from, to, depth, label, length: segments } = path.segments;
    const own = sum(
      Array.from({ length: segments }, (_, i) =>
        depth[i] === 0 && label[i] !== BLOCKED && label[i] !== NETWORK ? to[i] - from[i] : 0,
      ),
    );
    const range = { from: path.from, to: path.to };
    const summary = await api.ask('threadSummary', { row, range });
    const others = sum(OTHER_WAITS.map((state) => summary?.statesNs[state] ?? 0));
    const profile = await api.ask('profile', { of: 'thread', row, range, offCpu: 'sleeper' });
    expect((profile?.time ?? 0) + others).toBe(path.to - path.from - own);
    compared += profile?.time ?? 0;
  });
  if (DEEP) expect(compared).toBeGreaterThan(0);
});
