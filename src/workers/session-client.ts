/** The page's session: that of the worker, with questions that a signal can give up. */
import { type Endpoint, proxy, wrap } from 'comlink';
import { isMissingCode } from '../engine/base/later-code.ts';
import type { PageSession, SessionService } from './session-api.ts';
import type { SessionApi } from '../engine/protocol/session.ts';

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
