/** The page's side of the session: see engine/protocol/session.ts. */
import type { SourceRef } from '../engine/io/byte-source.ts';
import type { SessionApi } from '../engine/protocol/session.ts';
import type { AnswerOf, QueryKind, RequestOf } from '../engine/protocol/queries.ts';

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
  /** Sets the function (a comlink proxy) that resolves when code that could not be loaded is to be asked for again. */
  waitForCode(wait: () => Promise<void>): Promise<void>;
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
