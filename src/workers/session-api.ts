/** The page's side of the session: see engine/protocol/session.ts. */
import type { SourceRef } from '../engine/io/byte-source.ts';
import type { SessionApi } from '../engine/protocol/session.ts';
import type { AnswerOf, QueryKind, RequestOf } from '../engine/answers/queries.ts';

export type { ExecutionCounts, ExecutionDefinition } from '../engine/layers/executions/definition.ts';
export type { EventShape } from '../engine/layers/contract/event-shapes.ts';
export type { EventField, ScopeFields } from '../engine/export/event-fields.ts';
export type { MeaningName } from '../engine/linux/meanings.ts';
export type { LockProvider } from '../engine/layers/locks/providers.ts';
export type { OverlayDefinition } from '../engine/layers/overlays/definition.ts';
export type { OverlayInfo } from '../engine/layers/overlays/overlay-info.ts';
export type { PlotDefinition } from '../engine/layers/plots/definition.ts';
export type { PlotInfo } from '../engine/layers/plots/plot-info.ts';
export type * from '../engine/protocol/session.ts';
export type { EventNames } from '../engine/events/event-names.ts';
export type { FilterProblem } from '../engine/events/filter/filter.ts';
export type * from '../engine/protocol/events.ts';
export type * from '../engine/protocol/executions.ts';
export type * from '../engine/protocol/export.ts';
export type * from '../engine/protocol/locks.ts';
export type * from '../engine/protocol/paths.ts';
export type { AnswerOf, QueryKind, RequestOf } from '../engine/answers/queries.ts';
export type * from '../engine/protocol/range.ts';
export type { RecordedEvents, RecordedRequest } from '../engine/answers/context/recorded.ts';
export type * from '../engine/protocol/rows.ts';
export type * from '../engine/answers/stacks/module-list.ts';
export type * from '../engine/protocol/profile.ts';
export type { FlameChart } from '../engine/layers/stacks/flame-chart.ts';
export type * from '../engine/answers/stacks/wait-stacks.ts';
export type * from '../engine/protocol/statistics.ts';
export type { StatisticName } from '../engine/answers/statistics/statistics.ts';
export type * from '../engine/protocol/summary.ts';
export type * from '../engine/protocol/sync.ts';
export type * from '../engine/protocol/threads.ts';

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
