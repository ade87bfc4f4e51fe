/**
 * A pool of decode workers, over any kind of messages. A worker that fails, or is silent for too long, is ended and
 * replaced; each of its chunks is tried again alone, so that a faulty one fails no others.
 */
import { transfer } from 'comlink';
import type { ChunkAnswer, ChunkJob } from '../engine/analysis/chunk-mapper.ts';
import type { TransitionChunk } from '../engine/analysis/contract.ts';
import { compileDecoders, type CompiledDecoders } from '../engine/analysis/compiled-decoders.ts';
import type { ChunkExecutor } from '../engine/analysis/driver.ts';
import { buffersOf, freeBuffers } from '../engine/base/buffers.ts';
import { fail, type Fault, type Result } from '../engine/base/fault.ts';
import { nextTask } from '../engine/base/next-task.ts';
import { PATIENCE, StallDetector, type Patience } from '../engine/base/stall-detector.ts';
import { sealTimed, type SealJob, type SegmentSealer, type TimedBytes } from '../engine/history/seal.ts';
import { createSealer } from '../engine/history/wasm-sealer.ts';
import { mapSet, schemeById } from '../engine/maps.ts';
import type { Chunk, Experiment } from '../engine/trace/types.ts';
import type { DecodeService, DecodeSetup, JobColumns } from './decode-service.ts';

export interface DecodeWorker {
  readonly service: DecodeService;
  /** Experiment that was sent to it last; default: none. */
  readonly sent?: { experiment?: Experiment };
  /** Rejects when the worker dies; never resolves. */
  readonly death: Promise<never>;
  terminate(): void;
  /** Takes the worker back when it is not needed and did not fail; default: it is terminated. */
  giveBack?(): void;
}

/** A worker and its unanswered tasks. */
class Member {
  /** Resolves when the worker was sent the experiment: later questions come behind. */
  readonly #ready: Promise<void>;
  /**
   * Rejections of the unanswered tasks, with the bytes of each. A race with the worker's death, which never comes, would
   * keep every answer: a promise that never settles holds on to all that waits for it.
   */
  readonly #unanswered = new Map<(error: unknown) => void, number>();
  readonly #detector: StallDetector;
  /** Reason of the worker's end. */
  #end: { readonly error: unknown } | undefined;

  constructor(
    private readonly worker: DecodeWorker,
    setup: Setup,
  ) {
    const { service, death } = worker;
    this.#detector = new StallDetector(
      {
        ping: () => service.ping(),
        bytes: () => Math.max(0, ...this.#unanswered.values()),
        onSilent: (ms) => this.#fail(new Error(`the decode worker did not answer for ${ms / 1000} s`)),
      },
      setup.patience,
    );
    // Before decoders are compiled: a worker reads its first chunks meanwhile.
    this.#ready = setup.turn.then(() => this.#send(() => setUpWorker(worker, setup).then(setup.onStarted)));
    void setup.decoders.then(
      (decoders) => this.#send(() => service.setDecoders(decoders)),
      (error: unknown) => this.#fail(error),
    );
    this.#failWith(death);
  }

  /** Number of chunks and segments that the worker has now. */
  get busy(): number {
    return this.#unanswered.size;
  }

