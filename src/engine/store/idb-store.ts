/**
 * Records in IndexedDB. Database `wakepath`: `traces` by key, `records` by (key of the trace, name). The bytes of their
 * arrays lie in a file for each trace (`byte-files.ts`), which costs a fraction of putting them; where there are no
 * files they stay in the records. IndexedDB alone says what there is: bytes that no record describes are not there, and
 * a file that no trace names is left over and removed.
 *
 * When the quota is used up the traces not opened for the longest time go first, incomplete ones before all; those
 * opened through this store never. Limits of several tabs: a trace open in another tab may be evicted or begun anew; its
 * writing then ends with a fault, and its file goes with the next trace that begins after that tab let go of it.
 */
import { checksum } from '../base/checksum.ts';
import type { NamedValue } from '../base/named-value.ts';
import { fail, ok, type Result } from '../base/fault.ts';
import { ByteFiles, type ByteFile } from './byte-files.ts';
import {
  beginTransaction,
  IdbConnection,
  type StoredArrays,
  type StoredRecord,
  type StoredTrace,
  type StoreName,
  type Transaction,
  unavailable,
} from './idb-connection.ts';
import { newestFirst, noSuchTrace } from './memory-store.ts';
import type { Store, TraceRecord } from './types.ts';
import { type SplitRecord, splitArrays, joinArrays } from './record-arrays.ts';

/** Name of the database, and of the folder with its files. */
const DATABASE = 'wakepath';
const EVERYTHING = ['traces', 'records'] as const;

export interface IdbStoreOptions {
  /** Name of the database; default `wakepath`; tests use another. */
  readonly database?: string;
}

/** Opens the store; a fault if there is none (private window, older page in another tab), or does not answer. */
export async function openIdbStore(options: IdbStoreOptions = {}): Promise<Result<Store>> {
  const name = options.database ?? DATABASE;
  const connection = new IdbConnection(name);
  const opened = await connection.tryAll();
  return opened.ok ? ok(new IdbStore(connection, new ByteFiles(name))) : opened;
}

/** A trace that this store writes. If the record names another file, the trace was begun again elsewhere. */
interface Writing {
  readonly name: string;
  /** Opened with the first write; undefined: no file could be opened. */
  file?: Promise<ByteFile | undefined>;
}

class IdbStore implements Store {
  readonly kind = 'indexeddb';
  /** Traces begun or touched through this store: never evicted. */
  readonly #inUse = new Set<string>();
  /** Traces being written, by key. */
  readonly #writing = new Map<string, Writing>();

  constructor(
    private readonly connection: IdbConnection,
    private readonly files: ByteFiles,
  ) {}

  async list(): Promise<readonly TraceRecord[]> {
    const found = await this.#attempt(['traces'], 'readonly', ({ store }) => store.getAll());
    return found.ok ? newestFirst(found.value) : [];
  }

  async get(key: string): Promise<TraceRecord | undefined> {
    const found = await this.#attempt(['traces'], 'readonly', ({ store }) => store.get(key));
    return found.ok ? found.value : undefined;
  }

