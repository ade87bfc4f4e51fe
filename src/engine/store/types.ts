/**
 * Types of the store of traces: records by trace and name, written in transactions. IndexedDB in the page, files under
 * Node, memory where neither is to be had. The store knows nothing of what the records mean.
 */
import type { Fault, Result } from '../base/fault.ts';
import type { NamedValue } from '../base/named-value.ts';

/** Description of a trace that needs no reading of it. */
export interface TraceRecord {
  /** Key by its files, and by the formats and versions of what is kept (`answers/context/trace-key.ts`). */
  readonly key: string;
  readonly name: string;
  /** ms since 1970, for the list of recent traces and eviction. */
  readonly opened: number;
  /** Bytes of its data streams. */
  readonly bytes: number;
  /** False: it is being written, or its writing ended early. */
  readonly complete: boolean;
  /** Free for the layer above; structured-cloneable. */
  readonly info: unknown;
}

/** Every store keeps to `test/support/store-contract.ts`. */
export interface Store {
  readonly kind: 'indexeddb' | 'memory' | 'file';
  /** Lists traces, those opened last first, incomplete ones too. */
  list(): Promise<readonly TraceRecord[]>;
  get(key: string): Promise<TraceRecord | undefined>;
  /** Begins (or begins anew, dropping what an incomplete run left) a trace. */
  begin(record: TraceRecord): Promise<Result<void>>;
  /** Writes records of one trace; all or none. */
  write(key: string, records: readonly NamedValue[]): Promise<Result<void>>;
  /** The value of a record; undefined where it is not there, cannot be read or is damaged. */
  read(key: string, name: string): Promise<unknown>;
  /** The last transaction: writes the last records, and the trace is complete; both or neither. */
  complete(record: TraceRecord, last: readonly NamedValue[]): Promise<Result<void>>;
  /** The trace was opened now. */
  touch(key: string): Promise<void>;
  /**
   * Deletes what this store began and did not complete. A trace that is complete stays, whichever store completed it, and one
   * that another store over the same data began anew.
   */
  abandon(key: string): Promise<void>;
  /** Deletes a trace with all its records. */
  delete(key: string): Promise<void>;
  /** Bytes that a trace takes, without the small records beside its file; undefined: not known. Absent: of none. */
  size?(key: string): Promise<number | undefined>;
  /** Reason why a trace is in memory only, and goes with the page; undefined: it is not, as far as is known. */
  refusal?(key: string): Fault | undefined;
  /** Gives back what it holds open. */
  close(): Promise<void>;
}
