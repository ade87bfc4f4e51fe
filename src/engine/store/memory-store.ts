/** Records in memory, for the lifetime of the page. Values are not copied: nobody may change them. */
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import type { NamedValue } from '../base/named-value.ts';
import type { Store, TraceRecord } from './types.ts';

export class MemoryStore implements Store {
  readonly kind = 'memory';
  readonly #traces = new Map<string, { record: TraceRecord; readonly values: Map<string, unknown> }>();

  async list(): Promise<readonly TraceRecord[]> {
    return newestFirst([...this.#traces.values()].map(({ record }) => record));
  }

  async get(key: string): Promise<TraceRecord | undefined> {
    return this.#traces.get(key)?.record;
  }

  async begin(record: TraceRecord): Promise<Result<void>> {
    this.#traces.set(record.key, { record: { ...record, complete: false }, values: new Map() });
    return ok(undefined);
  }

  async write(key: string, records: readonly NamedValue[]): Promise<Result<void>> {
    const trace = this.#traces.get(key);
    if (trace === undefined) return noSuchTrace(key);
    for (const { name, value } of records) trace.values.set(name, value);
    return ok(undefined);
  }

  async read(key: string, name: string): Promise<unknown> {
    return this.#traces.get(key)?.values.get(name);
  }

  async complete(record: TraceRecord, last: readonly NamedValue[]): Promise<Result<void>> {
    const written = await this.write(record.key, last);
    const trace = this.#traces.get(record.key);
    if (written.ok && trace !== undefined) trace.record = { ...record, complete: true };
    return written;
  }

  async touch(key: string): Promise<void> {
    const trace = this.#traces.get(key);
    if (trace !== undefined) trace.record = { ...trace.record, opened: Date.now() };
  }

  async abandon(key: string): Promise<void> {
    if (this.#traces.get(key)?.record.complete === false) this.#traces.delete(key);
  }

  async delete(key: string): Promise<void> {
    this.#traces.delete(key);
  }

  async close(): Promise<void> {
    this.#traces.clear();
  }
}

/** Fault of a trace that was not begun, or was deleted meanwhile. */
export function noSuchTrace(key: string): { readonly ok: false; readonly fault: Fault } {
  return fail({ code: 'store-unavailable', place: {}, found: `no trace ${key} in the store` });
}

/** Traces, latest opened first. */
export function newestFirst(records: readonly TraceRecord[]): readonly TraceRecord[] {
  return [...records].sort((a, b) => b.opened - a.opened);
}
