/**
 * Records in IndexedDB. Database `wakepath`: `traces` by key, `records` by (key of the trace, name). The bytes of their
 * arrays lie in a file for each trace (`byte-files.ts`), which costs a fraction of putting them; where there are no
 * files they stay in the records. IndexedDB alone tells what there is: bytes that no record tells of are not there, and
 * a file that no trace names is left over and removed.
 *
 * When the quota is used up the traces not opened for the longest time go first, incomplete ones before all; those
 * opened through this store never. Limits of several tabs: a trace open in another tab may be evicted or begun anew; its
 * writing then ends with a fault.
 */
import { openDB, type DBSchema, type IDBPDatabase } from 'idb';
import type { Fault } from '../base/fault.ts';
import { fail, ok, type Result } from '../base/result.ts';
import { ByteFiles, type ByteFile } from './byte-files.ts';
import { newestFirst, noSuchTrace } from './memory-store.ts';
import { joinArrays, splitArrays, type SplitRecord } from './record-arrays.ts';
import type { Store, TraceRecord } from './types.ts';

/** Of the database, and of the folder with its files. */
const DATABASE = 'wakepath';
/** Of the object stores; what the records mean has its own version in the traces' keys. */
const SCHEMA_VERSION = 2;

interface StoredTrace extends TraceRecord {
  /** The file with the bytes of its records, another one whenever it begins anew. It need not exist. */
  readonly file: string;
}

interface StoredRecord {
  /** Without its arrays (`splitArrays`) if they are in a file. */
  readonly value: unknown;
  readonly arrays?: { readonly file: string; readonly at: number; readonly lengths: readonly number[] };
}

interface WakepathSchema extends DBSchema {
  traces: { key: string; value: StoredTrace };
  records: { key: [trace: string, name: string]; value: StoredRecord };
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
  return opened.ok ? ok(new IdbStore(connection, new ByteFiles(name))) : opened;
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
          for (const older of database.objectStoreNames) database.deleteObjectStore(older);
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
  readonly #files: ByteFiles;
  /** Files being written, by the trace's key; undefined where there can be none. */
  readonly #writing = new Map<string, Promise<ByteFile | undefined>>();

