/**
 * Records in IndexedDB. Database `wakepath`: `traces` by key, `records` by (key of the trace, name). When the quota is
 * used up the traces not opened for the longest time go first, incomplete ones before all; those opened through this
 * store never. Limits of several tabs: a trace open in another tab may be evicted; its writing then ends with a fault.
 */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { Fault } from '../base/fault.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { newestFirst, noSuchTrace } from './memory-store.ts';
import type { Store, TraceRecord } from './types.ts';

const DATABASE = 'wakepath';
/** Of the object stores; what the records mean has its own version in the traces' keys. */
const SCHEMA_VERSION = 1;

interface WakepathSchema extends DBSchema {
  traces: { key: string; value: TraceRecord };
  records: { key: [trace: string, name: string]; value: unknown };
}

type Database = IDBPDatabase<WakepathSchema>;

export interface IdbStoreOptions {
  /** Default `wakepath`; tests take another. */
  readonly database?: string;
}

/** Opens the store; a fault where the browser has none for us (private window, an older page in another tab). */
export async function openIdbStore(options: IdbStoreOptions = {}): Promise<Result<Store>> {
  const name = options.database ?? DATABASE;
  const connection = new Connection(name);
  const opened = await connection.open();
  return opened.ok ? ok(new IdbStore(connection)) : opened;
}

/** The database as long as it may be used; opened again when the browser closed it. */
class Connection {
  readonly #name: string;
  #database: Database | undefined;
  /** Set when another tab needs a newer schema: this page must not come back to the old one. */
  #retired = false;

  constructor(name: string) {
    this.#name = name;
  }

  async open(): Promise<Result<Database>> {
    if (this.#database !== undefined) return ok(this.#database);
    if (this.#retired) return unavailable('a newer version of this page is open in another tab');
    if (typeof indexedDB === 'undefined') return unavailable('no IndexedDB');
    return new Promise((resolve) => {
      let given = false;
      const opening = openDB<WakepathSchema>(this.#name, SCHEMA_VERSION, {
        upgrade: (database) => {
          database.createObjectStore('traces', { keyPath: 'key' });
          database.createObjectStore('records');
        },
        blocked: () => {
          given = true;
          resolve(unavailable('an older version of this page is open in another tab'));
        },
        blocking: () => {
          this.#retired = true;
          this.close();
        },
        terminated: () => {
          this.#database = undefined;
        },
      });
      opening.then(
        (database) => {
          if (given) return database.close();
          this.#database = database;
          resolve(ok(database));
        },
        (error: unknown) => resolve(unavailable(String(error))),
      );
    });
  }

  close(): void {
    this.#database?.close();
    this.#database = undefined;
  }
}

class IdbStore implements Store {
  readonly kind = 'indexeddb';
  readonly #connection: Connection;
  /** Traces begun or touched through this store: never evicted. */
  readonly #inUse = new Set<string>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async list(): Promise<readonly TraceRecord[]> {
    const found = await this.#attempt((database) => database.getAll('traces'));
    return found.ok ? newestFirst(found.value) : [];
  }

  async get(key: string): Promise<TraceRecord | undefined> {
    const found = await this.#attempt((database) => database.get('traces', key));
    return found.ok ? found.value : undefined;
  }

