/**
 * How the reading of a trace scales with workers (seed 001, Table 2): the analyses count, cpu, io, and the state history
 * with its reducer, run by the driver over a long trace in memory with 1, 2 … workers; and what the simulation of
 * `schedule.ts` tells of machines that are not here, fed with the costs of the run with one worker.
 */
import { wrap } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { runAnalyses } from '../src/engine/analysis/driver.ts';
import { HistoryBuilder } from '../src/engine/history/builder.ts';
import { kernelSchemeOf } from '../src/engine/kernel/schemes.ts';
import { analysisSet } from '../src/engine/registry.ts';
import { createPool } from '../src/workers/pool.ts';
import { babeltraceMs, median } from './measure.mjs';
import { openRepeated, openShared, type MemoryTrace } from './memory-trace.ts';
import { modelFigures } from './scaling-model.ts';
import type { ChunkCost, MeasuredRun } from './schedule.ts';
import type { TimedService } from './scaling-worker.ts';
import { threadMs } from './thread-time.ts';

/** The seed's names, and ours. */
const ANALYSES = { count: 'counts', cpu: 'cpu-usage', io: 'io', states: 'kernel-state' } as const;
const WARM_UP = 2;

type Name = keyof typeof ANALYSES;

/** One run of the driver. */
interface Played {
  readonly wallMs: number;
  /** CPU of all workers; of the session; of its part behind the last chunk, when leaves are merged. */
  readonly busyMs: number;
  readonly sessionMs: number;
  readonly finishMs: number;
  /** CPU of making an answer of the merged leaf, when somebody asks: not in the other times. */
  readonly answerMs: number;
  readonly events: number;
  readonly chunks: readonly { readonly bytes: number; readonly decodeMs: number; readonly mapMs: number }[];
}

/** @param repeats how often the trace is repeated */
export async function scalingBench(
  folder: string,
  repeats: number,
  rounds: number,
): Promise<Record<string, number>> {
  const trace = await openRepeated(folder, repeats);
  const figures: Record<string, number> = {};
  const most = availableParallelism();
  for (const name of Object.keys(ANALYSES) as Name[]) {
    const measured: Played[][] = [];
    for (let workers = 1; workers <= most; workers++)
      measured.push(await playRounds(trace, ANALYSES[name], workers, rounds));
    const [{ events }] = measured[0];
    const wallMs = measured.map((played) => median(played.map((round) => round.wallMs)));
    const model = modelFigures({ name, events, cores: most, run: costsOf(measured[0]), wallMs });
    Object.assign(figures, measuredFigures(name, measured), model);
  }
  return figures;
}

/** From bytes in memory to sealed segments of the state history, as a ratio to babeltrace2 on the same files. */
export async function sealedBench(
  folder: string,
  workers: number,
  rounds: number,
): Promise<Record<string, number>> {
  const trace = await openShared(folder);
  const pool = timedPool(trace, ANALYSES.states, workers);
  const theirs: number[] = [];
  const ours: number[] = [];
  await play(trace, ANALYSES.states, pool);
  for (let round = 0; round < rounds; round++) {
    theirs.push(babeltraceMs(folder));
    ours.push((await play(trace, ANALYSES.states, pool)).wallMs);
  }
  pool.dispose();
  return {
    'sealed.ratio': median(ours) / median(theirs),
    'sealed.ms': median(ours),
    'sealed.babeltraceMs': median(theirs),
  };
}

async function playRounds(
  trace: MemoryTrace,
  analysis: string,
  workers: number,
  rounds: number,
): Promise<Played[]> {
  const pool = timedPool(trace, analysis, workers);
  const played: Played[] = [];
  for (let round = 0; round < WARM_UP + rounds; round++) played.push(await play(trace, analysis, pool));
  pool.dispose();
  return played.slice(WARM_UP);
}

function timedPool({ experiment }: MemoryTrace, analysis: string, size: number) {
  const services: TimedService[] = [];
  const start = () => {
    // The build puts it beside this file under this name.
    const worker = new Worker(new URL('./scaling-worker.js', import.meta.url));
    const service = wrap<TimedService>(nodeEndpoint(worker)) as unknown as TimedService;
    services.push(service);
    const death = new Promise<never>((_, reject) => worker.on('error', reject));
    return { service, death, terminate: () => void worker.terminate() };
  };
  const pool = createPool(start, size, { experiment, analyses: [analysis] });
  const busyMs = async () =>
    (await Promise.all(services.map((one) => one.threadMs()))).reduce((a, b) => a + b, 0);
  return { ...pool, busyMs };
}

