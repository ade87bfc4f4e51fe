/** Temporary files under Node, removed when the process ends; those of a killed process by the next one. */
import { rmSync } from 'node:fs';
import { mkdtemp, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fail, ok, type Result } from '../base/fault.ts';
import type { SourceRef } from './byte-source.ts';
import { type TempFile, type TempFiles, tempSpaceFull, tempFilesOf } from './temp-file.ts';

/** Prefix of folder names, before the process id and a unique suffix. */
const PREFIX = 'wakepath-temp-';

/** @param parent folder for the temporary folder; default: the system's */
export function nodeTempFiles(parent = tmpdir()): TempFiles {
  let opening: Promise<string> | undefined;
  const written = new Set<string>();
  return {
    async begin() {
      try {
        const path = join(await (opening ??= ownFolder(parent)), String(written.size));
        written.add(path);
        return ok(tempFileIn(path, await open(path, 'w')));
      } catch (error) {
        return fail(tempSpaceFull(error));
      }
    },
    async keepOnly(files) {
      const kept = tempFilesOf(files);
      for (const path of written) if (!kept.has(path)) await rm(path, { force: true });
    },
  };
}

async function ownFolder(parent: string): Promise<string> {
  await removeAbandoned(parent);
  const folder = await mkdtemp(join(parent, `${PREFIX}${process.pid}-`));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1]);
    if (pid > 0 && !isAlive(pid)) {
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be signalled, but is alive.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function tempFileIn(absolute: string, handle: FileHandle): TempFile {
  let size = 0;
  return {
    get size() {
      return size;
    },
    async write(bytes): Promise<Result<void>> {
      try {
        await handle.appendFile(bytes);
        size += bytes.length;
        return ok(undefined);
      } catch (error) {
        return fail(tempSpaceFull(error));
      }
    },
    async finish(path): Promise<Result<SourceRef>> {
      await handle.close();
      return ok({ kind: 'path', path, size, absolute, tempFile: absolute });
    },
  };
}
