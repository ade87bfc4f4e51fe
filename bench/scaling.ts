/**
 * How the reading of a trace scales with workers (as Table 2 of Reumont-Locke et al. 2019): the analyses count, cpu,
 * io, and the state history with its reducer, run by the driver over a long trace in memory with 1, 2 … workers; and
 * what the simulation of `schedule.ts` tells of machines that are not here, fed with the costs of the run with one
 * worker.
 */
import { transfer, wrap } from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ChunkAnswer, ChunkJob } from '../src/engine/analysis/chunk-mapper.ts';
import type { TransitionChunk } from '../src/engine/analysis/contract.ts';
import { runAnalyses, type ChunkExecutor } from '../src/engine/analysis/driver.ts';
import { freeBuffers } from '../src/engine/base/buffers.ts';
import type { Result } from '../src/engine/base/fault.ts';
import { HistoryBuilder } from '../src/engine/history/builder.ts';
import type { SealJob, TimedBytes } from '../src/engine/history/seal.ts';
import { kernelSchemeOf } from '../src/engine/linux/events/schemes.ts';
import { analysisSet } from '../src/engine/registry.ts';
import { Pool } from '../src/workers/pool.ts';
import { babeltraceMs, median } from './measure.mjs';
import { openRepeated, openShared, type MemoryTrace } from './memory-trace.ts';
import { modelFigures, type ModelInput } from './scaling-model.ts';
import type { ChunkCost, MeasuredRun } from './schedule.ts';
import type { TimedService } from './scaling-worker.ts';
import { processMs, threadMs } from './thread-time.ts';

/** The names of Reumont-Locke et al. 2019, and ours. */
const ANALYSES = { count: 'counts', cpu: 'cpu-usage', io: 'io', states: 'kernel-state' } as const;
const WARM_UP = 4;
/** Chunks that worker and session do in turns. */
const CHUNKS_A_TURN = 16;

type Name = keyof typeof ANALYSES;

/** One run of the driver. */
interface Played {
  readonly wallMs: number;
  /** CPU of all workers; of the session; of its part behind the last chunk, when chunk results are merged. */
  readonly busyMs: number;
  readonly sessionMs: number;
  readonly finishMs: number;
  /** CPU of all other threads of this process: V8's, which collect garbage and compile. */
  readonly backgroundMs: number;
  /** CPU of making an answer of the merged chunk result, when somebody asks: not in the other times. */
  readonly answerMs: number;
  readonly events: number;
  readonly chunks: readonly PlayedChunk[];
  /** ms of sealing each of the segments that were left behind the last chunk. */
  readonly sealMs: readonly number[];
}

interface PlayedChunk {
  readonly bytes: number;
  readonly decodeMs: number;
  readonly mapMs: number;
  /** CPU of the session since the chunk before. */
  readonly sessionMs: number;
  /** ms of sealing each of the segments that were full then. */
  readonly sealMs: readonly number[];
}

/** What is compared was measured one right after the other: a machine is faster in one minute than in another. */
interface Round {
  /** By number of workers, from one. */
  readonly measured: readonly Played[];
  readonly inTurns: Played;
  /** See `sharingOf`. */
  readonly sharing: number;
}

/** @param repeats how often the trace is repeated */
export async function scalingBench(
  folder: string,
  repeats: number,
  rounds: number,
): Promise<Record<string, number>> {
  const trace = await openRepeated(folder, repeats);
  const figures: Record<string, number> = {};
  for (const name of Object.keys(ANALYSES) as Name[]) {
    const played = await playRounds(trace, ANALYSES[name], rounds);
    Object.assign(figures, measuredFigures(name, played), modelFigures(modelInput(name, played)));
  }
  return figures;
}

function modelInput(name: Name, rounds: readonly Round[]): ModelInput {
  return {
    name,
    events: rounds[0].inTurns.events,
    cores: availableParallelism(),
    run: costsOf(rounds),
    rounds: rounds.map((round) => {
      const { measured, sharing } = round;
      return { run: costsOf([round]), sharing, wallMs: measured.map(({ wallMs }) => wallMs) };
    }),
  };
}

