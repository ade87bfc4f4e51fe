/** The session worker's answers to its page: a session, and a rehearsal while nothing is open. */
import { transfer } from 'comlink';
import { buffersOf } from '../engine/base/buffers.ts';
import type { SourceRef } from '../engine/io/byte-source.ts';
import { copiedRows } from '../engine/answers/rows/row-writer.ts';
import type { SessionApi, UpdateListener } from '../engine/protocol/session.ts';
import { queryOf } from '../engine/answers/queries.ts';
import type { Rehearsal } from './rehearsal.ts';
import type { SessionService, WorkerAbilities } from './session-api.ts';

export interface SessionWorker extends Omit<WorkerAbilities, 'rehearse' | 'ping'> {
  /** Begins to read a small trace, whose workers are the next trace's. */
  startRehearsal(files: readonly SourceRef[]): RunningRehearsal;
}

type RunningRehearsal = Pick<Rehearsal, 'ended' | 'stop'>;

export function sessionService(session: SessionApi, worker: SessionWorker): SessionService {
  let rehearsal: RunningRehearsal | undefined;
  const asked = new Map<number, AbortController>();
  const { startRehearsal, ...abilities } = worker;
  return {
    ...abilities,
    async rehearse(files) {
      rehearsal ??= startRehearsal(files);
      await rehearsal.ended;
    },
    ping: () => Promise.resolve(),
    async open(given, options, onUpdate) {
      await rehearsal?.stop();
      return session.open(given, options, handingRows(onUpdate));
    },
    async reopen(key, onUpdate, clocks) {
      await rehearsal?.stop();
      return session.reopen(key, handingRows(onUpdate), clocks);
    },
    async ask(kind, request, question = 0, onProgress) {
      const controller = question > 0 ? new AbortController() : undefined;
      if (controller !== undefined) asked.set(question, controller);
      try {
        const answer = await session.ask(kind, request, { signal: controller?.signal, onProgress });
        const isTransferred = queryOf(kind).isTransferred && answer !== undefined;
        return isTransferred ? transfer(answer, buffersOf(answer)) : answer;
      } finally {
        asked.delete(question);
      }
    },
    giveUp: (question) => asked.get(question)?.abort(),
    probe: (...request) => session.probe(...request),
    discardProbe: () => session.discardProbe(),
    attachFiles: (...request) => session.attachFiles(...request),
    addSymbols: (files) => session.addSymbols(files),
    cancel: () => session.cancel(),
    close: () => session.close(),
    recent: () => session.recent(),
    forget: (key) => session.forget(key),
    keptExecutions: (definition) => session.keptExecutions(definition),
    executionsFile: (...request) => session.executionsFile(...request),
    storage: () => session.storage(),
    changeLayer: (...request) => session.changeLayer(...request),
  };
}

/** Hands a copy of rows over, which the page has not to copy itself: of many threads they are megabytes. */
function handingRows(onUpdate: UpdateListener): UpdateListener {
  return (update) => {
    if (update.rows === undefined) return onUpdate(update);
    const rows = copiedRows(update.rows);
    return onUpdate(transfer({ ...update, rows }, buffersOf(rows)));
  };
}
