import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { disorderPackets } from '../../../test/support/disorder.ts';
import { runEngine } from '../../../test/support/engine-run.ts';
import { randomOf } from '../../../test/support/simulator/random.ts';
import { settingsOf, simulate } from '../../../test/support/simulator/simulation.ts';
import { memoryHistory } from '../../../test/support/state-run.ts';
import { SYNTHETIC } from '../../../test/support/synthetic-analyses.ts';
import { fail, ok } from '../base/fault.ts';
import { openSource } from '../io/open-source.ts';
import { counts, type CountsChunk } from '../linux/sums/counts.ts';
import { kernelState } from '../linux/states/kernel-state.ts';
import type { KernelTables } from '../linux/states/reduce/kernel-tables.ts';
import { planChunks } from '../trace/chunk-plan.ts';
import { openExperiment } from '../trace/open-experiment.ts';
import type { Chunk, Experiment } from '../trace/types.ts';
import { createAnalysisSet, type AnyAggregate, type AnyAnalysis } from './analysis-set.ts';
import { createChunkMapper } from './chunk-mapper.ts';
import { runAnalyses, type ChunkExecutor, type RunOutcome, type RunRequest } from './driver.ts';
import { forAll } from '../../../test/support/for-all.ts';

const PACKET_BYTES = 1024;
const simulation = simulate({
  ...settingsOf(7),
  cpus: 3,
  threads: 6,
  durationNs: 6_000_000,
  losses: 0,
  lostPackets: 0,
  packetBytes: PACKET_BYTES,
});
const files = [...simulation.files];

const [eventList, orderedEvents] = SYNTHETIC;

function order({ histories }: RunOutcome): readonly string[] {
  return histories[0].get(orderedEvents.id) as readonly string[];
}

function list({ chunkResults }: RunOutcome): string {
  return chunkResults.whole(eventList as AnyAggregate, 0) as string;
}

/** The order is by the key that each line begins with. */
function expectOrdered(lines: readonly string[]): void {
  const keys = lines.map((line) => Number.parseInt(line, 10));
  expect(keys).toEqual([...keys].sort((a, b) => a - b));
}

describe('the law of the driver', () => {
  it('any chunk size and order of arrival give the same order of transitions', async () => {
    const { outcome } = await runEngine(simulation.files, SYNTHETIC, memoryHistory());
    expect(order(outcome).length).toBe(simulation.events);
    expectOrdered(order(outcome));
    await forAll(
      20,
      [fc.nat(), fc.integer({ min: 1, max: 8192 }), fc.integer({ min: 1, max: 6 })],
      async (seed, chunkBytes, parallel) => {
        const disorder = { parallel, random: randomOf(seed) };
        const run = await runEngine(simulation.files, SYNTHETIC, memoryHistory(), { chunkBytes, disorder });
        expect(order(run.outcome)).toEqual(order(outcome));
        const serial = await runEngine(simulation.files, SYNTHETIC, memoryHistory(), { chunkBytes });
        expect(list(run.outcome)).toBe(list(serial.outcome));
      },
    );
  });

  it('also where the times of a stream go back', () =>
    forAll(20, [fc.nat(), fc.integer({ min: 1, max: 8192 })], async (seed, chunkBytes) => {
      const damaged = disorderPackets(simulation.files, PACKET_BYTES, randomOf(seed));
      const { outcome } = await runEngine(damaged, SYNTHETIC, memoryHistory());
      expectOrdered(order(outcome));
      const disorder = { parallel: 4, random: randomOf(seed) };
      const run = await runEngine(damaged, SYNTHETIC, memoryHistory(), { chunkBytes, disorder });
      expect(order(run.outcome)).toEqual(order(outcome));
    }));
});

interface Opened {
  readonly experiment: Experiment;
  readonly chunks: readonly Chunk[];
  readonly serial: ChunkExecutor;
}

async function open(analyses: readonly AnyAnalysis[]): Promise<Opened> {
  const refs = files.map(([path, bytes]) => ({ kind: 'memory' as const, path, size: bytes.length, bytes }));
  const experiment = await openExperiment(refs, openSource);
  const mapper = createChunkMapper(experiment, createAnalysisSet(analyses), openSource);
  return { experiment, chunks: planChunks(experiment, 2048), serial: { parallel: 2, run: mapper.run } };
}