/** From bytes in memory to sealed segments of the state history, as a ratio to babeltrace2 on the same files. */
export async function sealedBench(
  folder: string,
  workers: number,
  rounds: number,
): Promise<Record<string, number>> {
  const trace = await openShared(folder);
  const timed = timedPool(trace, ANALYSES.states, workers);
  const theirs: number[] = [];
  const ours: number[] = [];
  for (let round = 0; round < rounds; round++) {
    theirs.push(babeltraceMs(folder));
    // It had the caches, and what was free of the machine's memory went back to its host meanwhile.
    await play(trace, ANALYSES.states, timed);
    ours.push((await play(trace, ANALYSES.states, timed)).wallMs);
  }
  timed.pool.dispose();
  return {
    'sealed.ratio': median(ours) / median(theirs),
    'sealed.ms': median(ours),
    'sealed.babeltraceMs': median(theirs),
  };
}

async function playRounds(trace: MemoryTrace, analysis: string, rounds: number): Promise<Round[]> {
  const most = availableParallelism();
  const played: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const measured: Played[] = [];
    for (let workers = 1; workers <= most; workers++)
      measured.push(await warmed(trace, analysis, workers, (timed) => play(trace, analysis, timed)));
    const inTurns = await warmed(trace, analysis, 1, (timed) => playInTurns(trace, analysis, timed));
    const sharing = await warmed(trace, analysis, most, (timed) => sharingOf(trace, timed));
    played.push({ measured, inTurns, sharing });
  }
  return played;
}

/** What `measure` finds with workers that have done the same before. They end then: idle ones would keep their memory. */
async function warmed<T>(
  trace: MemoryTrace,
  analysis: string,
  workers: number,
  measure: (timed: TimedPool) => Promise<T>,
): Promise<T> {
  const timed = timedPool(trace, analysis, workers);
  for (let i = 0; i < WARM_UP; i++) await play(trace, analysis, timed);
  const found = await measure(timed);
  timed.pool.dispose();
  return found;
}

/**
 * Worker and session never work at once, and neither waits for the other with every chunk: what each costs by itself
 * where it has no rest, which is where it is the limit.
 */
async function playInTurns(trace: MemoryTrace, analysis: string, timed: TimedPool): Promise<Played> {
  const mapped = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  await timed.services[0].countIn(mapped);
  return play(trace, analysis, timed, inTurns(timed.pool, mapped, trace.chunks.length));
}

/**
 * Gathers chunks, hands them out together, and has the session sleep until all of them are mapped.
 * @param mapped counts them
 */
function inTurns(pool: Pool, mapped: Int32Array, chunks: number): ChunkExecutor {
  const gathered: (() => void)[] = [];
  let handed = 0;
  const run = async (job: ChunkJob): Promise<Result<ChunkAnswer>> => {
    const turn = new Promise<void>((go) => gathered.push(go));
    if (gathered.length === CHUNKS_A_TURN || handed + gathered.length >= chunks) handOut();
    await turn;
    return pool.run(job);
  };
  const handOut = (): void => {
    handed += gathered.length;
    for (const go of gathered.splice(0)) go();
    // Behind what they have started.
    setImmediate(() => {
      for (let done = mapped[0]; done < handed; done = Atomics.load(mapped, 0)) Atomics.wait(mapped, 0, done);
    });
  };
  return { ...lasting(pool), parallel: CHUNKS_A_TURN, run };
}

/** What the same work takes a worker more when as many as there are cores do it at once, all chunks each. */
async function sharingOf(trace: MemoryTrace, { services }: TimedPool): Promise<number> {
  const alone = await readAll(trace, services.slice(0, 1));
  return Math.max(1, (await readAll(trace, services)) / alone);
}

/**
 * Has all services read all chunks at once, as in a run: no two read the same chunk, which one would find in a cache
 * that the other has filled, and memory of chunk results is used again.
 * @returns ms of CPU of each, their mean
 */
