/** The page's side of the session: see engine/session/api.ts. */
import type { SourceRef } from '../engine/io/byte-source.ts';
import type { SessionApi } from '../engine/session/api.ts';

export type * from '../engine/session/api.ts';
export type * from '../engine/session/paths/path-api.ts';
export type * from '../engine/session/overlays/overlay-api.ts';
export type * from '../engine/session/range.ts';
export type * from '../engine/session/rows/rows-api.ts';
export type * from '../engine/session/statistics/statistics-api.ts';
export type * from '../engine/session/sync-api.ts';

/** What a worker can do besides. */
export interface WorkerSessionApi extends SessionApi {
  /**
   * Reads a small trace and forgets it, so that the code is compiled when one is opened, which ends it. Resolves when it
   * is over; does not fail.
   */
  rehearse(files: readonly SourceRef[]): Promise<void>;
  /** Answers as soon as the worker does anything: it is there. */
  ping(): Promise<void>;
}
