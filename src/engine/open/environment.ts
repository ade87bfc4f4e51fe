/** Needs of a session that depend on where it runs: a browser's worker, a command line, a test. */
import type { ChunkExecutor } from '../analysis/driver.ts';
import type { Fault } from '../base/fault.ts';
import type { DecoderKind } from '../ctf/decode/wasm/decode-memory.ts';
import type { SealJob, TimedBytes } from '../history/seal.ts';
import type { SourceOpener, SourceRef } from '../io/byte-source.ts';
import type { TempFiles } from '../io/temp-file.ts';
import type { FindDebugFile } from '../symbols/symbol-files.ts';
import type { Layers } from '../layers/contract/layer.ts';
import type { Store } from '../store/types.ts';
import type { Experiment } from '../trace/types.ts';

export interface SessionExecutor extends ChunkExecutor {
  /** Seals a segment of a history in a worker; never fails; undefined: there are no workers. */
  seal?(job: SealJob): Promise<TimedBytes>;
  dispose(): void;
}

export interface SessionStore {
  readonly store: Store;
  /** Why traces are kept only in memory; undefined: they are stored. */
  readonly fault: () => Fault | undefined;
  /** Bytes used and allowed, as the browser says; 0 unknown. */
  readonly estimate: () => Promise<{ readonly usedBytes: number; readonly quotaBytes: number }>;
}

export interface SessionEnvironment {
  /** Finds a debug file of a build on this machine, outside of the opened files; default: none is looked for. */
  readonly debugFile?: FindDebugFile;
  readonly openSource: SourceOpener;
  readonly tempFiles: TempFiles;
  /** Fetches files by address; default: not possible. */
  readonly download?: Download;
  readonly openStore: () => Promise<SessionStore>;
  /** Starts workers that map chunks with these analyses, and seal segments. */
  startExecutor(
    experiment: Experiment,
    analyses: readonly string[],
    workers: number,
  ): Promise<SessionExecutor>;
  /**
   * Starts workers for an executor that will probably be needed soon; default: they start with it.
   * @returns ends those that were not needed
   */
  readonly prepareWorkers?: (workers: number) => () => void;
  /** Layers that are read after a trace was opened; default: all that are registered. */
  readonly layers?: Layers;
  /** Resolves when code that could not be loaded should be tried again; default: the caller fails. */
  readonly whenCodeIsBack?: () => Promise<void>;
  /** Default number of workers. */
  readonly workers: number;
  /** Decoder for chunks that the session's own thread decodes, for questions about a range; default: generated code. */
  readonly decoder?: DecoderKind;
  /** False: nobody watches or opens the trace again: no pictures are made, nothing is stored. Default: true. */
  readonly makesPictures?: boolean;
  /** See `ReadHost.showsRows`. */
  readonly showsRows?: boolean;
}

export type Download = (
  address: string,
  saving: {
    readonly tempFiles: TempFiles;
    readonly signal: AbortSignal;
    readonly onProgress: (bytes: number, totalBytes: number) => void;
  },
) => Promise<Downloaded>;

export interface Downloaded {
  /** File with what was received. */
  readonly file?: SourceRef;
  readonly faults: readonly Fault[];
}
