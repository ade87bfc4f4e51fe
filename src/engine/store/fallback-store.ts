/**
 * A store that continues in memory when the primary store cannot: it is not available at all, or is full in the middle
 * of a trace. What was written before stays readable; the trace is then complete, but in memory only.
 */
import { type Fault, ok, type Result } from '../base/fault.ts';
import type { NamedValue } from '../base/named-value.ts';
import { MemoryStore } from './memory-store.ts';
import type { Store, TraceRecord } from './types.ts';

export class FallbackStore implements Store {
  readonly #primary: Store | undefined;
  /** Why there is no primary store; undefined: there is one. */
  readonly #noPrimary: Fault | undefined;
  readonly #onFault: (fault: Fault) => void;
  readonly #memory = new MemoryStore();
  /** Traces begun and not yet complete. */
  readonly #begun = new Map<string, TraceRecord>();
  /** Traces that continue in memory, and why. */
  readonly #inMemory = new Map<string, Fault | undefined>();

  /**
   * @param primary the store to use, or why there is none
   * @param onFault called each time something stays in memory that should have been stored
   */
  constructor(primary: Result<Store>, onFault: (fault: Fault) => void) {
    this.#primary = primary.ok ? primary.value : undefined;
    this.#onFault = onFault;
    this.#noPrimary = primary.ok ? undefined : primary.fault;
    if (!primary.ok) onFault(primary.fault);
  }

  /** Kind of store for new traces: `memory` as soon as one of them is kept there. */
  get kind(): Store['kind'] {
    return this.#primary === undefined || this.#inMemory.size > 0 ? 'memory' : this.#primary.kind;
  }

  async list(): Promise<readonly TraceRecord[]> {
    const stored = (await this.#primary?.list()) ?? [];
    return [...(await this.#memory.list()), ...stored.filter(({ key }) => !this.#inMemory.has(key))];
  }

  async get(key: string): Promise<TraceRecord | undefined> {
    return (await this.#memory.get(key)) ?? (await this.#primary?.get(key));
  }

  async begin(record: TraceRecord): Promise<Result<void>> {
    this.#inMemory.delete(record.key);
    await this.#memory.delete(record.key);
    this.#begun.set(record.key, record);
    if (this.#primary === undefined) return this.#goOnInMemory(record.key);
    const begun = await this.#primary.begin(record);
    return begun.ok ? begun : this.#goOnInMemory(record.key, begun.fault);
  }

  async write(key: string, records: readonly NamedValue[]): Promise<Result<void>> {
    if (this.#primary !== undefined && !this.#inMemory.has(key)) {
      const written = await this.#primary.write(key, records);
      if (written.ok || !this.#begun.has(key)) return written;
      await this.#goOnInMemory(key, written.fault);
    }
    return this.#memory.write(key, records);
  }

  async read(key: string, name: string): Promise<unknown> {
    const inMemory = this.#inMemory.has(key) ? await this.#memory.read(key, name) : undefined;
    return inMemory ?? (await this.#primary?.read(key, name));
  }

  async complete(record: TraceRecord, last: readonly NamedValue[]): Promise<Result<void>> {
    if (this.#primary !== undefined && !this.#inMemory.has(record.key)) {
      const done = await this.#primary.complete(record, last);
      if (done.ok) this.#begun.delete(record.key);
      if (done.ok || !this.#begun.has(record.key)) return done;
      await this.#goOnInMemory(record.key, done.fault);
    }
    this.#begun.delete(record.key);
    return this.#memory.complete(record, last);
  }

  async touch(key: string): Promise<void> {
    await this.#memory.touch(key);
    await this.#primary?.touch(key);
  }

  async abandon(key: string): Promise<void> {
    if (!this.#begun.delete(key)) return;
    this.#inMemory.delete(key);
    await this.#memory.delete(key);
    await this.#primary?.abandon(key);
  }

  async delete(key: string): Promise<void> {
    this.#inMemory.delete(key);
    this.#begun.delete(key);
    await this.#memory.delete(key);
    await this.#primary?.delete(key);
  }

  async size(key: string): Promise<number | undefined> {
    return this.#inMemory.has(key) ? undefined : this.#primary?.size?.(key);
  }

  refusal(key: string): Fault | undefined {
    return this.#noPrimary ?? this.#inMemory.get(key);
  }

  async close(): Promise<void> {
    await this.#memory.close();
    await this.#primary?.close();
  }

  async #goOnInMemory(key: string, fault?: Fault): Promise<Result<void>> {
    // Another write failed earlier: what was kept of it must not be dropped.
    if (this.#inMemory.has(key)) return ok(undefined);
    this.#inMemory.set(key, fault);
    const record = this.#begun.get(key);
    if (record !== undefined) await this.#memory.begin(record);
    if (fault !== undefined) this.#onFault(fault);
    return ok(undefined);
  }
}
