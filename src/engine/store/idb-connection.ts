/** The database of `idb-store.ts`: its schema, and the connection to it. */
import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction } from 'idb';
import { fail, type Fault, ok, type Result } from '../base/fault.ts';
import { SilenceError, within } from './patience.ts';
import type { TraceRecord } from './types.ts';

/** Version of the object stores; that of the records' meaning is in the traces' keys. */
const SCHEMA_VERSION = 3;

export interface StoredTrace extends TraceRecord {
  /** The file with the bytes of its records, another one whenever it begins anew. It need not exist. */
  readonly file: string;
}

export interface StoredRecord {
  /** Value without its arrays (`splitArrays`) if they are in a file. */
  readonly value: unknown;
  readonly arrays?: StoredArrays;
}

/** Place of a record's arrays, one after the other in a file. */
export interface StoredArrays {
  readonly file: string;
  readonly at: number;
  /** Bytes of each. */
  readonly lengths: readonly number[];
  /** Checksum of each array; undefined: the record is checked by its reader. */
  readonly checksums: readonly number[] | undefined;
}

interface WakepathSchema extends DBSchema {
  traces: { key: string; value: StoredTrace };
  records: { key: [trace: string, name: string]; value: StoredRecord };
}

export type Database = IDBPDatabase<WakepathSchema>;
export type StoreName = 'traces' | 'records';
export type Transaction<
  Names extends readonly StoreName[],
  Mode extends IDBTransactionMode,
> = IDBPTransaction<WakepathSchema, Names, Mode>;

/**
 * A transaction of which nobody need await the end. When the browser aborts one, its `done` rejects as well as the
 * request that is waited for, and a rejection that nobody handles is a crash of the page.
 */
export function beginTransaction<const Names extends readonly StoreName[], Mode extends IDBTransactionMode>(
  database: Database,
  names: Names,
  mode: Mode,
  durability?: IDBTransactionDurability,
): Transaction<Names, Mode> {
  const transaction = database.transaction(names, mode, { durability });
  transaction.done.catch(() => undefined);
  return transaction;
}

/** Time in which the database has to be opened, s, and in which a transaction has to end. */
const OPENING_S = 10;
const TRANSACTION_S = 30;

/** The database as long as it may be used; opened again when the browser closed it. */
export class IdbConnection {
  /** One for all who ask while it opens; undefined: not asked for yet, or closed. */
  #database: Promise<Result<Database>> | undefined;
  /** Set when another tab needs a newer schema: this page must not come back to the old one. */
  #retired = false;
  /** Why nothing is asked any more: the browser did not answer, and others need not wait for it, too. */
  #silence: string | undefined;

  constructor(private readonly name: string) {}

  /** Faults: `store-unavailable`. */
  async open(): Promise<Result<Database>> {
    if (this.#retired) return unavailable('a newer version of this page is open in another tab');
    if (this.#silence !== undefined) return unavailable(this.#silence);
    if (typeof indexedDB === 'undefined') return unavailable('no IndexedDB');
    const asked = (this.#database ??= this.#connect());
    const opened = await this.answer(asked, OPENING_S).catch((error: unknown) => unavailable(String(error)));
    // The next one may try again.
    if (!opened.ok && this.#database === asked) this.#database = undefined;
    return opened;
  }

  /**
   * Waits for what was asked of the database. Once something has no answer in time, nothing is asked any more.
   * @param seconds default: as long as a transaction may take
   * @throws SilenceError; what the promise rejects
   */
  async answer<T>(asked: Promise<T>, seconds = TRANSACTION_S): Promise<T> {
    try {
      return await within(asked, seconds);
    } catch (error) {
      if (error instanceof SilenceError) this.#silence = error.message;
      throw error;
    }
  }

  /** Tells whether all object stores can be read and written now: transactions of a visit that was left may hold them. */
  async tryAll(): Promise<Result<void>> {
    const opened = await this.open();
    if (!opened.ok) return opened;
    try {
      const transaction = beginTransaction(opened.value, ['traces', 'records'], 'readwrite');
      await this.answer(transaction.objectStore('records').get(['', '']), OPENING_S);
      return ok(undefined);
    } catch (error) {
      return unavailable(String(error));
    }
  }

  /** Closes the connection until it is asked for again. */
  close(): void {
    const closing = this.#database;
    this.#database = undefined;
    void closing?.then((opened) => opened.ok && opened.value.close());
  }

  #connect(): Promise<Result<Database>> {
    // Some browsers throw at once where the user allows no storage.
    return new Promise<Result<Database>>((resolve) => {
      let given = false;
      const opening = openDB<WakepathSchema>(this.name, SCHEMA_VERSION, {
        upgrade: (database) => {
          for (const older of database.objectStoreNames) database.deleteObjectStore(older);
          database.createObjectStore('traces', { keyPath: 'key' });
          database.createObjectStore('records');
        },
        blocked: () => {
          given = true;
          resolve(unavailable('an older version of this page is open in another tab'));
        },
        blocking: (_, version) => {
          // Without a version the database is to be deleted, and may be made anew.
          if (version !== null) this.#retired = true;
          this.close();
        },
        terminated: () => {
          this.#database = undefined;
        },
      });
      opening.then(
        (database) => {
          if (given) database.close();
          else resolve(ok(database));
        },
        (error: unknown) => resolve(unavailable(String(error))),
      );
    }).catch((error: unknown) => unavailable(String(error)));
  }
}

/** The fault of a store that cannot be used, with what is known of the reason. */
export function unavailable(found: string): { readonly ok: false; readonly fault: Fault } {
  return fail({ code: 'store-unavailable', place: {}, found });
}
