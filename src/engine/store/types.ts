/**
 * Types of the store of traces: records by trace and name, written in transactions. IndexedDB in the page, files under
 * Node, memory where neither is available. The store does not know what records mean.
 */
import type { Fault, Result } from '../base/fault.ts';
import type { NamedValue } from '../base/named-value.ts';

/** Description of a trace that can be read without the trace. */
export interface TraceRecord {
  /** Key made of its files and of the formats and versions of results (`answers/context/trace-key.ts`). */
  readonly key: string;
  readonly name: string;
  /** ms since 1970, for the list of recent traces and eviction. */
  readonly opened: number;
  /** Bytes of its data streams. */
  readonly bytes: number;
  /** False: it is being written, or writing was interrupted. */
  readonly complete: boolean;
  /** Data of the caller; structured-cloneable. */
  readonly info: unknown;
}

/** Contract in `test/support/store-contract.ts`. */
export interface Store {
  readonly kind: 'indexeddb' | 'memory' | 'file';
  /** Lists traces, those opened last first, incomplete ones too. */
  list(): Promise<readonly TraceRecord[]>;
  get(key: string): Promise<TraceRecord | undefined>;
  /** Begins a trace, or begins it again and drops what an incomplete run left. */
  begin(record: TraceRecord): Promise<Result<void>>;
  /** Writes all or none of these records of a trace. */
  write(key: string, records: readonly NamedValue[]): Promise<Result<void>>;
  /** The value of a record; undefined: missing, unreadable or damaged. */
  read(key: string, name: string): Promise<unknown>;
  /** Writes the last records and completes the trace, both or neither. */
  complete(record: TraceRecord, last: readonly NamedValue[]): Promise<Result<void>>;
  /** Records that the trace was opened now. */
  touch(key: string): Promise<void>;
  /**
   * Deletes a trace that this store began and did not complete. A complete trace stays, whichever store completed it,
   * and so does one that another store over the same data began again.
   */
  abandon(key: string): Promise<void>;
  /** Deletes a trace with all its records. */
  delete(key: string): Promise<void>;
  /** Bytes of a trace, without the small records beside its file; undefined: not known. Absent: never known. */
  size?(key: string): Promise<number | undefined>;
  /** Why a trace is only in memory, and is lost with the page; undefined: it is not, as far as known. */
  refusal?(key: string): Fault | undefined;
  /** Releases what the store holds open. */
  close(): Promise<void>;
}