async function readAll({ chunks }: MemoryTrace, services: readonly TimedService[]): Promise<number> {
  const one = async (service: TimedService, index: number): Promise<number> => {
    const first = Math.floor((index * chunks.length) / services.length);
    const before = await service.threadMs();
    let spare: ArrayBuffer | undefined;
    for (const chunk of [...chunks.slice(first), ...chunks.slice(0, first)]) {
      const answer = await service.run(spare === undefined ? { chunk } : transfer({ chunk, spare }, [spare]));
      spare = usedUp(answer);
    }
    return (await service.threadMs()) - before;
  };
  const each = await Promise.all(services.map(one));
  return each.reduce((sum, ms) => sum + ms, 0) / each.length;
}

/** Frees an answer of one analysis. @returns memory for the next one, if its chunk result has such */
function usedUp(answer: Result<ChunkAnswer>): ArrayBuffer | undefined {
  if (!answer.ok) return undefined;
  const { chunkResults, ...rest } = answer.value;
  const { memory, ...columns } = chunkResults[0] as Partial<TransitionChunk>;
  freeBuffers({ columns, rest });
  return memory?.buffer as ArrayBuffer | undefined;
}

interface TimedPool {
  readonly pool: Pool;
  readonly services: readonly TimedService[];
  /** ms of CPU that the workers used so far. */
  busyMs(): Promise<number>;
}

function timedPool({ experiment }: MemoryTrace, analysis: string, size: number): TimedPool {
  const services: TimedService[] = [];
  const start = () => {
    // The build puts it beside this file under this name.
    const worker = new Worker(new URL('./scaling-worker.js', import.meta.url));
    const service = wrap<TimedService>(nodeEndpoint(worker)) as unknown as TimedService;
    services.push(service);
    const death = new Promise<never>((_, reject) => worker.on('error', reject));
    return { service, death, terminate: () => void worker.terminate() };
  };
  const pool = new Pool(start, size, { experiment, analyses: [analysis] });
  const busyMs = async () =>
    (await Promise.all(services.map((one) => one.threadMs()))).reduce((a, b) => a + b, 0);
  return { pool, services, busyMs };
}

/** The pool for a run that is not the last one: it hears of no end. */
function lasting(pool: Pool): ChunkExecutor {
  return {
    parallel: pool.parallel,
    run: (job) => pool.run(job),
    reuse: (chunkResult) => pool.reuse(chunkResult),
  };
}

async function play(
  { experiment, chunks }: MemoryTrace,
  analysis: string,
  { pool, busyMs }: TimedPool,
  executor: ChunkExecutor = lasting(pool),
): Promise<Played> {
  const set = analysisSet([analysis]);
  let sealed: number[] = [];
  const seal = async (job: SealJob): Promise<TimedBytes> => {
    const place = sealed.push(0) - 1;
    const of = sealed;
    const bytes = await pool.seal(job);
    of[place] = bytes.ms;
    return bytes;
  };
  // What is written beside the history goes to the store in a session, and is no part of its segments.
  const keepRows = () => undefined;
  const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf, seal, keepRows });
  const costs: PlayedChunk[] = new Array(chunks.length);
  const busy = await busyMs();
  const session = threadMs();
  const all = processMs();
  const started = performance.now();
  let before = session;
  const outcome = await runAnalyses({
    experiment,
    chunks,
    analyses: set,
    executor,
    sinkOf: () => builder,
    // As a session: it waits while many segments are on their way.
    ready: () => builder.pressure(),
    onChunk: ({ chunk: { id, bytes }, answer: { times } }) => {
      const now = threadMs();
      const cost = { bytes, decodeMs: times.decode, mapMs: times.map };
      costs[id] = { ...cost, sessionMs: now - before, sealMs: sealed };
      sealed = [];
      before = now;
    },
  });
  const beforeFinish = threadMs();
  const merged = set.aggregates.map((aggregate) => outcome.chunkResults.whole(aggregate, 0));
  if (set.histories.length > 0) builder.finish(outcome.spans[0].last);
  await builder.ready();
  const ended = performance.now();
  const sessionEnd = threadMs();
  const allEnd = processMs();
  set.aggregates.forEach((aggregate, i) => aggregate.finish(merged[i]));
  const answerMs = threadMs() - sessionEnd;
  const workersMs = (await busyMs()) - busy;
  const sessionMs = sessionEnd - session;
  return {
    wallMs: ended - started,
    busyMs: workersMs,
    sessionMs,
    finishMs: sessionEnd - beforeFinish,
    backgroundMs: Math.max(0, allEnd - all - workersMs - sessionMs),
    answerMs,
    events: outcome.events,
    chunks: costs,
    sealMs: sealed,
  };
}

