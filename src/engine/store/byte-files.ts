/**
 * Files of bytes in the page's own file system, which only workers may write. Each has one writer at a time, which
 * appends to it; others read what a database tells them is there.
 */

export class ByteFiles {
  readonly #name: string;
  #opening: Promise<FileSystemDirectoryHandle> | undefined;
  /** Files as they were when they were last asked for: good until somebody writes or removes them. */
  readonly #known = new Map<string, File>();

  /** @param name of the folder, made when it is needed */
  constructor(name: string) {
    this.#name = name;
  }

  /**
   * Opens a file for writing, a new one or at its end. Undefined where there is no such file system (private windows,
   * pages without https), or where somebody else writes the file.
   */
  async open(name: string): Promise<ByteFile | undefined> {
    try {
      const file = await (await this.#folder()).getFileHandle(name, { create: true });
      return new ByteFile(name, await file.createSyncAccessHandle());
    } catch {
      return undefined;
    }
  }

  /** Bytes of a file; undefined when they are not there. Its writer has them at once, others when it is closed. */
  async read(name: string, at: number, length: number): Promise<ArrayBuffer | undefined> {
    const known = this.#known.get(name);
    return (known && (await bytesOf(known, at, length))) ?? this.#readAnew(name, at, length);
  }

  async #readAnew(name: string, at: number, length: number): Promise<ArrayBuffer | undefined> {
    try {
      const file = await (await (await this.#folder()).getFileHandle(name)).getFile();
      this.#known.set(name, file);
      return await bytesOf(file, at, length);
    } catch {
      return undefined;
    }
  }

  async names(): Promise<readonly string[]> {
    const names: string[] = [];
    try {
      for await (const name of (await this.#folder()).keys()) names.push(name);
    } catch {
      // No file system: no files.
    }
    return names;
  }

  /** A file that is still being written stays. */
  async remove(name: string): Promise<void> {
    this.#known.delete(name);
    await (await this.#folder()).removeEntry(name).catch(() => undefined);
  }

  #folder(): Promise<FileSystemDirectoryHandle> {
    return (this.#opening ??= this.#openFolder());
  }

  async #openFolder(): Promise<FileSystemDirectoryHandle> {
    const root = await navigator.storage.getDirectory();
    return root.getDirectoryHandle(this.#name, { create: true });
  }
}

/** Undefined where the file has not so many bytes, or changed. */
async function bytesOf(file: File, at: number, length: number): Promise<ArrayBuffer | undefined> {
  const bytes = await file
    .slice(at, at + length)
    .arrayBuffer()
    .catch(() => undefined);
  return bytes?.byteLength === length ? bytes : undefined;
}

/** A file that is being written. */
export class ByteFile {
  readonly name: string;
  readonly #access: FileSystemSyncAccessHandle;
  #size: number;

  constructor(name: string, access: FileSystemSyncAccessHandle) {
    this.name = name;
    this.#access = access;
    this.#size = access.getSize();
  }

  /** Appends parts, all or none; where they begin. Throws a `QuotaExceededError` when there is no room. */
  append(parts: readonly Uint8Array[]): number {
    const begin = this.#size;
    let end = begin;
    for (const part of parts) {
      const written = this.#access.write(part as Uint8Array<ArrayBuffer>, { at: end });
      if (written < part.length) throw new DOMException('the file takes no more', 'QuotaExceededError');
      end += written;
    }
    this.#size = end;
    return begin;
  }

  /** As `ByteFiles.read`. */
  read(at: number, length: number): ArrayBuffer | undefined {
    const bytes = new Uint8Array(length);
    return this.#access.read(bytes, { at }) === length ? bytes.buffer : undefined;
  }

  /** What was appended outlives a power failure. */
  flush(): void {
    this.#access.flush();
  }

  close(): void {
    this.#access.close();
  }
}
