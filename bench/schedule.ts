/**
 * What a run of the driver takes with other numbers of workers, other storage and another decoder: its chunks, with
 * costs that were measured, are replayed by a simulation of events (as a program does in Reumont-Locke et al. 2019,
 * section 5.2).
 *
 * A chunk is read from a storage that serves one read after the other, decoded and mapped by the worker it was given
 * to, and merged and reduced by the session, which also hands out the next chunk. Segments of a history that are full
 * then are sealed by the least busy worker. Beside them the runtime's own threads collect garbage and compile: nobody
 * waits for them, but they need cores as well. Running threads share the cores evenly. Of all else that they share -
 * execution units of one core, caches, memory - the model knows one number, `sharing`.
 */
import { CHUNKS_EACH } from '../src/workers/pool.ts';

/** Of one chunk, in the order in which the driver starts them. */
export interface ChunkCost {
  readonly bytes: number;
  /** ms of its worker's CPU that a faster decoder takes less of. */
  readonly decodeMs: number;
  /** ms of its worker's CPU for all else: copying what was read, mapping, answering. */
  readonly otherMs: number;
  /** ms of the session's CPU when it comes from other work: taking the answer, merging, reducing, asking for the next chunk. */
  readonly sessionMs: number;
  /** The same when the session slept before; default no other. */
  readonly wokenMs?: number;
  /** ms of CPU of the runtime's own threads; default none. */
  readonly backgroundMs?: number;
  /** ms of a worker's CPU for each segment that is full by then; default none. */
  readonly sealMs?: readonly number[];
}

export interface MeasuredRun {
  readonly chunks: readonly ChunkCost[];
  /** ms of the session's CPU when all chunks are there. */
  readonly finishMs: number;
  /** As of a chunk: segments that are sealed after that; default none. */
  readonly sealMs?: readonly number[];
}

export interface Machine {
  readonly workers: number;
  /** CPUs that all threads share; default: one for each. */
  readonly cores?: number;
  /** How much longer work takes while all of a limited number of cores are busy; default 1. */
  readonly sharing?: number;
  /** Bytes a second that are read; default: all is in memory. */
  readonly bandwidth?: number;
  /** How much faster the decoder is than the one measured; default 1. */
  readonly decodeSpeed?: number;
}

export interface Schedule {
  readonly ms: number;
  /** Share of the time in which each of them was busy, 0-1; of workers the mean. */
  readonly storage: number;
  readonly workers: number;
  readonly session: number;
}

/** What is left of a piece of work, in ms, when rounding has it not quite done. */
const DONE_MS = 1e-9;

/** A piece of work; `then` is what its end brings about. */
interface Work {
  readonly ms: number;
  readonly then: () => void;
}

/** One thing after the other; `left` is of the first, in ms. */
interface Server {
  readonly queue: Work[];
  left: number;
  busyMs: number;
}

/** Plays a run on a machine. */
export function schedule(run: MeasuredRun, machine: Machine): Schedule {
  const { chunks, finishMs, sealMs = [] } = run;
  const { workers: size, bandwidth = Infinity, decodeSpeed = 1 } = machine;
  const storage = idle();
  const session = idle();
  const background = idle();
  const workers = Array.from({ length: size }, idle);
  /** Chunks and segments that each worker has. */
  const held = new Int32Array(size);
  let started = 0;
  let reduced = 0;

  const start = (): void => {
    if (started === chunks.length) return;
    const { bytes, decodeMs, otherMs, sessionMs, wokenMs = sessionMs, ...beside } = chunks[started++];
    const worker = leastOf(held);
    held[worker]++;
    const map = (): void => give(workers[worker], decodeMs / decodeSpeed + otherMs, reduce);
    const reduce = (): void => {
      give(session, isBusy(session) ? sessionMs : wokenMs, answered);
      give(background, beside.backgroundMs ?? 0, () => undefined);
    };
    const answered = (): void => {
      held[worker]--;
      seal(beside.sealMs);
      start();
      if (++reduced === chunks.length) give(session, finishMs, () => seal(sealMs));
    };
    give(storage, (bytes / bandwidth) * 1000, map);
  };
  const seal = (all: readonly number[] = []): void => {
    for (const ms of all) {
      const worker = leastOf(held);
      held[worker]++;
      give(workers[worker], ms, () => held[worker]--);
    }
  };

  for (let i = 0; i < size * CHUNKS_EACH; i++) start();
  const ms = playOut(storage, [...workers, session], background, machine);
  const busyMs = workers.reduce((sum, worker) => sum + worker.busyMs, 0);
  return {
    ms,
    storage: storage.busyMs / ms,
    workers: busyMs / size / ms,
    session: session.busyMs / ms,
  };
}

/** Lets time pass until storage and threads have nothing to do, whatever is left in the background. @returns how much, in ms */
function playOut(storage: Server, threads: readonly Server[], background: Server, machine: Machine): number {
  const all = [storage, ...threads, background];
  let now = 0;
  for (;;) {
    for (let done = takeDone(all); done !== undefined; done = takeDone(all)) done.then();
    if (!isBusy(storage) && !threads.some(isBusy)) return now;
    const busy = [...threads, background].filter(isBusy);
    const rate = rateOf(busy.length, machine);
    const step = Math.min(leftOf(storage), ...busy.map((thread) => leftOf(thread) / rate));
    if (isBusy(storage)) advance(storage, step, step);
    for (const thread of busy) advance(thread, step, step * rate);
    now += step;
  }
}

/** Work that each of some running threads does in a unit of time. */
function rateOf(threads: number, { cores = Infinity, sharing = 1 }: Machine): number {
  if (cores === Infinity || threads === 0) return 1;
  const others = Math.min(threads, cores) - 1;
  const slower = others === 0 ? 1 : 1 + ((sharing - 1) * others) / (cores - 1);
  return Math.min(1, cores / threads) / slower;
}

/** Part of linear speed-up that `workers` reach on a machine that is otherwise the same: t1 / (N tN). */
export function efficiency(run: MeasuredRun, machine: Machine): number {
  return schedule(run, { ...machine, workers: 1 }).ms / machine.workers / schedule(run, machine).ms;
}

/** Who has least to wait for, when more workers do not help. */
export function limitOf({ storage, workers, session }: Schedule): 'storage' | 'workers' | 'session' {
  const most = Math.max(storage, workers, session);
  return most === workers ? 'workers' : most === session ? 'session' : 'storage';
}

function idle(): Server {
  return { queue: [], left: 0, busyMs: 0 };
}

function isBusy({ queue }: Server): boolean {
  return queue.length > 0;
}

/** ms of work until something is done. */
function leftOf(server: Server): number {
  return isBusy(server) ? server.left : Infinity;
}

function give(server: Server, ms: number, then: () => void): void {
  if (server.queue.push({ ms, then }) === 1) server.left = ms;
}

/** Some work that is done; its server begins the next one. */
function takeDone(servers: readonly Server[]): Work | undefined {
  const server = servers.find((one) => isBusy(one) && one.left <= DONE_MS);
  if (server === undefined) return undefined;
  const done = server.queue.shift();
  if (isBusy(server)) server.left = server.queue[0].ms;
  return done;
}

/** @param work ms of what is left that `ms` of time do */
function advance(server: Server, ms: number, work: number): void {
  server.left -= work;
  server.busyMs += ms;
}

function leastOf(numbers: Int32Array): number {
  return numbers.reduce((least, number, i) => (number < numbers[least] ? i : least), 0);
}
