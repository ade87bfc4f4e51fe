/**
 * The work of a decode worker, without the worker: set up once with the experiment, then any chunk of it. The entries
 * for browser and Node expose it over comlink; without workers it runs in the caller's thread.
 */
import type { MapSet } from '../engine/analysis/analysis-set.ts';
import { createChunkMapper } from '../engine/analysis/chunk-mapper.ts';
import type { ChunkAnswer, ChunkJob, ChunkMapper } from '../engine/analysis/chunk-mapper.ts';
import type { CompiledDecoders } from '../engine/analysis/compiled-decoders.ts';
import type { ChunkExecutor } from '../engine/analysis/driver.ts';
import { assert } from '../engine/base/assert.ts';
import type { Result } from '../engine/base/result.ts';
import { sealTimed, type SealJob, type TimedBytes } from '../engine/history/seal.ts';
import { createSealer } from '../engine/history/wasm-sealer.ts';
import type { DecoderKind } from '../engine/ctf/decode/wasm/decode-memory.ts';
import type { SourceOpener } from '../engine/io/byte-source.ts';
import { mapSet, schemeById } from '../engine/maps.ts';
import type { Experiment } from '../engine/trace/types.ts';

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
  /** Sets up, or anew for other analyses. */
  init(setup: DecodeSetup): Promise<void>;
  /** Sets the compiled code that the decoders of all workers share. */
  setDecoders(decoders: CompiledDecoders): Promise<void>;
  /** Chunks are read before there are compiled decoders, and decoded then. */
  run(job: ChunkJob): Promise<Result<ChunkAnswer>>;
  /** Seals a segment of a history, whatever `init` said. */
  seal(job: SealJob): Promise<WorkerSealed>;
  /** Answers as soon as the worker does anything: it is there. */
  ping(): Promise<void>;
}

/** @param setOf the analyses of `DecodeSetup` */
export function createDecodeService(
  open: SourceOpener,
  setOf: (ids: readonly string[]) => MapSet = mapSet,
): DecodeService {
  let mapper: ChunkMapper | undefined;
  let setDecoders: (decoders: CompiledDecoders) => void = () => undefined;
  const sealer = createSealer(schemeById);
  return {
    init({ experiment, analyses, decoder, awaitsDecoders = false }) {
      const decoders = awaitsDecoders
        ? new Promise<CompiledDecoders>((resolve) => (setDecoders = resolve))
        : undefined;
      mapper?.close();
      mapper = createChunkMapper(experiment, setOf(analyses), open, decoder, decoders);
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

/** Runs chunks in this thread, two at a time, so that one is read while the other is decoded. */
export async function createLocalExecutor(
  setup: DecodeSetup,
  open: SourceOpener,
  setOf?: (ids: readonly string[]) => MapSet,
): Promise<ChunkExecutor> {
  const service = createDecodeService(open, setOf);
  await service.init(setup);
  return {
    parallel: 2,
    async run(job) {
      // Lets messages in between two chunks: a cancel must not wait for the whole trace.
      await nextTask();
      return service.run(job);
    },
  };
}

/** Resolves in a task of its own, sooner than a timer would. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