  constructor(connection: Connection, files: ByteFiles) {
    this.#connection = connection;
    this.#files = files;
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
    const { key } = record;
    this.#inUse.add(key);
    await askToPersist();
    await this.#stopWriting(key);
    const file = crypto.getRandomValues(new Uint32Array(4)).join('-');
    const begun = await this.#attemptWithRoom(async (database) => {
      const transaction = database.transaction(['traces', 'records'], 'readwrite');
      await finish(transaction, [
        transaction.objectStore('records').delete(recordsOf(key)),
        transaction.objectStore('traces').put({ ...record, complete: false, file }),
      ]);
    });
    await this.#removeUnused();
    return begun;
  }

  async write(
    key: string,
    records: readonly { readonly name: string; readonly value: unknown }[],
  ): Promise<Result<void>> {
    const split = records.map(({ name, value }) => ({ name, value, ...splitArrays(value) }));
    const hasArrays = split.some(({ arrays }) => arrays.some(({ length }) => length > 0));
    const file = hasArrays ? await this.#fileOf(key) : undefined;
    const placed = await this.#attemptWithRoom(() => Promise.resolve(place(split, file)));
    if (!placed.ok) return placed;
    const written = await this.#attemptWithRoom(async (database) => {
      // Relaxed: what a power failure takes belongs to a trace that is not complete yet.
      const transaction = database.transaction(['traces', 'records'], 'readwrite', { durability: 'relaxed' });
      const isOurs = isOf(await transaction.objectStore('traces').get(key), file);
      const store = transaction.objectStore('records');
      await finish(
        transaction,
        isOurs ? placed.value.map(({ name, record }) => store.put(record, [key, name])) : [],
      );
      return isOurs;
    });
    return this.#ifFound(written, key);
  }

  async read(key: string, name: string): Promise<unknown> {
    const found = await this.#attempt((database) => database.get('records', [key, name]));
    if (!found.ok || found.value === undefined) return undefined;
    const { value, arrays } = found.value;
    if (arrays === undefined || arrays.lengths.length === 0) return value;
    const { file, at, lengths } = arrays;
    const length = lengths.reduce((sum, bytes) => sum + bytes, 0);
    const ours = await this.#writing.get(key);
    const bytes = ours?.name === file ? ours.read(at, length) : await this.#files.read(file, at, length);
    return bytes && joinArrays(value, lengths, bytes);
  }

  async complete(record: TraceRecord): Promise<Result<void>> {
    const { key } = record;
    const file = await this.#writing.get(key);
    const completed = await this.#attemptWithRoom(async (database) => {
      file?.flush();
      const transaction = database.transaction('traces', 'readwrite', { durability: 'strict' });
      const trace = await transaction.store.get(key);
      const isOurs = isOf(trace, file);
      await finish(
        transaction,
        isOurs ? [transaction.store.put({ ...record, complete: true, file: trace.file })] : [],
      );
      return isOurs;
    });
    await this.#stopWriting(key);
    return this.#ifFound(completed, key);
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
    await this.#stopWriting(key);
    await this.#deleteTrace(key);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#writing.keys()].map((key) => this.#stopWriting(key)));
    this.#connection.close();
  }

  /** The file to which the arrays of a trace are written, at its end. */
  #fileOf(key: string): Promise<ByteFile | undefined> {
    const known = this.#writing.get(key);
    if (known !== undefined) return known;
    const opening = this.#attempt((database) => database.get('traces', key)).then((found) =>
      found.ok && found.value !== undefined ? this.#files.open(found.value.file) : undefined,
    );
    this.#writing.set(key, opening);
    return opening;
  }

  async #stopWriting(key: string): Promise<void> {
    const file = this.#writing.get(key);
    this.#writing.delete(key);
    (await file)?.close();
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
    return (await this.#deleteTrace(victim.key)).ok;
  }

  async #deleteTrace(key: string): Promise<Result<void>> {
    const deleted = await this.#attempt(async (database) => {
      const transaction = database.transaction(['traces', 'records'], 'readwrite');
      await finish(transaction, [
        transaction.objectStore('traces').delete(key),
        transaction.objectStore('records').delete(recordsOf(key)),
      ]);
    });
    await this.#removeUnused();
    return deleted;
  }

  /** Files that no trace names: of traces now deleted, or left by a page that crashed. */
  async #removeUnused(): Promise<void> {
    // In this order: a trace names its file before there is one.
    const names = await this.#files.names();
    const traces = await this.#attempt((database) => database.getAll('traces'));
    if (!traces.ok) return;
    const used = new Set(traces.value.map(({ file }) => file));
    for (const name of names) if (!used.has(name)) await this.#files.remove(name);
  }

  async #ifFound(done: Result<boolean>, key: string): Promise<Result<void>> {
    if (!done.ok) return done;
    if (done.value) return ok(undefined);
    await this.#stopWriting(key);
    return noSuchTrace(key);
  }
}

/** Whether a trace is still the one that was begun with this file. */
function isOf(trace: StoredTrace | undefined, file: ByteFile | undefined): trace is StoredTrace {
  return trace !== undefined && (file === undefined || trace.file === file.name);
}

/** Records as they are put, once their arrays are written. Throws when there is no room for these. */
function place(
  records: readonly (SplitRecord & { readonly name: string; readonly value: unknown })[],
  file: ByteFile | undefined,
): { readonly name: string; readonly record: StoredRecord }[] {
  if (file === undefined) return records.map(({ name, value }) => ({ name, record: { value } }));
  return records.map(({ name, rest, arrays }) => {
    const lengths = arrays.map(({ length }) => length);
    return { name, record: { value: rest, arrays: { file: file.name, at: file.append(arrays), lengths } } };
  });
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