  /** Rejects when the worker dies, is ended, throws, or is silent for too long: then no task of it is answered. */
  ask<T>(task: (service: DecodeService) => Promise<T>, bytes: number): Promise<T> {
    if (this.#end !== undefined) return Promise.reject(this.#end.error as Error);
    return new Promise<T>((resolve, reject) => {
      this.#unanswered.set(reject, bytes);
      this.#detector.start();
      void this.#ready
        .then(() => {
          if (this.#end !== undefined) throw this.#end.error as Error;
          return task(this.worker.service);
        })
        .then(
          (answer) => {
            this.#unanswered.delete(reject);
            this.#detector.heard();
            if (this.#unanswered.size === 0) this.#detector.stop();
            resolve(answer);
          },
          (error: unknown) => this.#fail(error),
        );
    });
  }

  /** Ends the worker, and fails its tasks. One that failed goes back to nobody. */
  end(): void {
    if (this.#end === undefined && this.worker.giveBack !== undefined) this.worker.giveBack();
    else this.worker.terminate();
    this.#fail(new Error('the decode worker was ended'));
  }

  /** Sends a message, unless the worker has ended for this pool: one that was lent may be another's by then. */
  #send(message: () => Promise<void>): void {
    if (this.#end === undefined) this.#failWith(message());
  }

  /** Fails the worker when a message fails. Without a waiting chunk that is no error yet: the next chunk meets it. */
  #failWith(task: Promise<void>): void {
    task.catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    this.#end ??= { error };
    this.#detector.stop();
    for (const reject of this.#unanswered.keys()) reject(error);
    this.#unanswered.clear();
  }
}

/** Runs a limited number of tasks at a time, in the order in which they come. */
export class Gate {
  readonly #waiting: (() => void)[] = [];

  /** @param free places */
  constructor(private free: number) {}

  async pass<T>(task: () => Promise<T>): Promise<T> {
    if (this.free === 0) await new Promise<void>((go) => this.#waiting.push(go));
    else this.free--;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}

/** Chunks in flight for each worker: one is decoded, the next is read, and one is there when the session is held up. @internal */
export const CHUNKS_EACH = 3;
/**
 * Chunk results for each worker whose memory is kept: a chunk for which others waited frees many, which the next ones
 * need.
 */
const SPARES_EACH = 4;
/** Size of an interval in the columns of a segment, bytes. */
const SEALED_BYTES = 20;
/** Size of the largest job that a worker seals, pieces. To copy more, of very many threads, costs more than to wait. */
const MOST_PIECES = 2 ** 19;
/** Number of workers that may fail at a segment before it is sealed here. */
const SEAL_ATTEMPTS = 2;

/**
 * Copies the filled part of the columns once, to be transferred: a message that copies does so three times.
 * @param spare memory of an earlier job: new memory costs more than the copy
 */
function copyToHandOver(job: SealJob, spare: JobColumns | undefined): SealJob {
  const { length, touched, scheme } = job;
  const fits = spare !== undefined && spare.attribute.length >= length;
  const { attribute, end, value } = fits ? spare : columnsFor(job);
  attribute.set(job.attribute.subarray(0, length));
  end.set(job.end.subarray(0, length));
  value.set(job.value.subarray(0, length));
  const columns = { attribute, end, value, touched: touched.slice(), scheme: scheme.slice() };
  return transfer({ ...job, ...columns }, buffersOf(columns));
}

/** Makes columns as long as the job's could be, so that they fit the next jobs as well. */
function columnsFor({ attribute }: SealJob): JobColumns {
  const capacity = attribute.length;
  return {
    attribute: new Int32Array(capacity),
    end: new Float64Array(capacity),
    value: new Float64Array(capacity),
  };
}

/** Messages that all workers are sent, and when. */
interface Setup {
  readonly init: DecodeSetup;
  /** The experiment whose copy `init` has. */
  readonly experiment: Experiment;
  /** Resolves after the task at hand: the page first gets what there is to see. */
  readonly turn: Promise<void>;
  /** Compiled decoders, made when the first chunks were handed out. */
  readonly decoders: Promise<CompiledDecoders>;
  readonly patience: Patience;
  /** Called by each worker that got the experiment and answered. */
  readonly onStarted: () => void;
}

function setUp(setup: DecodeSetup, patience: Patience, onStarted: () => void): Setup {
  const experiment = { ...setup.experiment, others: undefined, metadata: undefined };
  const { analyses, decoder } = setup;
  const turn = nextTask();
  const decoders = turn
    .then(nextTask)
    .then(() => compileDecoders(experiment, mapSet(analyses).plan, decoder));
  const init = { ...setup, experiment, awaitsDecoders: true };
  return { init, experiment: setup.experiment, turn, decoders, patience, onStarted };
}

/** Sends the experiment to a worker that has it not: the packets and event classes of a long trace take a while. */
function setUpWorker({ service, sent = {} }: DecodeWorker, { init, experiment }: Setup): Promise<void> {
  const hasIt = sent.experiment === experiment;
  sent.experiment = experiment;
  return service.init(hasIt ? { ...init, experiment: undefined } : init);
}

/** Fault of a pool of which no worker ever answered. */
function unavailable(error: unknown): Fault {
  const found = error instanceof Error ? error.message : String(error);
  return { code: 'workers-unavailable', place: {}, found };
}

export class Pool implements ChunkExecutor {
  readonly parallel: number;
  readonly #setup: Setup;
  /** The workers; none when the pool is disposed. */
  readonly #members: Member[];
  /** Each worker has a stream. Else workers read the chunks of one stream by turns, and none goes on where it was. */
  readonly #hasStreamsForAll: boolean;
  /** Worker that had the last chunk of each stream. */
  readonly #readers = new Map<string, Member>();
  /** Admits a segment for each worker: those that wait in its queue would be copies of some megabytes each. */
  readonly #sealing: Gate;
  /** Admits one chunk at a time to be tried again, by a worker that has nothing else: many would need memory for as many. */
  readonly #again = new Gate(1);
  /** Worker that tries single chunks again. */
  #lonely: Member | undefined;
  /** Columns given back by workers. */
  readonly #spareColumns: JobColumns[] = [];
  /** Memory of chunk results that are used up. */
  readonly #spares: ArrayBuffer[] = [];
  readonly #mostSpares: number;
  /** Sealer for segments that no worker seals. */
  #sealer: SegmentSealer | undefined;
  /** No chunk comes any more. */
  #isDrained = false;
  /** A worker has answered: their script can be loaded. */
  #hasStarted = false;

  constructor(
    private readonly start: () => DecodeWorker,
    size: number,
    setup: DecodeSetup,
    patience: Patience = PATIENCE,
  ) {
    this.parallel = size * CHUNKS_EACH;
    // All begin to start before anything else is done.
    const workers = Array.from({ length: size }, start);
    this.#setup = setUp(setup, patience, () => (this.#hasStarted = true));
    this.#members = workers.map((worker) => new Member(worker, this.#setup));
    const streams = setup.experiment.traces.reduce((sum, trace) => sum + trace.streams.length, 0);
    this.#hasStreamsForAll = streams >= size;
    this.#mostSpares = size * SPARES_EACH;
    this.#sealing = new Gate(size);
  }

  async run(job: ChunkJob): Promise<Result<ChunkAnswer>> {
    const spare = this.#spares.pop();
    const goesOn = job.goesOn === true && this.#hasStreamsForAll;
    const own = transfer({ ...job, goesOn, spare }, spare === undefined ? [] : [spare]);
    try {
      const { chunk } = job;
      return await this.#ask((service) => service.run(own), chunk.bytes, chunk);
    } catch (error) {
      if (this.#isDisposed) throw error;
      return this.#again.pass(() => this.#runAgain(job));
    }
  }

  async #runAgain(job: ChunkJob): Promise<Result<ChunkAnswer>> {
    try {
      return await this.#askLonely((service) => service.run(job), job.chunk.bytes);
    } catch (error) {
      if (this.#hasStarted || this.#isDisposed) throw error;
      return fail(unavailable(error));
    }
  }

  reuse({ memory, ...rest }: TransitionChunk): void {
    if (memory === undefined || this.#isDrained || this.#spares.length >= this.#mostSpares)
      return freeBuffers({ memory, ...rest });
    this.#spares.push(memory.buffer as ArrayBuffer);
    freeBuffers(rest);
  }

  drained(): void {
    this.#isDrained = true;
    this.#giveBack();
  }

  /** Seals a segment in a worker, which gets a copy of the job, or here when workers fail. */
  seal(job: SealJob): Promise<TimedBytes> {
    if (job.length > MOST_PIECES) return Promise.resolve(this.#sealHere(job));
    return this.#sealing.pass(() => this.#sealInTurn(job));
  }

  /** Ends the workers; their unanswered tasks fail. */
  dispose(): void {
    for (const member of this.#members.splice(0)) member.end();
    this.#endLonely();
    this.#spareColumns.length = 0;
    this.#spares.length = 0;
    this.#sealer = undefined;
  }

  get #isDisposed(): boolean {
    return this.#members.length === 0;
  }

  /** Asks the worker that reads the chunk's stream, or else the least busy one; when it fails another takes its place. */
  async #ask<T>(task: (service: DecodeService) => Promise<T>, bytes: number, chunk?: Chunk): Promise<T> {
    this.#checkOpen();
    const member = chunk !== undefined && this.#hasStreamsForAll ? this.#readerOf(chunk) : this.#leastBusy();
    try {
      return await member.ask(task, bytes);
    } catch (error) {
      this.#replace(member);
      throw error;
    } finally {
      if (this.#isDrained) this.#giveBack();
    }
  }

  #leastBusy(): Member {
    return this.#members.reduce((least, other) => (other.busy < least.busy ? other : least));
  }

  /** Chooses the worker that had the chunk before in its stream, unless others have nothing else to do. */
  #readerOf({ trace, stream }: Chunk): Member {
    const key = `${trace}:${stream}`;
    const least = this.#leastBusy();
    const last = this.#readers.get(key);
    const isFree = last !== undefined && this.#members.includes(last) && last.busy <= least.busy + 1;
    const reader = isFree ? last : least;
    this.#readers.set(key, reader);
    return reader;
  }

  /** Asks a worker that is started for this task. */
  async #askLonely<T>(task: (service: DecodeService) => Promise<T>, bytes: number): Promise<T> {
    this.#checkOpen();
    this.#lonely = new Member(this.start(), this.#setup);
    try {
      return await this.#lonely.ask(task, bytes);
    } finally {
      this.#endLonely();
    }
  }

  #endLonely(): void {
    this.#lonely?.end();
    this.#lonely = undefined;
  }

  #checkOpen(): void {
    if (this.#isDisposed) throw new Error('the pool is disposed');
  }

  #replace(member: Member): void {
    const at = this.#members.indexOf(member);
    if (at < 0) return;
    member.end();
    this.#members[at] = new Member(this.start(), this.#setup);
  }

  async #sealInTurn(job: SealJob): Promise<TimedBytes> {
    for (let attempt = 0; attempt < SEAL_ATTEMPTS; attempt++) {
      try {
        // Outside of the task: if there is no memory for a copy, the worker has not failed.
        const copy = copyToHandOver(job, this.#spareColumns.pop());
        const { spent, ...sealed } = await this.#ask(
          (service) => service.seal(copy),
          job.length * SEALED_BYTES,
        );
        if (spent !== undefined) this.#spareColumns.push(spent);
        return sealed;
      } catch {
        // The next attempt may succeed.
      }
    }
    return this.#sealHere(job);
  }

  #sealHere(job: SealJob): TimedBytes {
    this.#sealer ??= createSealer(schemeById);
    return sealTimed(this.#sealer, job);
  }

  /** Frees the memory for chunk results, and ends all idle workers but one, which seals what is left. */
  #giveBack(): void {
    freeBuffers(this.#spares.splice(0).map((spare) => new Uint8Array(spare)));
    for (let at = this.#members.length - 1; at >= 0 && this.#members.length > 1; at--)
      if (this.#members[at].busy === 0) this.#members.splice(at, 1)[0].end();
  }
}
