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
  /** Seals a segment of a history in a worker, and does not fail; undefined: there are none. */
  seal?(job: SealJob): Promise<TimedBytes>;
  dispose(): void;
}

export interface SessionStore {
  readonly store: Store;
  /** Why traces are kept in memory only, when they are. */
  readonly fault: () => Fault | undefined;
  /** Bytes used and allowed, as the browser says; 0 unknown. */
  readonly estimate: () => Promise<{ readonly usedBytes: number; readonly quotaBytes: number }>;
}

export interface SessionEnvironment {
  /** Debug file of a build that lies on this machine, beside what was opened; default: none is looked for. */
  readonly debugFile?: FindDebugFile;
  readonly openSource: SourceOpener;
  readonly tempFiles: TempFiles;
  /** Fetches files by their address; default: none is fetched. */
  readonly download?: Download;
  readonly openStore: () => Promise<SessionStore>;
  /** Workers that map chunks with these analyses, and seal segments. */
  startExecutor(
    experiment: Experiment,
    analyses: readonly string[],
    workers: number,
  ): Promise<SessionExecutor>;
  /**
   * Starts so many workers for an executor that will probably be wanted soon; default: they start with it.
   * @returns ends those that were not wanted
   */
  readonly prepareWorkers?: (workers: number) => () => void;
  /** Layers that are read after a trace was opened; default: all that are registered. */
  readonly layers?: Layers;
  /** Resolves when code that could not be loaded is to be asked for again; default: what needs it fails. */
  readonly whenCodeIsBack?: () => Promise<void>;
  /** Default number of workers. */
  readonly workers: number;
  /** Decoder of chunks in the session's own thread, for questions about a range; default: generated code. */
  readonly decoder?: DecoderKind;
  /**
   * False: nobody sees a trace while it is read nor opens it again, so no pictures of it are made and it is not
   * stored. Default: true.
   */
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
  /** File with as much as came. */
  readonly file?: SourceRef;
  readonly faults: readonly Fault[];
}
