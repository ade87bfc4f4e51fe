/** Events by thread: any chunks, any workers, any packets give the same bytes, and what counting one by one gives. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAggregate, AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { buffersOf } from '../../src/engine/base/buffers.ts';
import { addNumber } from '../../src/engine/base/group-by.ts';
import { KEY, MOST_BUCKETS } from '../../src/engine/density/lanes.ts';
import {
  type HostEvents,
  threadEvents,
  type ThreadEventsChunk,
} from '../../src/engine/density/thread-events.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { type EngineOptions, runEngine } from '../support/engine-run.ts';
import { mergeByTree } from '../support/merge-trees.ts';
import { randomOf } from '../support/simulator/random.ts';
import { memoryHistory } from '../support/state-run.ts';
import { type ThreadEvent, threadTrace } from '../support/thread-trace.ts';
import { forAll } from '../support/for-all.ts';

/** The chunk result of the host, and those of its chunks. */
async function chunkResultsOf(files: TraceFiles, options: EngineOptions = {}) {
  const { outcome } = await runEngine(files, [threadEvents as AnyAnalysis], memoryHistory(), options);
  const { chunkResults } = outcome;
  return {
    whole: chunkResults.whole(threadEvents as AnyAggregate, 0) as ThreadEventsChunk,
    parts: chunkResults.chunks.map(
      ({ id }) => chunkResults.chunkResultOf(id, threadEvents.id) as ThreadEventsChunk,
    ),
  };
}

/** As ids of rows have it. */
function keyOf(pid: number | undefined, tid: number | undefined, ns = 0): string {
  return `${pid}.${tid}${ns === 0 ? '' : `.${ns >>> 0}`}`;
}

/** Times are as in the trace: its packets begin with its first event, and that is at 0. */
function countPlainly(events: readonly ThreadEvent[]) {
  const threads = new Map<string, { events: number; from: number; to: number; name: string }>();
  for (const { time, thread } of events) {
    if (thread === undefined) continue;
    const key = keyOf(thread.pid, thread.tid, thread.ns);
    const known = threads.get(key) ?? { events: 0, from: time, to: time, name: '' };
    const isLater = time > known.to || known.events === 0;
    const name = isLater || thread.name > known.name ? thread.name : known.name;
    threads.set(key, { events: known.events + 1, from: known.from, to: time, name });
  }
  return Object.fromEntries(threads);
}

/** The last of each process, of several at once the greatest. */
function namesPlainly(events: readonly ThreadEvent[]) {
  const processes = new Map<string, { readonly time: number; readonly name: string }>();
  for (const { time, thread, dumped } of events) {
    if (thread === undefined || dumped === undefined) continue;
    const process = `${thread.pid} ${thread.ns ?? 0}`;
    const known = processes.get(process);
    if (known?.time !== time || dumped > known.name) processes.set(process, { time, name: dumped });
  }
  return Array.from(processes, ([process, { time, name }]) => [process, time, name]).sort();
}

function namesOf({ processes: { pids, namespaces, names, namedAt } }: HostEvents) {
  return names.map((name, i) => [`${pids[i]} ${namespaces[i] >>> 0}`, namedAt[i], name]).sort();
}

function threadsOf({ threads, names }: HostEvents) {
  const { keys, events, from, to } = threads;
  return Object.fromEntries(
    names.map((name, i) => [
      keyOf(keys[KEY * i + 1], keys[KEY * i], keys[KEY * i + 2]),
      { events: events[i], from: from[i], to: to[i], name },
    ]),
  );
}

/** Events of a lane in each bucket, counted one by one. */
function bucketsOf({ scale, threads }: HostEvents, lane: number): [number, number][] {
  const { cellStart, bucket, count } = threads;
  const cells: [number, number][] = [];
  for (let i = cellStart[lane]; i < cellStart[lane + 1]; i++)
    cells.push([(scale.first + bucket[i]) * 2 ** scale.level, count[i]]);
  return cells;
}

const event = fc.record({
  after: fc.oneof(fc.nat(3), fc.nat(100_000)),
  cpu: fc.nat(2),
  thread: fc.option(
    fc.record({
      pid: fc.constantFrom(1, 7, -5, 2 ** 31 - 1),
      tid: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constantFrom(0, -1, -(2 ** 31))),
      name: fc.constantFrom('', 'a', 'main', 'worker-é'),
      ns: fc.constantFrom(undefined, undefined, 4026532500, 12),
    }),
    { nil: undefined },
  ),
  dumped: fc.option(fc.constantFrom('', 'a', 'daemon', 'é'), { nil: undefined, freq: 2 }),
});

const traces = fc.array(event, { minLength: 1, maxLength: 120 }).map((list) => {
  let time = -list[0].after;
  return list.map(({ after, ...rest }): ThreadEvent => ({ time: (time += after), ...rest }));
});

const cuts = fc.record({
  seed: fc.nat(),
  packetEvents: fc.constantFrom(1, 3, 50),
  chunkBytes: fc.constantFrom(1, 600, 4 << 20),
  parallel: fc.constantFrom(1, 2, 7),
  tree: fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }),
});

describe('events by thread', () => {
  it('are those that counting one by one gives', () =>
    forAll(40, [traces, fc.constantFrom(1, 20)], async (events, packetEvents) => {
      const [host] = (await chunkResultsOf(threadTrace(events, { packetEvents }))).whole;
      expect(threadsOf(host)).toEqual(countPlainly(events));
      expect(namesOf(host)).toEqual(namesPlainly(events));
      const bare = events.filter(({ thread }) => thread === undefined);
      expect(host.streams.events.reduce((sum, count) => sum + count, 0)).toBe(bare.length);
      Object.keys(threadsOf(host)).forEach((key, lane) => {
        const own = events.filter(({ thread }) => keyOf(thread?.pid, thread?.tid, thread?.ns) === key);
        const expected = new Map<number, number>();
        const width = 2 ** host.scale.level;
        for (const { time } of own) {
          const bucket = Math.floor(time / width) * width;
          addNumber(expected, bucket, 1);
        }
        expect(bucketsOf(host, lane)).toEqual([...expected]);
      });
    }));

  it('are the same to the byte whatever the packets, chunks, workers and merges', () =>
    forAll(60, [traces, cuts], async (events, { seed, packetEvents, chunkBytes, parallel, tree }) => {
      const { whole } = await chunkResultsOf(threadTrace(events, { packetEvents: 200 }));
      const files = threadTrace(events, { packetEvents });
      const disorder = { parallel, random: randomOf(seed) };
      const again = await chunkResultsOf(files, { chunkBytes, disorder });
      expect(again.whole).toEqual(whole);
      expect(mergeByTree(threadEvents, again.parts, tree)).toEqual(whole);
      // Each chunk result is handed over with its buffers: none may be another's.
      const buffers = again.parts.flatMap(buffersOf);
      expect(new Set(buffers).size).toBe(buffers.length);
      expect(mergeByTree(threadEvents, [...again.parts].reverse(), tree)).toEqual(whole);
    }));
});

it('a long trace has buckets as fine as its length allows', async () => {
  const events = Array.from({ length: 1000 }, (_, i): ThreadEvent => {
    return { time: i * 7_000_000, cpu: 0, thread: { pid: 1, tid: 1 + (i % 2), name: 'a' } };
  });
  const [host] = (await chunkResultsOf(threadTrace(events, { packetEvents: 10 }))).whole;
  const width = 2 ** host.scale.level;
  expect(6_993_000_000 / width).toBeLessThan(MOST_BUCKETS);
  expect(6_993_000_000 / width).toBeGreaterThan(MOST_BUCKETS / 2);
});
