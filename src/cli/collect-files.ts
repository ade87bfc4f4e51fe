/** The files at and below some paths, as a drop on the page would give them. */
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Fault } from '../engine/base/fault.ts';
import type { SourceRef } from '../engine/io/byte-source.ts';
import { withMore } from '../engine/io/file-lists.ts';

export interface CollectedFiles {
  readonly files: readonly SourceRef[];
  readonly faults: readonly Fault[];
}

/** Deeper folders are left out: links may lead in circles. */
const DEEPEST = 32;

/** Paths of the files begin with the name of the root that they were found in; a name that comes again has a number. */
export async function collectFiles(roots: readonly string[]): Promise<CollectedFiles> {
  let files: readonly SourceRef[] = [];
  const faults: Fault[] = [];
  const visit = async (into: SourceRef[], absolute: string, path: string, depth: number): Promise<void> => {
    try {
      const found = await stat(absolute);
      if (found.isFile()) into.push({ kind: 'path', path, size: found.size, absolute });
      if (!found.isDirectory() || depth === DEEPEST) return;
      for (const name of (await readdir(absolute)).sort()) {
        await visit(into, join(absolute, name), `${path}/${name}`, depth + 1);
      }
    } catch (error) {
      const found = error instanceof Error ? error.message : String(error);
      faults.push({ code: 'file-unreadable', place: { file: path }, expected: 'a readable file', found });
    }
  };
  for (const root of roots) {
    const absolute = resolve(root);
    const found: SourceRef[] = [];
    await visit(found, absolute, basename(absolute), 0);
    files = withMore(files, found);
  }
  return { files, faults };
}
