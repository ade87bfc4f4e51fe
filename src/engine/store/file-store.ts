/**
 * Records as files, for Node: a folder per trace, with a file per record and `trace`, the trace's own record, all in
 * V8's structured-clone format after a checksum. A transaction writes temporary files and then renames them; a crash in
 * between leaves an incomplete trace, which is read again.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { checksum } from '../base/checksum.ts';
import type { NamedValue } from '../base/named-value.ts';
import { fail, ok, type Result } from '../base/fault.ts';
import { newestFirst, noSuchTrace } from './memory-store.ts';
import type { Store, TraceRecord } from './types.ts';

const TRACE_FILE = 'trace';
const CHECKSUM_BYTES = 4;
/** Suffix of the name of a file that is being written. */
const UNFINISHED = '.new';

interface FileRecord extends TraceRecord {
  /** Random, another one whenever the trace begins again; absent when it is complete. */
  readonly begun?: string;
  /** Names of files that a complete trace must have. */
  readonly files?: readonly string[];
}

export class FileStore implements Store {
  readonly kind = 'file';
  /** `FileRecord.begun` of the traces begun by this store, by key. */
  readonly #begun = new Map<string, string>();

  /** @param folder made with the first trace if missing */
  constructor(private readonly folder: string) {}

  async list(): Promise<readonly TraceRecord[]> {
    const names = await readdir(this.folder).catch(() => []);
    const records: TraceRecord[] = [];
    for (const name of names) {
      const record = (await readValue(join(this.folder, name, TRACE_FILE))) as TraceRecord | undefined;
      if (record !== undefined) records.push(record);
    }
    return newestFirst(records);
  }

  async get(key: string): Promise<TraceRecord | undefined> {
    return (await readValue(join(this.#traceFolder(key), TRACE_FILE))) as TraceRecord | undefined;
  }

  begin(record: TraceRecord): Promise<Result<void>> {
    const folder = this.#traceFolder(record.key);
    const begun = randomUUID();
    this.#begun.set(record.key, begun);
    const value: FileRecord = { ...record, complete: false, begun };
    return attempt(async () => {
      await rm(folder, { recursive: true, force: true });
      await makeFolder(folder);
      await writeValues(folder, [{ file: TRACE_FILE, value }]);
    });
  }

  async write(key: string, records: readonly NamedValue[]): Promise<Result<void>> {
    if ((await this.get(key)) === undefined) return noSuchTrace(key);
    return attempt(() => writeValues(this.#traceFolder(key), filesOf(records)));
  }

  read(key: string, name: string): Promise<unknown> {
    return readValue(join(this.#traceFolder(key), recordFile(name)));
  }

  async complete(record: TraceRecord, last: readonly NamedValue[]): Promise<Result<void>> {
    if ((await this.get(record.key)) === undefined) return noSuchTrace(record.key);
    const folder = this.#traceFolder(record.key);
    const records = filesOf(last);
    return attempt(async () => {
      const files = [...(await filesIn(folder)), ...records.map(({ file }) => file)];
      const value: FileRecord = { ...record, complete: true, files };
      await writeValues(folder, [...records, { file: TRACE_FILE, value }]);
    });
  }

  async touch(key: string): Promise<void> {
    const record = await this.get(key);
    if (record === undefined) return;
    const value = { ...record, opened: Date.now() };
    await attempt(() => writeValues(this.#traceFolder(key), [{ file: TRACE_FILE, value }]));
  }

  async abandon(key: string): Promise<void> {
    const record: FileRecord | undefined = await this.get(key);
    if (record?.begun !== undefined && record.begun === this.#begun.get(key)) await this.delete(key);
  }

  async delete(key: string): Promise<void> {
    await rm(this.#traceFolder(key), { recursive: true, force: true });
  }

  /** Whether every record of a trace is there and can be read. */
  async isSound(key: string): Promise<boolean> {
    const folder = this.#traceFolder(key);
    const record: FileRecord | undefined = await this.get(key);
    for (const name of new Set([...(await filesIn(folder)), ...(record?.files ?? [])]))
      if ((await readContent(join(folder, name))) === undefined) return false;
    return true;
  }

  async close(): Promise<void> {}

  #traceFolder(key: string): string {
    return join(this.folder, safeName(key));
  }
}

/** Makes a folder and its parents. Node's own recursive way never ends where nothing can be created (`/proc`). */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await mkdir(path).catch((later: NodeJS.ErrnoException) => {
      // Another process may have made it meanwhile.
      if (later.code !== 'EEXIST') throw later;
    });
  }
}

interface FileValue {
  readonly file: string;
  readonly value: unknown;
}

function filesOf(records: readonly NamedValue[]): FileValue[] {
  return records.map(({ name, value }) => ({ file: recordFile(name), value }));
}

/** File name of a record; its first letter distinguishes it from `trace`. */
function recordFile(name: string): string {
  return `r-${safeName(name)}`;
}

/** A file name that no file system takes for a path; URI encoding would keep dots. */
function safeName(name: string): string {
  return encodeURIComponent(name).replaceAll('.', '%2E');
}

async function readValue(path: string): Promise<unknown> {
  const content = await readContent(path);
  return content && (deserialize(content) as unknown);
}

async function filesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => !name.endsWith(UNFINISHED));
}

/** Content of a file; undefined: missing, cut off by a crash, or damaged. */
async function readContent(path: string): Promise<Buffer | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined || bytes.length < CHECKSUM_BYTES) return undefined;
  return bytes.readUInt32LE(0) === checksum(bytes, CHECKSUM_BYTES)
    ? bytes.subarray(CHECKSUM_BYTES)
    : undefined;
}

/** Writes the files in order: if the last one exists, all do. */
async function writeValues(folder: string, files: readonly FileValue[]): Promise<void> {
  for (const { file, value } of files) {
    const content = serialize(value);
    const head = Buffer.alloc(CHECKSUM_BYTES);
    head.writeUInt32LE(checksum(content));
    await writeFile(join(folder, file + UNFINISHED), [head, content]);
  }
  for (const { file } of files) await rename(join(folder, file + UNFINISHED), join(folder, file));
}

async function attempt(action: () => Promise<void>): Promise<Result<void>> {
  try {
    await action();
    return ok(undefined);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const full = code === 'ENOSPC' || code === 'EDQUOT';
    return fail({ code: full ? 'store-full' : 'store-unavailable', place: {}, found: message });
  }
}
