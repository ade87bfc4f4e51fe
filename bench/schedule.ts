/**
 * What a run of the driver takes with other numbers of workers, other storage and another decoder: its chunks, with
 * costs that were measured, are replayed by a simulation of events (seed 001, section 5.2 does so with a program).
 *
 * A chunk is read from a storage that serves one read after the other, decoded and mapped by the worker it was given
 * to, and merged and reduced by the session, which also hands out the next chunk. Running threads share the cores
 * evenly. Nothing else is in the model: not the limits of memory and caches, which workers share too.
 */

/** Of one chunk, in the order in which the driver starts them. */
export interface ChunkCost {
  readonly bytes: number;
  /** ms of its worker's CPU that a faster decoder takes less of. */
  readonly decodeMs: number;
  /** ms of its worker's CPU for all else: copying what was read, mapping, answering. */
  readonly otherMs: number;
  /** ms of the session's CPU: taking the answer, merging, reducing, asking for the next chunk. */
  readonly sessionMs: number;
}

export interface MeasuredRun {
  readonly chunks: readonly ChunkCost[];
  /** ms of the session's CPU when all chunks are there. */
  readonly finishMs: number;
}

export interface Machine {
  readonly workers: number;
  /** CPUs that workers and session share; default: one for each. */
  readonly cores?: number;
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

/** Chunks of a worker in flight, as the pool's. */
const CHUNKS_EACH = 2;
/** What is left of a piece of work, in ms, when rounding has it not quite done. */
const DONE_MS = 1e-9;

/** One thing after the other; `left` is of the first, in ms. */
interface Server {
  readonly queue: number[];
  left: number;
  busyMs: number;
}

/** Plays a run on a machine. */
export function schedule({ chunks, finishMs }: MeasuredRun, machine: Machine): Schedule {
  const { workers: size, cores = Infinity, bandwidth = Infinity, decodeSpeed = 1 } = machine;
  const storage = idle();
  const session = idle();
  const workers = Array.from({ length: size }, idle);
  const inFlight = new Int32Array(size);
  const workerOf = new Int32Array(chunks.length);
  const readMs = ({ bytes }: ChunkCost) => (bytes / bandwidth) * 1000;
  const mapMs = ({ decodeMs, otherMs }: ChunkCost) => decodeMs / decodeSpeed + otherMs;
  let started = 0;
  let now = 0;

  const start = (): void => {
    if (started === chunks.length) return;
    const worker = leastOf(inFlight);
    inFlight[worker]++;
    workerOf[started] = worker;
    give(storage, started, readMs(chunks[started]));
    started++;
  };

  /** Whatever is done goes on to who has it next, until nothing is. */
  const pass = (): void => {
    for (let chunk = take(storage, chunks, readMs); chunk >= 0; chunk = take(storage, chunks, readMs))
      give(workers[workerOf[chunk]], chunk, mapMs(chunks[chunk]));
    for (const worker of workers)
      for (let chunk = take(worker, chunks, mapMs); chunk >= 0; chunk = take(worker, chunks, mapMs))
        give(session, chunk, chunks[chunk].sessionMs);
    for (let chunk = take(session, chunks, sessionMs); chunk >= 0; chunk = take(session, chunks, sessionMs)) {
      inFlight[workerOf[chunk]]--;
      start();
    }
  };

  for (let i = 0; i < size * CHUNKS_EACH; i++) start();
  for (pass(); isBusy(storage) || isBusy(session) || workers.some(isBusy); pass()) {
    const threads = [...workers, session].filter(isBusy);
    const rate = Math.min(1, cores / threads.length);
    const until = (server: Server, speed: number) => (isBusy(server) ? server.left / speed : Infinity);
    const step = Math.min(until(storage, 1), ...threads.map((thread) => until(thread, rate)));
    if (isBusy(storage)) run(storage, step, step);
    for (const thread of threads) run(thread, step, step * rate);
    now += step;
  }
  const ms = now + finishMs;
  const busyMs = workers.reduce((sum, worker) => sum + worker.busyMs, 0);
  return {
    ms,
    storage: storage.busyMs / ms,
    workers: busyMs / size / ms,
    session: (session.busyMs + finishMs) / ms,
  };
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

function give(server: Server, chunk: number, ms: number): void {
  if (server.queue.push(chunk) === 1) server.left = ms;
}

/** The chunk that the server has done, -1 none; it begins the next one. */
function take(server: Server, chunks: readonly ChunkCost[], msOf: (chunk: ChunkCost) => number): number {
  if (!isBusy(server) || server.left > DONE_MS) return -1;
  const done = server.queue.shift() ?? -1;
  if (isBusy(server)) server.left = msOf(chunks[server.queue[0]]);
  return done;
}

/** @param work ms of what is left that `ms` of time do */
function run(server: Server, ms: number, work: number): void {
  server.left -= work;
  server.busyMs += ms;
}

function sessionMs(chunk: ChunkCost): number {
  return chunk.sessionMs;
}

function leastOf(numbers: Int32Array): number {
  return numbers.reduce((least, number, i) => (number < numbers[least] ? i : least), 0);
}
