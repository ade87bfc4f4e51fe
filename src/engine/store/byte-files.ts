/**
 * Files of bytes in the page's own file system, which only workers may write. Each has one writer at a time, which
 * appends to it; others read what a database lists. Once the browser has not answered in time there are no files any
 * more, so that nobody else waits for it, too.
 */
import { SilenceError, within } from './patience.ts';

/** Parts of up to so many bytes are written together: each write is a message to the browser, too. */
const GATHERED_BYTES = 1024 * 1024;
/** Time in which the browser has to answer, s. */
const ANSWER_S = 10;

/** Handle of a file that several may read where the browser knows of it; elsewhere who opens one has it alone. */
interface SharedFileHandle {
  createSyncAccessHandle(options: { readonly mode: 'read-only' }): Promise<FileSystemSyncAccessHandle>;
}

export class ByteFiles {
  #opening: Promise<FileSystemDirectoryHandle> | undefined;
  #isSilent = false;
  /** The file that was read last. */
  #reading: { readonly name: string; readonly file: Promise<ByteFile | undefined> } | undefined;

  /** @param name of the folder, made when it is needed */
  constructor(private readonly name: string) {}

  /**
   * Opens a file for writing, a new one or at its end. Undefined where there is no such file system (private windows,
   * pages without https), or where somebody else writes the file.
   */
  async open(name: string): Promise<ByteFile | undefined> {
    await this.#stopReading(name);
    return this.#opened(name, (file) => file.createSyncAccessHandle(), { create: true });
  }

  /** Bytes of a file that nobody writes; undefined when they are not there. */
  async read(name: string, at: number, length: number): Promise<ArrayBuffer | undefined> {
    const file = await this.#openToRead(name);
    return file?.read(at, length) ?? this.#slice(name, at, length);
  }

  /** Stays open until another one is read; undefined when somebody else has it for himself. */
  async #openToRead(name: string): Promise<ByteFile | undefined> {
    const before = this.#reading;
    if (before?.name === name) return before.file;
    const access = (file: SharedFileHandle) => file.createSyncAccessHandle({ mode: 'read-only' });
    const reading = { name, file: this.#opened(name, access) };
    this.#reading = reading;
    (await before?.file)?.close();
    const file = await reading.file;
    if (file === undefined && this.#reading === reading) this.#reading = undefined;
    return file;
  }

  /** Undefined where there is no access. What comes too late is closed, as it would lock the file. */
  async #opened(
    name: string,
    access: (file: FileSystemFileHandle) => Promise<FileSystemSyncAccessHandle>,
    options?: FileSystemGetFileOptions,
  ): Promise<ByteFile | undefined> {
    let asked: Promise<FileSystemSyncAccessHandle> | undefined;
    try {
      asked = access(await this.#handle(name, options));
      return new ByteFile(name, await this.#answer(asked));
    } catch {
      asked?.then(
        (late) => late.close(),
        () => undefined,
      );
      return undefined;
    }
  }

  /** Reads without opening the file: everybody may, at some milliseconds a time. */
  async #slice(name: string, at: number, length: number): Promise<ArrayBuffer | undefined> {
    try {
      const file = await this.#file(name);
      const bytes = await this.#answer(file.slice(at, at + length).arrayBuffer());
      return bytes.byteLength === length ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  async #stopReading(name: string): Promise<void> {
    const reading = this.#reading;
    if (reading?.name !== name) return;
    this.#reading = undefined;
    (await reading.file)?.close();
  }

  /** Bytes of a file; undefined where it is not there. */
  async size(name: string): Promise<number | undefined> {
    const file = await this.#file(name).catch(() => undefined);
    return file?.size;
  }

  async names(): Promise<readonly string[]> {
    try {
      return await this.#answer(namesIn(await this.#folder()));
    } catch {
      // No file system: no files.
      return [];
    }
  }

  /** A file that somebody else has open stays. */
  async remove(name: string): Promise<void> {
    await this.#stopReading(name);
    try {
      await this.#answer((await this.#folder()).removeEntry(name));
    } catch {
      // It goes with the next trace that begins.
    }
  }

  /** Lets go of what is being read. */
  async close(): Promise<void> {
    if (this.#reading !== undefined) await this.#stopReading(this.#reading.name);
  }

  /** One for all who ask; who asks after a failure tries again. */
  async #folder(): Promise<FileSystemDirectoryHandle> {
    if (this.#isSilent) throw new SilenceError(ANSWER_S);
    const opening = (this.#opening ??= navigator.storage
      .getDirectory()
      .then((root) => root.getDirectoryHandle(this.name, { create: true })));
    try {
      return await this.#answer(opening);
    } catch (error) {
      if (this.#opening === opening) this.#opening = undefined;
      throw error;
    }
  }

  async #file(name: string): Promise<File> {
    return this.#answer((await this.#handle(name)).getFile());
  }

  async #handle(name: string, options?: FileSystemGetFileOptions): Promise<FileSystemFileHandle> {
    return this.#answer((await this.#folder()).getFileHandle(name, options));
  }

  /** @throws SilenceError; what the promise rejects */
  async #answer<T>(asked: Promise<T>): Promise<T> {
    try {
      return await within(asked, ANSWER_S);
    } catch (error) {
      this.#isSilent ||= error instanceof SilenceError;
      throw error;
    }
  }
}

async function namesIn(folder: FileSystemDirectoryHandle): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  return names;
}

export class ByteFile {
  readonly name: string;
  readonly #access: FileSystemSyncAccessHandle;
  #size: number;
  /** Buffer for parts that are written together. */
  #buffer = new Uint8Array(0);

  constructor(name: string, access: FileSystemSyncAccessHandle) {
    this.name = name;
    this.#access = access;
    this.#size = access.getSize();
  }

  /** Appends parts, all or none; where they begin. Throws a `QuotaExceededError` when there is no room. */
  append(parts: readonly Uint8Array[]): number {
    const begin = this.#size;
    let end = begin;
    if (this.#buffer.length === 0) this.#buffer = new Uint8Array(GATHERED_BYTES);
    for (const part of gathered(parts, this.#buffer)) {
      const written = this.#access.write(part, { at: end });
      if (written < part.length) throw new DOMException('the file takes no more', 'QuotaExceededError');
      end += written;
    }
    this.#size = end;
    return begin;
  }

  /** Undefined when there are not so many bytes, or the file was closed. */
  read(at: number, length: number): ArrayBuffer | undefined {
    const bytes = new Uint8Array(length);
    try {
      return this.#access.read(bytes, { at }) === length ? bytes.buffer : undefined;
    } catch {
      return undefined;
    }
  }

  /** Makes appended bytes outlive a power failure. */
  flush(): void {
    this.#access.flush();
  }

  close(): void {
    this.#access.close();
  }
}

/** The same bytes in fewer parts, each to be used before the next one is asked for: it may lie in `buffer`. */
function* gathered(
  parts: readonly Uint8Array[],
  buffer: Uint8Array<ArrayBuffer>,
): Iterable<Uint8Array<ArrayBuffer>> {
  let filled = 0;
  for (const part of parts) {
    if (filled + part.length > buffer.length && filled > 0) {
      yield buffer.subarray(0, filled);
      filled = 0;
    }
    if (part.length > buffer.length) {
      yield part as Uint8Array<ArrayBuffer>;
    } else if (part.length > 0) {
      buffer.set(part, filled);
      filled += part.length;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}
