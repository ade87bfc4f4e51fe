/**
 * Grouping of files into traces: a folder with a file `metadata` is a trace, the files beside it are its data streams,
 * `index/NAME.idx` are LTTng's packet indexes. Everything else is ignored.
 */
import { compare } from '../base/compare.ts';
import type { Fault } from '../base/fault.ts';
import { groupBy } from '../base/group-by.ts';
import { reopenedSource, type SourceOpener, type SourceRef } from '../io/byte-source.ts';
import { isPartOfTrace, recognise, RECOGNISE_BYTES } from './recognise.ts';

export interface TraceFiles {
  /** Folder as the user knows it, '' at the top. */
  readonly folder: string;
  readonly metadata: SourceRef;
  /** Data streams in order of name. */
  readonly data: readonly SourceRef[];
  /** Index file by the name of its data stream file. */
  readonly indexes: ReadonlyMap<string, SourceRef>;
}

const METADATA = 'metadata';
/**
 * File with the words of a finding beside its part of a trace, at the top of its archive
 * (`answers/export/finding-file.ts`).
 */
export const FINDING = 'finding.json';
/** Names of functions and objects that the part of a trace in a finding refers to (`symbols/kept-symbols.ts`). */
export const FINDING_SYMBOLS = 'finding-symbols.json';

/** Traces in order of folder, whatever the order of `files`. */
export function findTraces(files: readonly SourceRef[]): TraceFiles[] {
  const folders = groupBy(files, ({ path }) => splitPath(path).folder);
  const traces: TraceFiles[] = [];
  for (const folder of [...folders.keys()].sort()) {
    const siblings = folders.get(folder) ?? [];
    const metadata = siblings.find((file) => splitPath(file.path).name === METADATA);
    if (metadata === undefined) continue;
    traces.push({
      folder,
      metadata,
      data: siblings.filter(isData).sort((a, b) => compare(a.path, b.path)),
      indexes: indexesOf(folders.get(folder === '' ? 'index' : `${folder}/index`) ?? []),
    });
  }
  return traces;
}

/** Folders that have packet indexes, so are traces, but no metadata. */
export function missingMetadata(files: readonly SourceRef[]): Fault[] {
  /** First index of each folder that has some. */
  const indexes = new Map<string, string>();
  const complete = new Set<string>();
  for (const path of files.map((file) => file.path).sort()) {
    const { folder, name } = splitPath(path);
    if (name === METADATA) complete.add(folder);
    const parent = splitPath(folder);
    const isIndex = parent.name === 'index' && name.endsWith('.idx');
    if (isIndex && !indexes.has(parent.folder)) indexes.set(parent.folder, path);
  }
  return [...indexes]
    .filter(([folder]) => !complete.has(folder))
    .map(([, index]) => metadataMissing(index, 'an LTTng packet index'));
}

function metadataMissing(file: string, what: string): Fault {
  return {
    code: 'metadata-missing',
    place: { file },
    expected: 'a file "metadata" in the same trace',
    found: `${what} without a metadata file`,
  };
}

/** Reason why `files` hold no trace at all. */
export async function explainNoTrace(files: readonly SourceRef[], open: SourceOpener): Promise<Fault> {
  if (files.length === 0) {
    return { code: 'empty-folder', place: {}, expected: 'a folder with a trace', found: 'no files' };
  }
  let known: { readonly file: string; readonly what: string } | undefined;
  // A few files say what a folder is; a dropped home folder has too many to read them all.
  for (const file of files.slice(0, 100)) {
    const head = await reopenedSource(file, open).read(0, Math.min(RECOGNISE_BYTES, file.size));
    const what = head.ok ? recognise(file.path, head.value) : undefined;
    if (what === undefined) continue;
    if (isPartOfTrace(what)) return metadataMissing(file.path, what);
    // What is more telling than text or an empty file is named, wherever it stands.
    if (known === undefined || DULL.includes(known.what)) known = { file: file.path, what };
  }
  return {
    code: 'not-a-trace',
    place: { file: known?.file ?? files[0].path },
    expected: 'a folder with a file "metadata" (CTF)',
    found: known?.what ?? 'a file of an unknown format',
  };
}

/** Descriptions that something more telling takes the place of. */
const DULL: readonly string[] = ['a text file', 'an empty file'];

function isData(file: SourceRef): boolean {
  const { name } = splitPath(file.path);
  return name !== METADATA && !name.startsWith('.') && file.size > 0;
}

function indexesOf(files: readonly SourceRef[]): Map<string, SourceRef> {
  const indexes = new Map<string, SourceRef>();
  for (const file of files) {
    const { name } = splitPath(file.path);
    if (name.endsWith('.idx')) indexes.set(name.slice(0, -'.idx'.length), file);
  }
  return indexes;
}

export function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const at = path.lastIndexOf('/');
  return { folder: path.slice(0, Math.max(at, 0)), name: path.slice(at + 1) };
}

/**
 * Paths among `paths` that belong to a trace, or to a folder of packet indexes, which says that one was there; and the
 * file of a finding.
 */
export function partsOfTraces(paths: readonly string[]): ReadonlySet<string> {
  const traces = new Set(
    paths.map(splitPath).flatMap(({ folder, name }) => (name === METADATA ? [folder] : [])),
  );
  const isPart = (path: string): boolean => {
    const { folder } = splitPath(path);
    return Object.hasOwn(LONGEST, path) || traces.has(folder) || splitPath(folder).name === 'index';
  };
  return new Set(paths.filter(isPart));
}

/** Bytes; notes and a link have fewer. */
const LONGEST = { [FINDING]: 1_000_000, [FINDING_SYMBOLS]: 64_000_000 };

/**
 * Text of the finding, or of its symbols, which anybody may have written; undefined: there is none among the files, or
 * more than one.
 */
export async function readFinding(
  files: readonly SourceRef[],
  open: SourceOpener,
  name: keyof typeof LONGEST = FINDING,
): Promise<string | undefined> {
  const found = files.filter(({ path }) => splitPath(path).name === name);
  if (found.length !== 1 || found[0].size > LONGEST[name]) return undefined;
  const bytes = await reopenedSource(found[0], open).read(0, found[0].size);
  return bytes.ok ? new TextDecoder().decode(bytes.value) : undefined;
}
