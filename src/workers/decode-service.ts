/** The work of a decode worker: set up once with the experiment, then any chunk of it; and its end of a message port. */
import {
  createChunkMapper,
  type ChunkAnswer,
  type ChunkJob,
  type ChunkMapper,
} from '../engine/analysis/chunk-mapper.ts';
import type { CompiledDecoders } from '../engine/analysis/compiled-decoders.ts';
import { assert } from '../engine/base/assert.ts';
import type { Result } from '../engine/base/fault.ts';
import { sealTimed, type SealJob, type TimedBytes } from '../engine/history/seal.ts';
import { createSealer } from '../engine/history/wasm-sealer.ts';
import type { DecoderKind } from '../engine/ctf/decode/wasm/decode-memory.ts';
import type { SourceOpener } from '../engine/io/byte-source.ts';
import { mapSet, schemeById } from '../engine/maps.ts';
import type { Experiment } from '../engine/trace/types.ts';
import { expose, transfer, type Endpoint } from 'comlink';
import { buffersOf, detachOnce, freeBuffers } from '../engine/base/buffers.ts';

export interface DecodeSetup {
  readonly experiment: Experiment;
  /** Ids in the registry. */
  readonly analyses: readonly string[];
  /** Kind of decoder; default: generated code where there is WebAssembly. */
  readonly decoder?: DecoderKind;
  /** `setDecoders` comes; else decoders are compiled when they are needed. */
  readonly awaitsDecoders?: boolean;
}

/** The columns of a job that hold its pieces. */
export type JobColumns = Pick<SealJob, 'attribute' | 'end' | 'value'>;

interface WorkerSealed extends TimedBytes {
  /** Columns of the job, given back by a worker as memory for the next one. */
  readonly spent?: JobColumns;
}

export interface DecodeService {
  /** Sets the service up, also again for other analyses; without an experiment, for that of the last setup. */
  init(setup: Partial<DecodeSetup>): Promise<void>;
  /** Frees what only chunks need, since none comes before the next setup. */
  rest(): Promise<void>;
  /** Sets the compiled code that the decoders of all workers share. */
  setDecoders(decoders: CompiledDecoders): Promise<void>;
  /** Chunks are read before there are compiled decoders, and decoded then. */
  run(job: ChunkJob): Promise<Result<ChunkAnswer>>;
  /** Seals a segment of a history, whatever `init` said. */
  seal(job: SealJob): Promise<WorkerSealed>;
  /** Answers as soon as the worker does anything: it is there. */
  ping(): Promise<void>;
}

export function createDecodeService(open: SourceOpener): DecodeService {
  let mapper: ChunkMapper | undefined;
  let last: Experiment | undefined;
  let setDecoders: (decoders: CompiledDecoders) => void = () => undefined;
  const sealer = createSealer(schemeById);
  return {
    init({ experiment = last, analyses = [], decoder, awaitsDecoders = false }) {
      assert(experiment !== undefined, 'the first setup has an experiment');
      last = experiment;
      const decoders = awaitsDecoders
        ? new Promise<CompiledDecoders>((resolve) => (setDecoders = resolve))
        : undefined;
      mapper?.close();
      mapper = createChunkMapper(experiment, mapSet(analyses), open, decoder, decoders);
      return Promise.resolve();
    },
    rest() {
      mapper?.close();
      mapper = undefined;
      return Promise.resolve();
    },
    setDecoders(decoders) {
      setDecoders(decoders);
      return Promise.resolve();
    },
    run(job) {
      assert(mapper !== undefined, 'init comes before run');
      return mapper.run(job);
    },
    seal(job) {
      return Promise.resolve(sealTimed(sealer, job));
    },
    ping: () => Promise.resolve(),
  };
}

/** Serves over comlink: answers are transferred, not copied. */
export function exposeDecodeService(service: DecodeService, endpoint?: Endpoint): void {
  expose(transferring(service), endpoint);
}

/** Wraps a service so that its answers are transferred, for a thread that does nothing else. @internal */
export function transferring(service: DecodeService): DecodeService {
  detachOnce();
  return {
    init: (setup) => service.init(setup),
    rest: () => service.rest(),
    setDecoders: (decoders) => service.setDecoders(decoders),
    ping: () => service.ping(),
    async run(job) {
      const answer = await service.run(job);
      return transfer(answer, buffersOf(answer));
    },
    async seal(job) {
      const sealed = await service.seal(job);
      // The job came as a copy, whose memory serves the next one.
      const { attribute, end, value, touched, scheme } = job;
      freeBuffers({ touched, scheme });
      const answer = { ...sealed, spent: { attribute, end, value } };
      return transfer(answer, buffersOf(answer));
    },
  };
}