function run(
  { experiment, chunks }: Opened,
  analyses: readonly AnyAnalysis[],
  executor: ChunkExecutor,
  more: Partial<RunRequest> = {},
): Promise<RunOutcome> {
  const set = createAnalysisSet(analyses);
  return runAnalyses({ experiment, chunks, analyses: set, executor, sinkOf: () => memoryHistory(), ...more });
}

it('workers that cannot be started end the run, which says why; nothing of it counts as lost', async () => {
  const analyses = [kernelState as AnyAnalysis, eventList];
  const opened = await open(analyses);
  const fault = { code: 'workers-unavailable', place: {}, found: 'no script' } as const;
  let asked = 0;
  const reports: number[] = [];
  const outcome = await run(
    opened,
    analyses,
    { parallel: 2, run: () => Promise.resolve((asked++, fail(fault))) },
    { onChunk: ({ chunk }) => void reports.push(chunk.id) },
  );
  expect(outcome.state).toBe('failed');
  expect(outcome.faults).toEqual([fault]);
  expect([reports, outcome.events]).toEqual([[], 0]);
  expect(asked).toBeLessThan(opened.chunks.length);
});

it('WebAssembly that is switched off ends the run before anything is read', async () => {
  const analyses = [kernelState as AnyAnalysis, eventList];
  const opened = await open(analyses);
  vi.stubGlobal('WebAssembly', undefined);
  const running = run(opened, analyses, { parallel: 2, run: () => Promise.reject(new Error('asked')) });
  vi.unstubAllGlobals();
  const outcome = await running;
  expect(outcome.state).toBe('failed');
  expect(outcome.faults).toEqual([{ code: 'no-webassembly', place: {} }]);
});

it('a chunk at which workers fail is reported with its place, counts as lost, and the rest goes on', async () => {
  const analyses = [kernelState as AnyAnalysis, eventList];
  const opened = await open(analyses);
  const bad = opened.chunks.find(({ sequence }) => sequence === 1) ?? opened.chunks[0];
  const executor: ChunkExecutor = {
    parallel: 2,
    run: (job) => (job.chunk.id === bad.id ? Promise.reject(new Error('died')) : opened.serial.run(job)),
  };
  const reports: number[] = [];
  const outcome = await run(opened, analyses, executor, {
    onChunk: ({ chunk, lost }) => void (lost && reports.push(chunk.id)),
  });
  const stream = opened.experiment.traces[bad.trace].streams[bad.stream];
  const [{ file, first }] = bad.extents;
  const { packets, source } = stream.files[file];
  expect(outcome.state).toBe('done');
  expect(outcome.faults).toMatchObject([
    {
      code: 'worker-failed',
      place: { file: source.path, packet: first, byte: packets.offset[first] },
      found: 'died',
    },
  ]);
  expect(reports).toEqual([bad.id]);
  const { losses } = outcome.histories[0].get(kernelState.id) as KernelTables;
  expect(losses).toMatchObject([{ cpu: stream.cpu, from: bad.from, to: bad.to }]);
});

it('a file that vanishes while it is read costs its chunks only', async () => {
  const opened = await open(SYNTHETIC);
  const gone = opened.experiment.traces[0].streams[0].files[0].source.path;
  const executor: ChunkExecutor = {
    parallel: 2,
    run(job) {
      if (job.chunk.stream !== 0) return opened.serial.run(job);
      return Promise.resolve(fail({ code: 'file-unreadable', place: { file: gone } }));
    },
  };
  const outcome = await run(opened, SYNTHETIC, executor);
  const lost = opened.chunks.filter(({ stream }) => stream === 0).length;
  expect(outcome.faultCount).toBe(lost);
  expect(outcome.faults[0].readSoFar).toMatch(/^\d+ of \d+ chunks, \d+ events$/);
  const rank = opened.experiment.traces[0].streams[0].rank;
  const all = order(await run(opened, SYNTHETIC, opened.serial));
  expect(order(outcome)).toEqual(all.filter((line) => !line.includes(` ${rank}:`)));
});

it('a cancelled run ends at once and keeps what it has', async () => {
  const opened = await open(SYNTHETIC);
  const abort = new AbortController();
  const never = new Promise<never>(() => undefined);
  let answered = 0;
  const executor: ChunkExecutor = {
    parallel: 2,
    async run(job) {
      if (answered === 4) return never;
      answered++;
      return opened.serial.run(job);
    },
  };
  let asked = 0;
  const outcome = await run(opened, SYNTHETIC, executor, {
    signal: abort.signal,
    onProgress({ chunks }) {
      if (chunks === 4) setTimeout(() => (asked = performance.now()) && abort.abort());
    },
  });
  expect(performance.now() - asked).toBeLessThan(50);
  expect(outcome.state).toBe('cancelled');
  expect(outcome.events).toBeGreaterThan(0);
  const all = order(await run(opened, SYNTHETIC, opened.serial));
  expect(order(outcome)).toEqual(all.slice(0, order(outcome).length));
});

