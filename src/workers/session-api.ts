/** The page's side of the session: see engine/session/api.ts. */
import type { SourceRef } from '../engine/io/byte-source.ts';
import type { SessionApi } from '../engine/session/api.ts';
import type { AnswerOf, QueryKind, RequestOf } from '../engine/session/queries.ts';

export type { ExecutionCounts, ExecutionDefinition } from '../engine/executions/definition.ts';
export type { EventShape } from '../engine/layers/event-shapes.ts';
export type { EventField, ScopeFields } from '../engine/export/event-fields.ts';
export type { MeaningName } from '../engine/linux/meanings.ts';
export type { LockProvider } from '../engine/locks/providers.ts';
export type { OverlayDefinition } from '../engine/overlays/definition.ts';
export type { OverlayInfo } from '../engine/overlays/overlay-info.ts';
export type { PlotDefinition } from '../engine/plots/definition.ts';
export type { PlotInfo } from '../engine/plots/plot-info.ts';
export type * from '../engine/session/api.ts';
export type { EventNames } from '../engine/events/event-names.ts';
export type { FilterProblem } from '../engine/events/filter/filter.ts';
export type * from '../engine/session/events/events-api.ts';
export type * from '../engine/session/executions/executions-api.ts';
export type * from '../engine/session/export/export-api.ts';
export type * from '../engine/session/locks/lock-api.ts';
export type * from '../engine/session/paths/path-api.ts';
export type { AnswerOf, QueryKind, RequestOf } from '../engine/session/queries.ts';
export type * from '../engine/session/range.ts';
export type { RecordedEvents, RecordedRequest } from '../engine/session/recorded.ts';
export type * from '../engine/session/rows/rows-api.ts';
export type * from '../engine/session/stacks/module-list.ts';
export type * from '../engine/session/stacks/profile-api.ts';
export type { FlameChart } from '../engine/stacks/flame-chart.ts';
export type * from '../engine/session/stacks/wait-stacks.ts';
export type * from '../engine/session/statistics/statistics-api.ts';
export type { StatisticName } from '../engine/session/statistics/statistics.ts';
export type * from '../engine/session/summary/summary-api.ts';
export type * from '../engine/session/sync-api.ts';
export type * from '../engine/session/threads/threads-api.ts';

/** A port to a `Server` (`fetched-server.ts`); rejects for an address that the user did not confirm. */
export type AskServer = (address: string) => Promise<MessagePort>;

/** Abilities of the worker beside those of a session. */
interface WorkerAbilities {
  /**
   * Reads a small trace and forgets it, so that the code is compiled when one is opened, which ends it. Resolves when it
   * is over; does not fail.
   */
  rehearse(files: readonly SourceRef[]): Promise<void>;
  /** Answers as soon as the worker does anything: it is there. */
  ping(): Promise<void>;
  /** Sets the function (a comlink proxy) by which addresses are fetched: a worker can ask no other server itself. */
  useServers(ask: AskServer): Promise<void>;
  /** Reads files again, apart from what is open, and forgets them; see `readingTime`. */
  readingTime(files: readonly SourceRef[], workers: number): Promise<number | undefined>;
}

/** The session as the page has it (`session-client.ts`). */
export interface PageSession extends SessionApi, WorkerAbilities {}

/** The session as the worker serves it (`session-service.ts`). */
export interface SessionService extends Omit<SessionApi, 'ask'>, WorkerAbilities {
  /**
   * @param question a number of its own, by which the question can be given up
   * @param onProgress a comlink proxy
   */
  ask<K extends QueryKind>(
    kind: K,
    request: RequestOf<K>,
    question?: number,
    onProgress?: (share: number) => void,
  ): Promise<AnswerOf<K>>;
  /** Nobody waits for the answer to a question any more. */
  giveUp(question: number): void;
}
