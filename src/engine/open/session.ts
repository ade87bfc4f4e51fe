/**
 * One open experiment: reads it with the driver or opens it from the store (`opener.ts`), and answers questions about
 * it (`queries.ts`). Runs in the session worker; `SessionEnvironment` holds what differs between environments.
 */
import type {
  AskOptions,
  KeptExecutions,
  RecentTrace,
  SessionApi,
  TraceSummary,
} from '../protocol/session.ts';
import type { ExecutionDefinition } from '../layers/executions/definition.ts';
import type { LayerWord, WantedOf } from '../registry.ts';
import { keptExecutions, Opener } from './opener.ts';
import { answerOf, queryOf } from '../answers/queries.ts';
import { nothingOf } from '../answers/context/query.ts';
import type { AnswerOf, QueryKind, RequestOf } from '../protocol/queries.ts';
import { recordsOf } from './stored-trace.ts';

export class Session extends Opener implements SessionApi {
  async recent(): Promise<readonly RecentTrace[]> {
    const { store } = await this.store;
    await this.ended();
    const kept = (await store.list()).filter(({ complete }) => complete);
    const sizes = await Promise.all(kept.map(({ key }) => store.size?.(key)));
    return kept.map(({ key, name, opened, bytes, info }, i) => {
      return { key, name, openedMs: opened, bytes, keptBytes: sizes[i], ...(info as TraceSummary) };
    });
  }

  async keptExecutions(definition: ExecutionDefinition) {
    const [{ store }, { hasKept }] = await Promise.all([this.store, keptExecutions()]);
    const found: KeptExecutions[] = [];
    for (const { key, name, complete } of await store.list())
      if (complete && (await hasKept(recordsOf(store, key), definition))) found.push({ key, name });
    return found;
  }

  async executionsFile(key: string, definition: ExecutionDefinition) {
    const { keptFile } = await keptExecutions();
    return keptFile(recordsOf((await this.store).store, key), definition);
  }

  async forget(key: string) {
    await (await this.store).store.delete(key);
  }

  async storage() {
    const { store, fault, estimate } = await this.store;
    const kind: 'indexeddb' | 'memory' = store.kind === 'indexeddb' ? 'indexeddb' : 'memory';
    return { kind, fault: fault(), ...(await estimate()) };
  }

  async ask<K extends QueryKind>(
    kind: K,
    request: RequestOf<K>,
    options: AskOptions = {},
  ): Promise<AnswerOf<K>> {
    const trace = await this.trace();
    if (trace === undefined) return nothingOf(queryOf(kind), request);
    return answerOf({ trace, layers: this.layers, ...options }, kind, request);
  }

  async changeLayer<Word extends LayerWord>(word: Word, wanted: WantedOf<Word>) {
    const { layers } = this;
    const isChanged = (await layers?.change(word, wanted)) ?? false;
    if (isChanged && this.layers === layers) this.sendRows();
    return isChanged;
  }
}
