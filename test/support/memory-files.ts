/** The files of a folder in memory, for tests that damage or remove some before they open them. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SourceRef } from '../../src/engine/io/byte-source.ts';

/** Contents by path; paths begin with the folder's name, as those of a dropped folder do. */
export type MemoryFiles = ReadonlyMap<string, Uint8Array>;

export function filesOfFolder(folder: string): MemoryFiles {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    paths.sort().map((path) => [basename(folder) + path.slice(folder.length), readFileSync(path)]),
  );
}

/** The same files but for some: changed, added, or left out where undefined. */
export function withFiles(
  files: MemoryFiles,
  changes: Readonly<Record<string, Uint8Array | undefined>>,
): MemoryFiles {
  const changed = new Map(files);
  for (const [path, bytes] of Object.entries(changes)) {
    if (bytes === undefined) changed.delete(path);
    else changed.set(path, bytes);
  }
  return changed;
}

/** Files of a trace, as those of a folder. */
export function folderRefs(files: MemoryFiles): SourceRef[] {
  return memoryRefs(new Map([...files].map(([path, bytes]) => [`t/${path}`, bytes])));
}

export function memoryRefs(files: MemoryFiles): SourceRef[] {
  return [...files].map(([path, bytes]) => ({ kind: 'memory', path, size: bytes.length, bytes }));
}
