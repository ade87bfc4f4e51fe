/** Collects the files at and below paths of the command line, whatever links lie there. */
import type { Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import type { Unpacked } from '../engine/archive/types.ts';
import { append } from '../engine/base/append.ts';
import { compare } from '../engine/base/compare.ts';
import type { Fault } from '../engine/base/fault.ts';
import type { SourceRef } from '../engine/io/byte-source.ts';
import { withMore } from '../engine/io/file-lists.ts';

/** Files and folders that the links below a root may lead to: more than any recording has. */
const MOST_BY_LINKS = 20_000;

/**
 * Collects the files at and below some paths, as a drop on the page would give them. Their paths begin with the name of
 * the root that they were found in; a name that comes again has a number. Below each root a folder is read once,
 * whatever links lead to it, and under its own place if it lies below the root. Faults: `file-unreadable`, `link-not-followed`.
 * @param mostByLinks files and folders that the links below a root may lead to
 */
export async function collectFiles(roots: readonly string[], mostByLinks = MOST_BY_LINKS): Promise<Unpacked> {
  let files: readonly SourceRef[] = [];
  const faults: Fault[] = [];
  for (const root of roots) {
    files = withMore(files, await filesAt(resolve(root), mostByLinks, faults));
  }
  return { files, faults };
}

async function filesAt(given: string, mostByLinks: number, faults: Fault[]): Promise<SourceRef[]> {
  const root = await entryAt({ absolute: given, path: basename(given) }, faults);
  if (root === undefined) return [];
  if (root.stats.isFile()) return [fileOf(root)];
  if (!root.stats.isDirectory()) {
    const found = kindOf(root.stats);
    faults.push({ code: 'file-unreadable', place: { file: root.path }, expected: 'a file or folder', found });
    return [];
  }
  const { files, folders, links } = await walk(root, new Set(), Infinity, faults);
  let left = mostByLinks;
  // Only now, so that what lies below the root has its own place. Where a link leads there may be links too.
  for (const link of links) {
    const target = await entryAt(link, faults);
    if (target?.stats.isFile() === true) files.push(fileOf(target));
    if (target?.stats.isDirectory() !== true || folders.has(target.absolute)) continue;
    if (isWithin(root.absolute, target.absolute)) {
      faults.push(notFollowed(link.path, 'one to a folder above'));
      continue;
    }
    const found = await walk(target, folders, left, faults);
    left -= found.files.length + found.folders.size;
    if (left < 0) {
      left = 0;
      faults.push(notFollowed(link.path, `more than ${mostByLinks} files and folders behind all links`));
      continue;
    }
    append(files, found.files);
    append(links, found.links);
    for (const folder of found.folders) folders.add(folder);
  }
  return files;
}

/** A place in the file system, and its path in the list of files. */
interface Place {
  readonly absolute: string;
  readonly path: string;
}

/** A file, folder or other thing, where it really is. */
interface Entry extends Place {
  readonly stats: Stats;
}

/** Contents of a folder and those below it, links apart. */
interface Below {
  readonly files: SourceRef[];
  /** Places of the folder and those in it. */
  readonly folders: Set<string>;
  readonly links: Place[];
}

/** Follows links; undefined: there is nothing, or it may not be seen, which is a fault. */
async function entryAt({ absolute, path }: Place, faults: Fault[]): Promise<Entry | undefined> {
  return attempt(path, faults, async () => {
    return { absolute: await realpath(absolute), path, stats: await stat(absolute) };
  });
}

/**
 * Lists what lies below a folder, in order of names, without following links.
 * @param known folders that are left out
 * @param most files and folders after which it stops
 */
async function walk(root: Place, known: ReadonlySet<string>, most: number, faults: Fault[]): Promise<Below> {
  const below: Below = { files: [], folders: new Set(), links: [] };
  const open = [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (known.has(folder.absolute)) continue;
    below.folders.add(folder.absolute);
    const { absolute, path } = folder;
    const children = await attempt(path, faults, () => readdir(absolute, { withFileTypes: true }));
    const folders: Place[] = [];
    for (const child of (children ?? []).sort((a, b) => compare(a.name, b.name))) {
      if (below.files.length + below.folders.size > most) return below;
      const place = { absolute: join(absolute, child.name), path: `${path}/${child.name}` };
      if (child.isSymbolicLink()) below.links.push(place);
      else if (child.isDirectory()) folders.push(place);
      else if (child.isFile()) {
        const stats = await attempt(place.path, faults, () => stat(place.absolute));
        if (stats !== undefined) below.files.push(fileOf({ ...place, stats }));
      }
    }
    append(open, folders.reverse());
  }
  return below;
}

async function attempt<T>(path: string, faults: Fault[], look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    faults.push({ code: 'file-unreadable', place: { file: path }, expected: 'a readable file', found });
    return undefined;
  }
}

function fileOf({ absolute, path, stats }: Entry): SourceRef {
  return { kind: 'path', path, size: stats.size, absolute };
}

/** Whether a place is a folder, or lies in it. */
function isWithin(place: string, folder: string): boolean {
  return `${place}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

function notFollowed(file: string, found: string): Fault {
  return { code: 'link-not-followed', place: { file }, found };
}

function kindOf(stats: Stats): string {
  if (stats.isFIFO()) return 'a pipe (FIFO)';
  if (stats.isSocket()) return 'a socket';
  return 'a device';
}
