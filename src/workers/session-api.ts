/** The page's side of the session: see engine/protocol/session.ts. */
import type { SourceRef } from '../engine/io/byte-source.ts';
import type { SessionApi } from '../engine/protocol/session.ts';
import type { AnswerOf, QueryKind, RequestOf } from '../engine/protocol/queries.ts';
import { type Endpoint, proxy, wrap } from 'comlink';
import { isMissingCode } from '../engine/base/later-code.ts';

/** A port to a `Server` (`fetched-server.ts`); rejects for an address that the user did not confirm. */
export type AskServer = (address: string) => Promise<MessagePort>;

/** Abilities of the worker beside those of a session. */
export interface WorkerAbilities {
  /** Reads a small trace and forgets it, so that code is compiled for the next, which ends it. Never fails. */
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

/** The session as the page has it (`session-api.ts`). */
export interface PageSession extends SessionApi, WorkerAbilities {}

/** The session as the worker serves it (`session-service.ts`). */
export interface SessionService extends Omit<SessionApi, 'ask'>, WorkerAbilities {
  /** @param question a number of its own, by which it can be given up @param onProgress a comlink proxy */
  ask<K extends QueryKind>(
    kind: K,
    request: RequestOf<K>,
    question?: number,
    onProgress?: (share: number) => void,
  ): Promise<AnswerOf<K>>;
  /** Drops a question whose answer is not needed any more. */
  giveUp(question: number): void;
}

/**
 * @param worker callbacks given to other methods of the session than `ask` must be comlink proxies
 * @param whenCodeIsBack resolves when code that could not be loaded is to be asked for again: questions wait for it
 */
export function sessionClient(worker: Endpoint, whenCodeIsBack: () => Promise<void>): PageSession {
  // The types of comlink's wrapper lose which answer belongs to which kind of question.
  const service = wrap(worker) as unknown as SessionService;
  let questions = 0;
  const ask: SessionApi['ask'] = async (kind, request, options = {}) => {
    for (;;) {
      try {
        return await askOnce(kind, request, options);
      } catch (error) {
        if (!isMissingCode(error)) throw error;
        const givenUp = new Promise<unknown>((resolve) => options.signal?.addEventListener('abort', resolve));
        await Promise.race([whenCodeIsBack(), givenUp]);
      }
    }
  };
  const askOnce: SessionApi['ask'] = async (kind, request, { signal, onProgress } = {}) => {
    if (signal === undefined && onProgress === undefined) return service.ask(kind, request);
    signal?.throwIfAborted();
    const question = ++questions;
    const giveUp = () => void service.giveUp(question);
    signal?.addEventListener('abort', giveUp);
    try {
      return await service.ask(kind, request, question, onProgress && proxy(onProgress));
    } finally {
      signal?.removeEventListener('abort', giveUp);
      signal?.throwIfAborted();
    }
  };
  const methods: ProxyHandler<SessionService> = {
    get: (target, name) => (name === 'ask' ? ask : (Reflect.get(target, name) as unknown)),
  };
  return new Proxy(service, methods) as unknown as PageSession;
}
