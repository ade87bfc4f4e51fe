/**
 * Temporary files of the browser: files of the page's own file system, which only workers may write; blobs where it is missing
 * (private windows, pages without https). Every area has a folder, and holds a lock as long as its worker lives:
 * folders without one were left behind by a page that crashed.
 */
import { fail, ok, type Result } from '../base/fault.ts';
import { type SourceRef, unreadable } from './byte-source.ts';
import { type TempFile, type TempFiles, tempSpaceFull, tempFilesOf } from './temp-file.ts';

const FOLDER = 'spills';

/** Temporary files of the browser. Those left by a crashed page are removed first. */
export function browserTempFiles(): TempFiles {
  let opening: Promise<FileSystemDirectoryHandle> | undefined;
  let count = 0;
  const ready = removeAbandoned().catch(() => undefined);
  return {
    async begin() {
      try {
        await ready;
        const folder = await (opening ??= ownFolder());
        return ok(await tempFileIn(folder, String(count++)));
      } catch {
        return ok(blobTempFile());
      }
    },
    async keepOnly(files) {
      const folder = await opening?.catch(() => undefined);
      if (folder === undefined) return;
      const kept = tempFilesOf(files);
      for (const name of await namesIn(folder)) {
        // A file that is still being read is removed with later ones.
        if (!kept.has(name)) await folder.removeEntry(name).catch(() => undefined);
      }
    },
  };
}

async function ownFolder(): Promise<FileSystemDirectoryHandle> {
  const id = crypto.randomUUID();
  await new Promise<void>((held) => {
    void navigator.locks.request(lockOf(id), () => {
      held();
      return new Promise(() => undefined);
    });
  });
  return (await tempFolder()).getDirectoryHandle(id, { create: true });
}

async function removeAbandoned(): Promise<void> {
  const folder = await tempFolder();
  for (const id of await namesIn(folder)) {
    await navigator.locks.request(lockOf(id), { ifAvailable: true }, async (lock) => {
      if (lock !== null) await folder.removeEntry(id, { recursive: true });
    });
  }
}

async function tempFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(FOLDER, { create: true });
}

function lockOf(id: string): string {
  return `wakepath-${FOLDER}-${id}`;
}

async function namesIn(folder: FileSystemDirectoryHandle): Promise<string[]> {
  const names: string[] = [];
  for await (const name of folder.keys()) names.push(name);
  return names;
}

async function tempFileIn(folder: FileSystemDirectoryHandle, name: string): Promise<TempFile> {
  const file = await folder.getFileHandle(name, { create: true });
  const access = await file.createSyncAccessHandle();
  let size = 0;
  return {
    get size() {
      return size;
    },
    write(bytes): Promise<Result<void>> {
      try {
        const written = access.write(bytes as Uint8Array<ArrayBuffer>, { at: size });
        size += written;
        if (written === bytes.length) return Promise.resolve(ok(undefined));
        return Promise.resolve(fail(tempSpaceFull('the quota of this page is used up')));
      } catch (error) {
        return Promise.resolve(fail(tempSpaceFull(error)));
      }
    },
    async finish(path): Promise<Result<SourceRef>> {
      try {
        access.flush();
        access.close();
        return ok({ kind: 'file', path, size, file: await file.getFile(), tempFile: name });
      } catch (error) {
        return fail(unreadable(path, error));
      }
    },
  };
}

/** A temporary file as parts of a `Blob`, which browsers move out of memory as they see fit: where there are no files to write. */
const PART_BYTES = 4 * 1024 * 1024;

/** Limit in case the browser keeps blobs in memory: the page must not crash. */
const MOST_BYTES = 2 * 1024 * 1024 * 1024;

/** Temporary files as blobs, which are freed when nothing refers to them. */
export function blobTempFiles(): TempFiles {
  return { begin: () => Promise.resolve(ok(blobTempFile())), keepOnly: () => Promise.resolve() };
}

/**
 * @param mostBytes maximum size
 * @internal
 */
export function blobTempFile(mostBytes = MOST_BYTES): TempFile {
  const parts: Blob[] = [];
  const part = new Uint8Array(Math.min(PART_BYTES, mostBytes));
  let used = 0;
  let size = 0;
  const seal = (): void => {
    if (used > 0) parts.push(new Blob([part.subarray(0, used)]));
    used = 0;
  };
  return {
    get size() {
      return size;
    },
    write(bytes): Promise<Result<void>> {
      const reason = `more than ${mostBytes} bytes, and this browser lets no files be written`;
      if (size + bytes.length > mostBytes) return Promise.resolve(fail(tempSpaceFull(reason)));
      for (let at = 0; at < bytes.length;) {
        const piece = bytes.subarray(at, at + part.length - used);
        part.set(piece, used);
        used += piece.length;
        at += piece.length;
        if (used === part.length) seal();
      }
      size += bytes.length;
      return Promise.resolve(ok(undefined));
    },
    finish(path): Promise<Result<SourceRef>> {
      seal();
      return Promise.resolve(ok({ kind: 'file', path, size, file: new Blob(parts) }));
    },
  };
}