  async begin(record: TraceRecord): Promise<Result<void>> {
    const { key } = record;
    this.#inUse.add(key);
    await this.#stopWriting(key);
    const file = crypto.getRandomValues(new Uint32Array(4)).join('-');
    this.#writing.set(key, { name: file });
    const begun = await this.#attemptMakingSpace('default', (transaction) =>
      finish(transaction, [
        transaction.objectStore('records').delete(recordsOf(key)),
        transaction.objectStore('traces').put({ ...record, complete: false, file }),
      ]),
    );
    await this.#removeUnused();
    return begun;
  }

  async read(key: string, name: string): Promise<unknown> {
    const found = await this.#attempt(['records'], 'readonly', ({ store }) => store.get([key, name]));
    if (!found.ok || found.value === undefined) return undefined;
    const { value, arrays } = found.value;
    if (arrays === undefined || arrays.lengths.length === 0) return value;
    const bytes = await this.#bytesOf(key, arrays);
    return bytes && areSound(bytes, arrays) ? joinArrays(value, arrays.lengths, bytes) : undefined;
  }

  async #bytesOf(key: string, { file, at, lengths }: StoredArrays): Promise<ArrayBuffer | undefined> {
    const length = lengths.reduce((sum, bytes) => sum + bytes, 0);
    const ours = await this.#writing.get(key)?.file;
    const written = ours?.name === file ? ours.read(at, length) : undefined;
    return written ?? this.files.read(file, at, length);
  }

  async complete(record: TraceRecord, last: readonly NamedValue[]): Promise<Result<void>> {
    const completed = await this.write(record.key, last, record);
    if (completed.ok) await this.#stopWriting(record.key);
    return completed;
  }

  async touch(key: string): Promise<void> {
    this.#inUse.add(key);
    await this.#attempt(['traces'], 'readwrite', async ({ store, done }) => {
      const record = await store.get(key);
      if (record !== undefined) await store.put({ ...record, opened: Date.now() });
      await done;
    });
  }

  async abandon(key: string): Promise<void> {
    const begun = this.#writing.get(key)?.name;
    this.#inUse.delete(key);
    await this.#stopWriting(key);
    await this.#deleteTrace(key, ({ complete, file }) => !complete && file === begun);
  }

  async delete(key: string): Promise<void> {
    this.#inUse.delete(key);
    await this.#stopWriting(key);
    await this.#deleteTrace(key);
  }

  async size(key: string): Promise<number | undefined> {
    const found = await this.#attempt(['traces'], 'readonly', ({ store }) => store.get(key));
    return found.ok && found.value !== undefined ? this.files.size(found.value.file) : undefined;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#writing.keys()].map((key) => this.#stopWriting(key)));
    await this.files.close();
    this.connection.close();
  }

  /** @param complete the trace's own record, if these records are the last */
  async write(key: string, records: readonly NamedValue[], complete?: TraceRecord): Promise<Result<void>> {
    const writing = await this.#writingOf(key);
    if (!writing.ok) return writing;
    const own = writing.value;
    const { name } = own;
    const split = records.map((record) => ({ ...record, ...splitArrays(record.value) }));
    const hasBytes = split.some(({ arrays }) => arrays.some(({ length }) => length > 0));
    const file = await (hasBytes ? (own.file ??= this.files.open(name)) : own.file);
    let placed: ReturnType<typeof place> | undefined;
    // Relaxed: a power failure can only lose parts of a trace that is incomplete then.
    const written = await this.#attemptMakingSpace('relaxed', async (transaction) => {
      const [traces, store] = [transaction.objectStore('traces'), transaction.objectStore('records')];
      // Read while bytes are written.
      const begun = traces.get(key);
      placed ??= place(split, file);
      const isOurs = (await begun)?.file === name;
      const puts = isOurs ? placed.map(({ name, record }) => store.put(record, [key, name])) : [];
      // The browser takes these records meanwhile. All bytes are flushed before a record refers to them.
      if (isOurs && complete !== undefined) file?.flush();
      const ended = isOurs && complete && traces.put({ ...complete, complete: true, file: name });
      await finish(transaction, [...puts, ended]);
      return isOurs;
    });
    return this.#ifOurs(written, key, own);
  }

  /** The trace as begun, by this store or before. */
  async #writingOf(key: string): Promise<Result<Writing>> {
    if (!this.#writing.has(key)) {
      const found = await this.#attempt(['traces'], 'readonly', ({ store }) => store.get(key));
      if (!found.ok) return found;
      if (found.value === undefined) return noSuchTrace(key);
      if (!this.#writing.has(key)) this.#writing.set(key, { name: found.value.file });
    }
    const writing = this.#writing.get(key);
    return writing === undefined ? noSuchTrace(key) : ok(writing);
  }

  /** A fault if the trace was deleted or begun again meanwhile; its file is closed then. */
  async #ifOurs(done: Result<boolean>, key: string, writing: Writing): Promise<Result<void>> {
    if (!done.ok) return done;
    if (done.value) return ok(undefined);
    const file = writing.file;
    writing.file = Promise.resolve(undefined);
    (await file)?.close();
    return noSuchTrace(key);
  }

  async #stopWriting(key: string): Promise<void> {
    const file = this.#writing.get(key)?.file;
    this.#writing.delete(key);
    (await file)?.close();
  }

  async #attempt<T, const Names extends readonly StoreName[], Mode extends IDBTransactionMode>(
    names: Names,
    mode: Mode,
    action: (transaction: Transaction<Names, Mode>) => Promise<T>,
    durability?: IDBTransactionDurability,
  ): Promise<Result<T>> {
    const opened = await this.connection.open();
    if (!opened.ok) return opened;
    try {
      const done = action(beginTransaction(opened.value, names, mode, durability));
      return ok(await this.connection.answer(done));
    } catch (error) {
      return error instanceof Error && error.name === 'QuotaExceededError'
        ? fail({ code: 'store-full', place: {}, found: String(error) })
        : unavailable(String(error));
    }
  }

  /** Writes, and tries again after each eviction as long as the quota is used up. */
  async #attemptMakingSpace<T>(
    durability: IDBTransactionDurability,
    action: (transaction: Transaction<typeof EVERYTHING, 'readwrite'>) => Promise<T>,
  ): Promise<Result<T>> {
    for (;;) {
      const done = await this.#attempt(EVERYTHING, 'readwrite', action, durability);
      if (done.ok || done.fault.code !== 'store-full' || !(await this.#evict())) return done;
    }
  }

  /** Deletes the least valuable trace; false: there is none. */
  async #evict(): Promise<boolean> {
    const candidates = (await this.list()).filter(({ key }) => !this.#inUse.has(key));
    const victim = candidates.filter(({ complete }) => !complete).at(-1) ?? candidates.at(-1);
    if (victim === undefined) return false;
    return (await this.#deleteTrace(victim.key)).ok;
  }

  /** @param isMeant condition; default: none */
  async #deleteTrace(
    key: string,
    isMeant: (trace: StoredTrace) => boolean = () => true,
  ): Promise<Result<void>> {
    const deleted = await this.#attempt(EVERYTHING, 'readwrite', async (transaction) => {
      const traces = transaction.objectStore('traces');
      const trace = await traces.get(key);
      if (trace === undefined || !isMeant(trace)) return;
      await finish(transaction, [
        traces.delete(key),
        transaction.objectStore('records').delete(recordsOf(key)),
      ]);
    });
    await this.#removeUnused();
    return deleted;
  }

  /** Removes files that no trace names: of deleted traces, or left by a crashed page. */
  async #removeUnused(): Promise<void> {
    // In this order, as a trace names its file before the file exists.
    const names = await this.files.names();
    const traces = await this.#attempt(['traces'], 'readonly', ({ store }) => store.getAll());
    if (!traces.ok) return;
    const used = new Set(traces.value.map(({ file }) => file));
    for (const name of names) if (!used.has(name)) await this.files.remove(name);
  }
}