  async begin(record: TraceRecord): Promise<Result<void>> {
    this.#inUse.add(record.key);
    await askToPersist();
    return this.#attemptWithRoom(async (database) => {
      const transaction = database.transaction(['traces', 'records'], 'readwrite');
      await finish(transaction, [
        transaction.objectStore('records').delete(recordsOf(record.key)),
        transaction.objectStore('traces').put({ ...record, complete: false }),
      ]);
    });
  }

  async write(
    key: string,
    records: readonly { readonly name: string; readonly value: unknown }[],
  ): Promise<Result<void>> {
    const written = await this.#attemptWithRoom(async (database) => {
      // Relaxed: what a power failure takes belongs to a trace that is not complete yet.
      const transaction = database.transaction(['traces', 'records'], 'readwrite', { durability: 'relaxed' });
      const exists = (await transaction.objectStore('traces').getKey(key)) !== undefined;
      const store = transaction.objectStore('records');
      await finish(
        transaction,
        exists ? records.map(({ name, value }) => store.put(value, [key, name])) : [],
      );
      return exists;
    });
    return ifFound(written, key);
  }

  async read(key: string, name: string): Promise<unknown> {
    const found = await this.#attempt((database) => database.get('records', [key, name]));
    return found.ok ? found.value : undefined;
  }

  async complete(record: TraceRecord): Promise<Result<void>> {
    const completed = await this.#attemptWithRoom(async (database) => {
      const transaction = database.transaction('traces', 'readwrite', { durability: 'strict' });
      const exists = (await transaction.store.getKey(record.key)) !== undefined;
      await finish(transaction, exists ? [transaction.store.put({ ...record, complete: true })] : []);
      return exists;
    });
    return ifFound(completed, record.key);
  }

  async touch(key: string): Promise<void> {
    this.#inUse.add(key);
    await this.#attempt(async (database) => {
      const transaction = database.transaction('traces', 'readwrite');
      const record = await transaction.store.get(key);
      if (record !== undefined) await transaction.store.put({ ...record, opened: Date.now() });
      await transaction.done;
    });
  }

  async delete(key: string): Promise<void> {
    this.#inUse.delete(key);
    await this.#attempt((database) => deleteTrace(database, key));
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  async #attempt<T>(action: (database: Database) => Promise<T>): Promise<Result<T>> {
    const opened = await this.#connection.open();
    if (!opened.ok) return opened;
    try {
      return ok(await action(opened.value));
    } catch (error) {
      return isQuotaError(error)
        ? fail({ code: 'store-full', place: {}, found: String(error) })
        : unavailable(String(error));
    }
  }

  /** As `#attempt`, again after each eviction as long as the quota is used up. */
  async #attemptWithRoom<T>(action: (database: Database) => Promise<T>): Promise<Result<T>> {
    for (;;) {
      const done = await this.#attempt(action);
      if (done.ok || done.fault.code !== 'store-full' || !(await this.#evict())) return done;
    }
  }

  /** Deletes the trace that is missed least; false when there is none. */
  async #evict(): Promise<boolean> {
    const candidates = (await this.list()).filter(({ key }) => !this.#inUse.has(key));
    const victim = candidates.filter(({ complete }) => !complete).at(-1) ?? candidates.at(-1);
    if (victim === undefined) return false;
    return (await this.#attempt((database) => deleteTrace(database, victim.key))).ok;
  }
}

function ifFound(done: Result<boolean>, key: string): Result<void> {
  if (!done.ok) return done;
  return done.value ? ok(undefined) : noSuchTrace(key);
}

async function deleteTrace(database: Database, key: string): Promise<void> {
  const transaction = database.transaction(['traces', 'records'], 'readwrite');
  await finish(transaction, [
    transaction.objectStore('traces').delete(key),
    transaction.objectStore('records').delete(recordsOf(key)),
  ]);
}

/** Waits for the end of a transaction. The reason of an abort is the transaction's; its requests say only `AbortError`. */
async function finish(
  transaction: { readonly done: Promise<void>; readonly error: DOMException | null },
  requests: readonly Promise<unknown>[],
): Promise<void> {
  try {
    await Promise.all([...requests, transaction.done]);
  } catch (error) {
    throw transaction.error ?? error;
  }
}

/** All names of a trace: in the order of keys an array comes after every text. */
function recordsOf(key: string): IDBKeyRange {
  return IDBKeyRange.bound([key], [key, []]);
}

function isQuotaError(error: unknown): boolean {
  return error instanceof Error && error.name === 'QuotaExceededError';
}

/** Asks not to be evicted by the browser; workers cannot ask, there the page does. */
async function askToPersist(): Promise<void> {
  const storage = globalThis.navigator?.storage as Partial<StorageManager> | undefined;
  // A refusal changes nothing but how long the browser keeps the data.
  await storage?.persist?.().catch(() => false);
}

function unavailable(found: string): { readonly ok: false; readonly fault: Fault } {
  return fail({ code: 'store-unavailable', place: {}, found });
}
