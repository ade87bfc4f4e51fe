/** The files at and below some paths, as a drop on the page would give them. */
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Fault } from '../engine/base/fault.ts';
import type { SourceRef } from '../engine/io/byte-source.ts';

export interface CollectedFiles {
  readonly files: readonly SourceRef[];
  readonly faults: readonly Fault[];
}

/** Deeper folders are left out: links may lead in circles. */
const DEEPEST = 32;

/** Paths of the files begin with the name of the root that they were found in. */
export async function collectFiles(roots: readonly string[]): Promise<CollectedFiles> {
  const files: SourceRef[] = [];
  const faults: Fault[] = [];
  const visit = async (absolute: string, path: string, depth: number): Promise<void> => {
    try {
      const found = await stat(absolute);
      if (found.isFile()) files.push({ kind: 'path', path, size: found.size, absolute });
      if (!found.isDirectory() || depth === DEEPEST) return;
      for (const name of (await readdir(absolute)).sort()) {
        await visit(join(absolute, name), `${path}/${name}`, depth + 1);
      }
    } catch (error) {
      const found = error instanceof Error ? error.message : String(error);
      faults.push({ code: 'file-unreadable', place: { file: path }, expected: 'a readable file', found });
    }
  };
  for (const root of roots) {
    const absolute = resolve(root);
    await visit(absolute, basename(absolute), 0);
  }
  return { files, faults };
}
