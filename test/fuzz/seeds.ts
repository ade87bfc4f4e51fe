/**
 * What is mutated: every trace of the corpora and every case of the packs where the shared folder is present, and the
 * examples of the project. Large ones are made small.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path/posix';
import { gunzipSync } from 'node:zlib';
import { filesOfFolder, type MemoryFiles } from '../support/memory-files.ts';
import { sharedDir } from '../support/shared.ts';
import { traceDat } from '../support/trace-dat-writer.ts';
import { shrunkTrace } from './shrink-trace.ts';

export interface Seed {
  readonly name: string;
  load(): MemoryFiles;
}

interface PackedCase {
  readonly metadata?: string;
  readonly metadata_gzip_base64?: string;
  /** Hex. */
  readonly data?: string;
}

/** @param project the folder of the project */
export function allSeeds(project: string): Seed[] {
  const shared = sharedDir(project);
  const folders = (parent: string): Seed[] =>
    readdirSync(parent)
      .sort()
      .map((name) => folderSeed(name, join(parent, name)));
  const examples = readdirSync(join(project, 'public/examples'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => folderSeed(name, join(project, 'public/examples', name)));
  const recordings = [
    ...recordingSeeds(join(project, 'test/fixtures/recorders')),
    ...[false, true].map((isBig) => ({
      name: `recordings/trace-${isBig ? 'be' : 'le'}.dat`,
      load: () => new Map([['trace.dat', traceDat(isBig, RECORDS)]]),
    })),
  ];
  if (shared === undefined) return [...examples, ...recordings];
  const corpora = readdirSync(join(shared, 'corpus')).flatMap((group) =>
    folders(join(shared, 'corpus', group)),
  );
  const packs = join(shared, 'packs');
  const cases = existsSync(packs)
    ? readdirSync(packs)
        .sort()
        .flatMap((name) => packSeeds(join(packs, name)))
    : [];
  const foreign = FOREIGN.flatMap((folder) => recordingSeeds(join(shared, folder)));
  return [...examples, ...recordings, ...foreign, ...corpora, ...cases];
}

/** Words of a ring buffer: records of all types in the order of little-endian machines. */
const RECORDS = [
  [161, 0x10005],
  [0x7e, 2],
  [0xe0, 8, 0x30005],
  [0x9d, 8, 0],
  [0x13f, 100],
  [33, 0x40005],
];

/** Folders of recordings of every importer; those that are not larger than a few cases can be tried with in a second. */
const FOREIGN = [
  ...['foreign/perf-data', 'foreign/systing-perfetto', 'tracers/ftrace-text'],
  ...['tracers/perf-pipe', 'tracers/tracecmd-v6', 'tracers/tracecmd-v7'],
];
const MOST_RECORDED_BYTES = 300_000;
/** Recordings whose begin is enough: texts, pipes, and pages of rings that are not packed. */
const CUT = /\.(txt|pipe|pb)$/;

/** The recordings of a folder, each for itself. */
function recordingSeeds(folder: string): Seed[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => {
    const isNote = /\.(md|json)$|^report/.test(name);
    const { size } = statSync(join(folder, name));
    return !isNote && (CUT.test(name) || size < MOST_RECORDED_BYTES);
  });
  return names.sort().map((name) => ({
    name: `recordings/${name}`,
    load: () => {
      const bytes = new Uint8Array(readFileSync(join(folder, name)));
      return new Map([[name, bytes.slice(0, MOST_RECORDED_BYTES)]]);
    },
  }));
}

function folderSeed(name: string, path: string): Seed {
  return { name: `${basename(dirname(path))}/${name}`, load: () => shrunk(plain(filesOfFolder(path))) };
}

function packSeeds(path: string): Seed[] {
  const { cases } = JSON.parse(readFileSync(path, 'utf8')) as { cases: Record<string, PackedCase> };
  return Object.entries(cases).map(([name, packed]) => {
    const files = new Map([['case/metadata', metadataOf(packed)]]);
    if (packed.data !== undefined) files.set('case/stream', new Uint8Array(Buffer.from(packed.data, 'hex')));
    return { name: `${basename(path, '.json')}/${name}`, load: () => files };
  });
}

function metadataOf(packed: PackedCase): Uint8Array {
  if (packed.metadata !== undefined) return new TextEncoder().encode(packed.metadata);
  return new Uint8Array(gunzipSync(Buffer.from(packed.metadata_gzip_base64 ?? '', 'base64')));
}

/** A `Buffer` of Node looks like an array of bytes, but its slices are no copies. */
function plain(files: MemoryFiles): MemoryFiles {
  return new Map([...files].map(([path, bytes]) => [path, new Uint8Array(bytes)]));
}

/** Every folder for itself: its trace made small. */
function shrunk(files: MemoryFiles): MemoryFiles {
  const small = new Map<string, Uint8Array>();
  const folders = new Set([...files.keys()].filter((path) => basename(path) === 'metadata').map(dirname));
  for (const [path, bytes] of files)
    if (!folders.has(traceOf(path)) && !path.endsWith('.md')) small.set(path, bytes);
  for (const folder of folders) {
    const own = new Map<string, Uint8Array>();
    for (const [path, bytes] of files) {
      if (traceOf(path) === folder) own.set(path.slice(folder.length + 1), bytes);
    }
    for (const [path, bytes] of shrunkTrace(own)) small.set(join(folder, path), bytes);
  }
  return small;
}

/** The folder of the trace that a file belongs to. */
function traceOf(path: string): string {
  return path.endsWith('.idx') ? dirname(dirname(path)) : dirname(path);
}
