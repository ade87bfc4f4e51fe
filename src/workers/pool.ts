/**
 * A pool of decode workers, whatever carries their messages. A worker that dies fails the chunks it had, and another
 * takes its place; who asked for them decides whether to ask again.
 */
import { transfer } from 'comlink';
import { compileDecoders, type DecoderCodes } from '../engine/analysis/decoder-codes.ts';
import type { ChunkExecutor } from '../engine/analysis/driver.ts';
import { buffersOf, freeBuffers } from '../engine/base/buffers.ts';
import { sealTimed, type SealJob, type TimedBytes } from '../engine/history/seal.ts';
import { createSealer } from '../engine/history/wasm-sealer.ts';
import { analysisSet, schemeById } from '../engine/registry.ts';
import type { DecodeService, DecodeSetup, JobTiles } from './decode-service.ts';

export interface DecodeWorker {
  /** Remote. */
  readonly service: DecodeService;
  /** Rejects when the worker dies; never resolves. */
  readonly death: Promise<never>;
  terminate(): void;
}

export interface Pool extends ChunkExecutor {
  /**
   * Seals a segment in a worker, or here when workers fail. The worker gets a copy: the job is still there when the
   * worker is not.
   */
  seal(job: SealJob): Promise<TimedBytes>;
  dispose(): void;
}

interface Member {
  readonly worker: DecodeWorker;
  /** Resolves when it is set up. */
  readonly ready: Promise<void>;
  /** Chunks and segments it has now. */
  busy: number;
}

/** Lets so many at a time do something, in the order in which they come. */
class Gate {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  async pass<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#free--;
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

/** Chunks per worker in flight: one is decoded while the next is read. */
const CHUNKS_EACH = 2;
/** Leaves whose memory is kept, for each worker. A chunk for which others waited frees many, which would lie idle. */
const SPARES_EACH = 1;
/** Workers that may fail at a segment before it is sealed here. */
const SEAL_ATTEMPTS = 2;

/**
 * One copy of the columns, of as much as is filled, which is transferred: a message that copies does so three times.
 * @param room of an earlier job: new memory costs more than the copy
 */
function copyToHandOver(job: SealJob, room: JobTiles | undefined): SealJob {
  const { length, touched, scheme } = job;
  const fits = room !== undefined && room.attribute.length >= length;
  const { attribute, end, value } = fits ? room : roomFor(job);
  attribute.set(job.attribute.subarray(0, length));
  end.set(job.end.subarray(0, length));
  value.set(job.value.subarray(0, length));
  const columns = { attribute, end, value, touched: touched.slice(), scheme: scheme.slice() };
  return transfer({ ...job, ...columns }, buffersOf(columns));
}

/** As much as the job's columns could hold, so that it fits the next ones as well. */
function roomFor({ attribute }: SealJob): JobTiles {
  const capacity = attribute.length;
  return {
    attribute: new Int32Array(capacity),
    end: new Float64Array(capacity),
    value: new Float64Array(capacity),
  };
}

/** While workers start, and after what is at hand: the page is told first what there is to see. */
async function compileSoon({ experiment, analyses, decoder }: DecodeSetup): Promise<DecoderCodes> {
  await new Promise((resolve) => setTimeout(resolve));
  return compileDecoders(experiment, analysisSet(analyses).plan, decoder);
}

export function createPool(start: () => DecodeWorker, size: number, setup: DecodeSetup): Pool {
  const workers = Array.from({ length: size }, start);
  const codes = compileSoon(setup);
  const setUp = (worker: DecodeWorker): Member => {
    // A death without a waiting chunk is not an error yet: the next chunk meets it.
    worker.death.catch(() => undefined);
    const initialised = codes.then((made) => worker.service.init({ ...setup, codes: made }));
    const ready = Promise.race([initialised, worker.death]);
    ready.catch(() => undefined);
    return { worker, ready, busy: 0 };
  };
  const members = workers.map(setUp);
  /** A segment for each worker: those that wait in its queue would be copies of some megabytes each. */
  const sealing = new Gate(size);
  /** Given back by workers. */
  const rooms: JobTiles[] = [];
  /** Memory of leaves that are used up. */
  const spares: ArrayBuffer[] = [];
  /** No chunk comes any more. */
  let isDrained = false;

  /** Memory for leaves, and all workers that have nothing to do but one, which seals what is left. */
  const giveBack = (): void => {
    freeBuffers(spares.splice(0).map((spare) => new Uint8Array(spare)));
    for (let at = members.length - 1; at >= 0 && members.length > 1; at--)
      if (members[at].busy === 0) members.splice(at, 1)[0].worker.terminate();
  };

  const replace = (member: Member): void => {
    const at = members.indexOf(member);
    if (at < 0) return;
    member.worker.terminate();
    members[at] = setUp(start());
  };

  /** Has the least busy worker do something; when it fails another takes its place. */
  const ask = async <T>(task: (service: DecodeService) => Promise<T>): Promise<T> => {
    const member = members.reduce((least, other) => (other.busy < least.busy ? other : least));
    member.busy++;
    try {
      await member.ready;
      return await Promise.race([task(member.worker.service), member.worker.death]);
    } catch (error) {
      replace(member);
      throw error;
    } finally {
      member.busy--;
      if (isDrained) giveBack();
    }
  };

  const sealInTurn = async (job: SealJob): Promise<TimedBytes> => {
    for (let attempt = 0; attempt < SEAL_ATTEMPTS; attempt++) {
      try {
        const { spent, ...sealed } = await ask((service) => service.seal(copyToHandOver(job, rooms.pop())));
        if (spent !== undefined) rooms.push(spent);
        return sealed;
      } catch {
        // The next worker may do it.
      }
    }
    return sealTimed(createSealer(schemeById), job);
  };

  return {
    parallel: size * CHUNKS_EACH,
    run(job) {
      const spare = spares.pop();
      const own = spare === undefined ? job : transfer({ ...job, spare }, [spare]);
      return ask((service) => service.run(own));
    },
    reuse({ memory, ...rest }) {
      if (memory === undefined || isDrained || spares.length >= size * SPARES_EACH)
        return freeBuffers({ memory, ...rest });
      spares.push(memory.buffer as ArrayBuffer);
      freeBuffers(rest);
    },
    drained() {
      isDrained = true;
      giveBack();
    },
    seal: (job) => sealing.pass(() => sealInTurn(job)),
    dispose() {
      for (const { worker } of members.splice(0)) worker.terminate();
      rooms.length = 0;
      spares.length = 0;
    },
  };
}
