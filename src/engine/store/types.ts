/**
 * Persistence: records of bytes by key, in transactions. IndexedDB in the page, files under Node, memory where neither
 * is to be had. Knows nothing of what the bytes mean.
 */
import type { NamedValue } from '../base/named-value.ts';
import type { Result } from '../base/result.ts';

export interface TraceRecord {
  /** Key: fingerprint of the host's or experiment's traces + format version + analyses. */
  readonly key: string;
  readonly name: string;
  /** ms since 1970, for the list of recent traces and eviction. */
  readonly opened: number;
  readonly bytes: number;
  readonly complete: boolean;
  /** Free for the layer above: hosts, events, length, thumbnails; structured-cloneable. */
  readonly info: unknown;
}

export interface Store {
  readonly kind: 'indexeddb' | 'memory' | 'file';
  list(): Promise<readonly TraceRecord[]>;
  get(key: string): Promise<TraceRecord | undefined>;
  /** Begins (or begins anew, dropping what an incomplete run left) a trace. */
  begin(record: TraceRecord): Promise<Result<void>>;
  /** Writes records of one trace; all or none. */
  write(key: string, records: readonly NamedValue[]): Promise<Result<void>>;
  read(key: string, name: string): Promise<unknown>;
  /** The last transaction: writes the last records, and the trace is complete; both or neither. */
  complete(record: TraceRecord, last: readonly NamedValue[]): Promise<Result<void>>;
  touch(key: string): Promise<void>;
  /**
   * Deletes what this store began and did not complete. A trace that is complete stays, whoever completed it, and one
   * that another store over the same data began anew.
   */
  abandon(key: string): Promise<void>;
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}
