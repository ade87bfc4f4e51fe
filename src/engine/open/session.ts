/**
 * One open experiment: reads it with the driver or opens it from the store (`opener.ts`), and answers questions about it
 * (`queries.ts`). Runs in the session worker; what differs between environments comes in as `SessionEnvironment`.
 */
import type { SourceRef } from '../io/byte-source.ts';
import type { ClockSettings } from '../sync/host-clocks.ts';
import type {
  AskOptions,
  Given,
  KeptExecutions,
  OpenOptions,
  RecentTrace,
  SessionApi,
  TraceSummary,
  UpdateListener,
} from '../protocol/session.ts';
import type { ExecutionDefinition } from '../layers/executions/definition.ts';
import type { SessionEnvironment, SessionStore } from './environment.ts';
import type { LayerWord, WantedOf } from '../registry.ts';
import { keptExecutions, Opener } from './opener.ts';
import { answerOf, queryOf } from '../answers/queries.ts';
import { nothingOf } from '../answers/context/query.ts';
import type { AnswerOf, QueryKind, RequestOf } from '../protocol/queries.ts';
import { recordsOf } from './stored-trace.ts';

export class Session implements SessionApi {
  readonly #store: Promise<SessionStore>;
  readonly #opener: Opener;

  constructor(environment: SessionEnvironment) {
    this.#store = environment.openStore();
    this.#opener = new Opener(environment, this.#store);
  }

  probe(given: Given, onUpdate: UpdateListener) {
    return this.#opener.probe(given, onUpdate);
  }

  discardProbe() {
    return this.#opener.discardProbe();
  }

  open(given: Given, options: OpenOptions, onUpdate: UpdateListener) {
    return this.#opener.open(given, options, onUpdate);
  }

  reopen(key: string, onUpdate: UpdateListener, clocks?: ClockSettings) {
    return this.#opener.reopen(key, onUpdate, clocks);
  }

  attachFiles(files: readonly SourceRef[], clocks?: ClockSettings) {
    return this.#opener.attachFiles(files, clocks);
  }

  addSymbols(files: readonly SourceRef[]) {
    return this.#opener.addSymbols(files);
  }

  cancel() {
    return this.#opener.cancel();
  }

  close() {
    return this.#opener.close();
  }

  async recent(): Promise<readonly RecentTrace[]> {
    const { store } = await this.#store;
    await this.#opener.ended();
    const kept = (await store.list()).filter(({ complete }) => complete);
    const sizes = await Promise.all(kept.map(({ key }) => store.size?.(key)));
    return kept.map(({ key, name, opened, bytes, info }, i) => {
      return { key, name, openedMs: opened, bytes, keptBytes: sizes[i], ...(info as TraceSummary) };
    });
  }

  async keptExecutions(definition: ExecutionDefinition) {
    const [{ store }, { hasKept }] = await Promise.all([this.#store, keptExecutions()]);
    const found: KeptExecutions[] = [];
    for (const { key, name, complete } of await store.list())
      if (complete && (await hasKept(recordsOf(store, key), definition))) found.push({ key, name });
    return found;
  }

  async executionsFile(key: string, definition: ExecutionDefinition) {
    const { keptFile } = await keptExecutions();
    return keptFile(recordsOf((await this.#store).store, key), definition);
  }

  async forget(key: string) {
    await (await this.#store).store.delete(key);
  }

  async storage() {
    const { store, fault, estimate } = await this.#store;
    const kind: 'indexeddb' | 'memory' = store.kind === 'indexeddb' ? 'indexeddb' : 'memory';
    return { kind, fault: fault(), ...(await estimate()) };
  }

  async ask<K extends QueryKind>(
    kind: K,
    request: RequestOf<K>,
    options: AskOptions = {},
  ): Promise<AnswerOf<K>> {
    const trace = await this.#opener.trace();
    if (trace === undefined) return nothingOf(queryOf(kind), request);
    return answerOf({ trace, layers: this.#opener.layers, ...options }, kind, request);
  }

  async changeLayer<Word extends LayerWord>(word: Word, wanted: WantedOf<Word>) {
    const { layers } = this.#opener;
    const isChanged = (await layers?.change(word, wanted)) ?? false;
    if (isChanged && this.#opener.layers === layers) this.#opener.sendRows();
    return isChanged;
  }
}