function measuredFigures(name: Name, rounds: readonly Round[]): Record<string, number> {
  const medianOf = (of: (round: Round) => number): number => median(rounds.map(of));
  const figures: Record<string, number> = {
    [`scaling.${name}.events`]: rounds[0].inTurns.events,
    [`scaling.${name}.answerMs`]: medianOf(({ measured: [one] }) => one.answerMs),
  };
  for (let i = 0; i < rounds[0].measured.length; i++) {
    const key = `scaling.${name}.${i + 1}`;
    figures[`${key}.wallMs`] = medianOf(({ measured }) => measured[i].wallMs);
    figures[`${key}.busyMs`] = medianOf(({ measured }) => measured[i].busyMs);
    figures[`${key}.sessionMs`] = medianOf(({ measured }) => measured[i].sessionMs);
    figures[`${key}.backgroundMs`] = medianOf(({ measured }) => measured[i].backgroundMs);
    figures[`${key}.wallEfficiency`] = medianOf(
      ({ measured }) => measured[0].wallMs / (i + 1) / measured[i].wallMs,
    );
    figures[`${key}.busyEfficiency`] = medianOf(({ measured }) => measured[0].busyMs / measured[i].busyMs);
  }
  return figures;
}

/**
 * Costs of the chunks: each one's mean of the rounds, in turns. What only the run with one worker tells: what a chunk
 * costs a session that slept before, and what V8 does beside. That and what a worker does beside the chunks - answering -
 * is shared out by bytes. Times of decoding, mapping and sealing are of the clock, which other programs make too long:
 * they are brought to the CPU that the workers used.
 */
function costsOf(rounds: readonly Round[]): MeasuredRun {
  const [{ chunks, sealMs }] = rounds.map(({ inTurns }) => inTurns);
  const mean = (of: (inTurns: Played, alone: Played) => number): number =>
    rounds.reduce((sum, { inTurns, measured: [alone] }) => sum + of(inTurns, alone), 0) / rounds.length;
  const total = sumOf(chunks, ({ bytes }) => bytes);
  const timed = mean(
    (round) =>
      sumOf(round.chunks, (one) => one.decodeMs + one.mapMs + sumOf(one.sealMs)) + sumOf(round.sealMs),
  );
  const busyMs = mean((round) => round.busyMs);
  const backgroundMs = mean((_, alone) => alone.backgroundMs);
  const scale = Math.min(1, busyMs / timed);
  const rest = Math.max(0, busyMs - timed);
  return {
    finishMs: mean((round) => round.finishMs),
    sealMs: sealMs.map((_, seal) => mean((round) => round.sealMs[seal]) * scale),
    chunks: chunks.map(({ bytes, sealMs: seals }, i): ChunkCost => {
      return {
        bytes,
        decodeMs: mean((round) => round.chunks[i].decodeMs) * scale,
        otherMs: mean((round) => round.chunks[i].mapMs) * scale + (rest * bytes) / total,
        sessionMs: mean((round) => round.chunks[i].sessionMs),
        wokenMs: mean((_, alone) => alone.chunks[i].sessionMs),
        backgroundMs: (backgroundMs * bytes) / total,
        sealMs: seals.map((_, seal) => mean((round) => round.chunks[i].sealMs[seal]) * scale),
      };
    }),
  };
}

function sumOf(numbers: readonly number[]): number;
function sumOf<T>(things: readonly T[], of: (thing: T) => number): number;
function sumOf<T>(things: readonly T[], of: (thing: T) => number = Number): number {
  return things.reduce((sum, thing) => sum + of(thing), 0);
}