it('back-pressure holds back new chunks until what is ready resolves', async () => {
  const opened = await open(SYNTHETIC);
  let held = true;
  let startedWhileHeld = 0;
  const executor: ChunkExecutor = {
    parallel: 2,
    run(job) {
      if (held) startedWhileHeld++;
      return opened.serial.run(job);
    },
  };
  const outcome = await run(opened, SYNTHETIC, executor, {
    ready() {
      if (!held) return undefined;
      return new Promise((resolve) =>
        setTimeout(() => {
          held = false;
          resolve();
        }, 5),
      );
    },
  });
  expect(startedWhileHeld).toBe(0);
  expect(outcome.heldBackMs).toBeGreaterThan(0);
  expect(ok(outcome.events)).toEqual(ok(simulation.events));
});

describe('a delivery that throws', () => {
  it.each([
    ['while chunks are held back', 60_000],
    ['while chunks are read', 0],
  ])(
    'ends the run with its error, and is the last one, %s',
    async (_, holdMs) => {
      const opened = await open(SYNTHETIC);
      let delivered = 0;
      let asked = 0;
      const outcome = run(
        opened,
        SYNTHETIC,
        { parallel: 4, run: opened.serial.run },
        {
          ready: () =>
            asked++ > 2 && holdMs > 0 ? new Promise((resolve) => setTimeout(resolve, holdMs)) : undefined,
          onChunk() {
            delivered++;
            throw new RangeError(`delivery ${delivered}`);
          },
        },
      );
      await expect(outcome).rejects.toThrow('delivery 1');
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect(delivered).toBe(1);
    },
    20_000,
  );
});

describe('streams without a clock', () => {
  const text = (value: string): Uint8Array => new TextEncoder().encode(value);
  const metadata = text(`/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
clock { name = "c"; freq = 1000000000; };
typealias integer { size = 64; align = 8; signed = false; map = clock.c.value; } := time_t;
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { uint8_t stream_id; }; };
stream { id = 0; event.header := struct { uint8_t id; }; };
stream { id = 1; event.header := struct { uint8_t id; time_t timestamp; }; };
event { name = "untimed"; id = 0; stream_id = 0; fields := struct { uint8_t value; }; };
event { name = "both"; id = 1; stream_id = 0; fields := struct { uint8_t value; }; };
event { name = "both"; id = 0; stream_id = 1; fields := struct { uint8_t value; }; };
`);
  const timed = (time: bigint): number[] => [0, ...new Uint8Array(BigUint64Array.of(time).buffer), 9];
  const untimedStream = Uint8Array.from([0, 0, 1, 1, 2, 0, 3]);
  const timedStream = Uint8Array.from([1, ...timed(5_000_000_000n), ...timed(6_000_000_000n)]);

  async function resultsOf(streams: readonly (readonly [string, Uint8Array])[]) {
    const traceFiles = new Map([['t/metadata', metadata], ...streams]);
    const { outcome } = await runEngine(traceFiles, [counts as AnyAnalysis], memoryHistory());
    const { events } = counts.finish(outcome.chunkResults.whole(counts as AnyAggregate, 0) as CountsChunk);
    return {
      span: outcome.spans[0],
      events: events.map((event) => [event.name, event.events, event.first, event.last]),
    };
  }

  it('tell no times, and are counted', async () => {
    expect(await resultsOf([['t/a', untimedStream]])).toEqual({
      span: { first: NaN, last: NaN },
      events: [
        ['both', 1, NaN, NaN],
        ['untimed', 2, NaN, NaN],
      ],
    });
  });

  it('leave the times of others as they are', async () => {
    const { events } = await resultsOf([['t/b', timedStream]]);
    const [[, , first, last]] = events as [[string, number, number, number]];
    expect(last - first).toBe(1_000_000_000);
    expect(
      await resultsOf([
        ['t/a', untimedStream],
        ['t/b', timedStream],
      ]),
    ).toEqual({
      span: { first, last },
      events: [
        ['both', 3, first, last],
        ['untimed', 2, NaN, NaN],
      ],
    });
  });
});