/** Records for the database, after their arrays were written. Throws if there is no room for these. */
function place(
  records: readonly (SplitRecord & NamedValue)[],
  file: ByteFile | undefined,
): { readonly name: string; readonly record: StoredRecord }[] {
  if (file === undefined) return records.map(({ name, value }) => ({ name, record: { value } }));
  let at = file.append(records.flatMap(({ arrays }) => arrays));
  return records.map(({ name, rest, arrays, isChecked }) => {
    const lengths = arrays.map(({ length }) => length);
    const checksums = isChecked ? undefined : arrays.map((array) => checksum(array));
    const record = { value: rest, arrays: { file: file.name, at, lengths, checksums } };
    at += lengths.reduce((sum, length) => sum + length, 0);
    return { name, record };
  });
}

/** Whether the bytes of a record are those that were written, if the store checks them. */
function areSound(bytes: ArrayBuffer, { lengths, checksums }: StoredArrays): boolean {
  const all = new Uint8Array(bytes);
  let at = 0;
  return lengths.every((length, i) => {
    const begin = at;
    at += length;
    return checksums === undefined || checksum(all, begin, at) === checksums[i];
  });
}

/** Waits for the end of a transaction. After an abort it has the reason; its requests say only `AbortError`. */
async function finish(
  transaction: { readonly done: Promise<void>; readonly error: DOMException | null },
  requests: readonly unknown[],
): Promise<void> {
  try {
    await Promise.all([...requests, transaction.done]);
  } catch (error) {
    throw transaction.error ?? error;
  }
}

/** All names of a trace: an array sorts after every text. */
function recordsOf(key: string): IDBKeyRange {
  return IDBKeyRange.bound([key], [key, []]);
}