async function play(
  { experiment, chunks }: MemoryTrace,
  analysis: string,
  pool: ReturnType<typeof timedPool>,
): Promise<Played> {
  const set = analysisSet([analysis]);
  const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf, seal: pool.seal });
  const costs: Played['chunks'][number][] = new Array(chunks.length);
  const busy = await pool.busyMs();
  const session = threadMs();
  const started = performance.now();
  const outcome = await runAnalyses({
    experiment,
    chunks,
    analyses: set,
    executor: pool,
    sinkOf: () => builder,
    onChunk: ({ chunk: { id, bytes }, answer: { times } }) => {
      costs[id] = { bytes, decodeMs: times.decode, mapMs: times.map };
    },
  });
  const beforeFinish = threadMs();
  const merged = set.aggregates.map((aggregate) => outcome.leaves.whole(aggregate, 0));
  if (set.histories.length > 0) builder.finish(outcome.spans[0].last);
  await builder.ready();
  const ended = performance.now();
  const sessionEnd = threadMs();
  set.aggregates.forEach((aggregate, i) => aggregate.finish(merged[i]));
  return {
    wallMs: ended - started,
    busyMs: (await pool.busyMs()) - busy,
    sessionMs: sessionEnd - session,
    finishMs: sessionEnd - beforeFinish,
    answerMs: threadMs() - sessionEnd,
    events: outcome.events,
    chunks: costs,
  };
}

/** @param measured rounds by number of workers, from one */
function measuredFigures(name: Name, measured: readonly Played[][]): Record<string, number> {
  const wall = measured.map((rounds) => median(rounds.map(({ wallMs }) => wallMs)));
  const busy = measured.map((rounds) => median(rounds.map(({ busyMs }) => busyMs)));
  const [one] = measured;
  const figures: Record<string, number> = {
    [`scaling.${name}.events`]: one[0].events,
    [`scaling.${name}.answerMs`]: median(one.map(({ answerMs }) => answerMs)),
  };
  measured.forEach((rounds, i) => {
    const key = `scaling.${name}.${i + 1}`;
    figures[`${key}.wallMs`] = wall[i];
    figures[`${key}.busyMs`] = busy[i];
    figures[`${key}.sessionMs`] = median(rounds.map(({ sessionMs }) => sessionMs));
    figures[`${key}.wallEfficiency`] = wall[0] / (i + 1) / wall[i];
    figures[`${key}.busyEfficiency`] = busy[0] / busy[i];
  });
  return figures;
}

/**
 * Costs of the chunks: each one's median of the rounds, and what a worker and the session do beside it - answering,
 * taking the answer - shared out by bytes. Times of chunks are of the clock: other programs make them too long.
 */
function costsOf(rounds: readonly Played[]): MeasuredRun {
  const [{ chunks }] = rounds;
  const middle = (of: (round: Played) => number) => median(rounds.map(of));
  const each = chunks.map(({ bytes }, i) => {
    return {
      bytes,
      decodeMs: middle((round) => round.chunks[i].decodeMs),
      mapMs: middle((round) => round.chunks[i].mapMs),
    };
  });
  const total = each.reduce((sum, { bytes }) => sum + bytes, 0);
  const timed = each.reduce((sum, { decodeMs, mapMs }) => sum + decodeMs + mapMs, 0);
  const busyMs = middle((round) => round.busyMs);
  const finishMs = middle((round) => round.finishMs);
  const sessionMs = middle((round) => round.sessionMs) - finishMs;
  const scale = Math.min(1, busyMs / timed);
  return {
    finishMs,
    chunks: each.map(({ bytes, decodeMs, mapMs }): ChunkCost => {
      const share = bytes / total;
      return {
        bytes,
        decodeMs: decodeMs * scale,
        otherMs: mapMs * scale + Math.max(0, busyMs - timed) * share,
        sessionMs: sessionMs * share,
      };
    }),
  };
}
