/** The truth files (golden/truth) and the recordings that they are about. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TraceFiles } from './ctf-writer/trace-writer.ts';
import { isKernelTrace, sharedDir, traceFolders } from './shared.ts';
import { loadTrace } from './trace-files.ts';

const shared = sharedDir();

/** Names of the truth files about one host; none where the shared folder is not there. */
export function truthNames(): string[] {
  if (shared === undefined) return [];
  return readdirSync(join(shared, 'golden/truth'))
    .filter((file) => file.endsWith('.json') && !/cross/.test(file))
    .map((file) => file.slice(0, -'.json'.length));
}

export function readTruth<T>(name: string): T {
  return JSON.parse(readFileSync(join(shared ?? '', 'golden/truth', `${name}.json`), 'utf8')) as T;
}

/** The trace that a truth file is about. */
export function truthFiles(name: string): TraceFiles {
  return filesOf(foldersOf(name));
}

/** The snapshots of a session, each with its truth file, as one trace. */
export function snapshotFiles(names: readonly string[]): TraceFiles {
  return filesOf(names.flatMap(foldersOf));
}

/** The folders of the trace that a truth file is about: the kernel's, in order of time. */
function foldersOf(name: string): string[] {
  if (shared === undefined) return [];
  const places = [
    join(shared, 'traces', name),
    join(shared, 'corpus', 'ctf1-ok', name),
    join(shared, 'traces', name.replace(/-(client|server)$/, '/$1')),
    join(shared, 'traces', name.replace(/-(first|second)$/, '')),
  ];
  const place = places.find((path) => existsSync(path));
  if (place === undefined) return [];
  const part = /^snapshot-(.*)$/.exec(name)?.[1] ?? '';
  const folders = traceFolders(place).filter((found) => found.name.startsWith(part));
  const kernel = folders.filter(isKernelTrace);
  return (kernel.length > 0 ? kernel : folders).map((found) => found.path);
}

/** Several folders, the chunks of a session, each as it lies. */
function filesOf(folders: readonly string[]): TraceFiles {
  if (folders.length === 1) return loadTrace(folders[0]);
  return new Map(
    folders.flatMap((folder, i) =>
      [...loadTrace(folder)].map(([path, bytes]) => [`${i}/${path}`, bytes] as const),
    ),
  );
}
