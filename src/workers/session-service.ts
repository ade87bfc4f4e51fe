/** What the session worker answers its page: a session, and a rehearsal while nothing is open. */
import { transfer } from 'comlink';
import { buffersOf } from '../engine/base/buffers.ts';
import type { SourceRef } from '../engine/io/byte-source.ts';
import type { SessionApi } from '../engine/session/api.ts';
import { QUERIES } from '../engine/session/queries.ts';
import type { Rehearsal } from './rehearsal.ts';
import type { SessionService } from './session-api.ts';

/** @param startRehearsal begins to read a small trace, whose workers are the next trace's */
export function sessionService(
  session: SessionApi,
  startRehearsal: (files: readonly SourceRef[]) => Pick<Rehearsal, 'ended' | 'stop'>,
): SessionService {
  let rehearsal: ReturnType<typeof startRehearsal> | undefined;
  const asked = new Map<number, AbortController>();
  return {
    async rehearse(files) {
      rehearsal ??= startRehearsal(files);
      await rehearsal.ended;
    },
    ping: () => Promise.resolve(),
    async open(...request) {
      await rehearsal?.stop();
      return session.open(...request);
    },
    async reopen(...request) {
      await rehearsal?.stop();
      return session.reopen(...request);
    },
    async ask(kind, request, question = 0, onProgress) {
      const controller = question > 0 ? new AbortController() : undefined;
      if (controller !== undefined) asked.set(question, controller);
      try {
        const answer = await session.ask(kind, request, { signal: controller?.signal, onProgress });
        const isTransferred = QUERIES[kind].isTransferred && answer !== undefined;
        return isTransferred ? transfer(answer, buffersOf(answer)) : answer;
      } finally {
        asked.delete(question);
      }
    },
    giveUp: (question) => asked.get(question)?.abort(),
    look: (...request) => session.look(...request),
    dismiss: () => session.dismiss(),
    connect: (...request) => session.connect(...request),
    cancel: () => session.cancel(),
    close: () => session.close(),
    recent: () => session.recent(),
    forget: (key) => session.forget(key),
    storage: () => session.storage(),
    changeOverlays: (definitions) => session.changeOverlays(definitions),
  };
}
