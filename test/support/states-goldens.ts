/**
 * Goldens of states and paths, an independent computation by the same rules, and the traces that they are about. Those
 * of `fixtures/cases` are part of the project, all others lie in the shared folder (`goldenFolder`).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { THREAD_STATES } from '../../src/engine/linux/events/values.ts';
import type { TraceFiles } from './ctf-writer/trace-writer.ts';
import { goldenFolder, isKernelTrace, isOfTier, projectDir, sharedDir, traceFolders } from './shared.ts';
import { loadTrace } from './trace-files.ts';

/** What a golden of one recording says. Times are ns since the trace's first event; Q numbers: `spec-questions.md`. */
export interface StatesGolden {
  readonly origin_ns: string;
  readonly length_ns: number;
  readonly counts: {
    readonly loss_pieces: readonly (readonly number[])[];
    readonly by_name: Readonly<Record<string, number>>;
  };
  readonly cpus: Readonly<Record<string, GoldenCpu>>;
  readonly threads_total: number;
  readonly threads: Readonly<Record<string, GoldenThread | undefined>>;
  readonly all_intervals_sha256: string;
  readonly all_blockings_sha256: string;
  /** [state, from, to] of the studied threads; as many as fit into the file. */
  readonly intervals: Readonly<Record<string, GoldenRows | undefined>>;
  /** [from, to, state, cause, …] */
  readonly blockings: Readonly<Record<string, GoldenRows | undefined>>;
  readonly checks: { readonly problems: Readonly<Record<string, number>> };
  readonly paths: readonly GoldenPath[];
  /** [from, to, segments of main task, 16 digits of their digest, the same of exact] */
  readonly all_paths: Readonly<Record<string, readonly [number, number, number, string, number, string]>>;
}

/** ns by class of time, and counts. */
export type GoldenCpu = Readonly<Record<string, number>>;

/** `time`: ns by number of state. */
export type GoldenThread = Readonly<Record<string, unknown>> & { readonly time: readonly number[] };

export interface GoldenRows {
  readonly count: number;
  readonly rows: readonly (readonly (number | string | null)[])[];
}

export interface GoldenPath {
  readonly worker: string;
  readonly from: number;
  readonly to: number;
  readonly criterion: readonly string[];
  readonly count: number;
  readonly sha256: string;
  /** [worker, from, to, label, cause], the first of them. */
  readonly segments: readonly (readonly [string, number, number, string, string])[];
}

/** Begin of the name of a golden that is about a case. */
export const CASE = 'case-';
const shared = sharedDir();
const cases = join(projectDir(), 'test/fixtures/cases');

/** Names of the cases, traces of a few events with the right answer. */
export function caseNames(): string[] {
  return readdirSync(cases);
}

/** Names of the cases with a golden of states: `NAME`, and `NAME-HOST` of those of several hosts. */
export function statesCaseNames(): string[] {
  return goldensOfCases().filter((name) => !name.endsWith(CROSS));
}

/** Names of the cases of two hosts with a golden of paths over both: `NAME-cross`. */
export function crossCaseNames(): string[] {
  return goldensOfCases().filter((name) => name.endsWith(CROSS));
}

const CROSS = '-cross';

/** In the folder of a case: `states.json`, `states-HOST.json`, `states-cross.json`. */
function goldensOfCases(): string[] {
  return caseNames().flatMap((name) =>
    readdirSync(join(cases, name)).flatMap((file) => {
      const part = /^states((?:-\w+)?)\.json$/.exec(file)?.[1];
      return part === undefined ? [] : [name + part];
    }),
  );
}

/** Folder of the case that a golden is about, and the end of its name: that of a host, or none. */
function partsOfCase(golden: string): readonly [folder: string, part: string] {
  if (existsSync(join(cases, golden))) return [golden, ''];
  const at = golden.lastIndexOf('-');
  return [golden.slice(0, at), golden.slice(at)];
}

/** Absolute path of a case's trace. */
export function casePath(name: string): string {
  return join(cases, name, 'trace');
}

/** Names of the goldens of this tier about one recording of one host; without the shared folder those of the cases. */
export function statesNames(): string[] {
  const ofCases = statesCaseNames().map((name) => CASE + name);
  if (shared === undefined) return ofCases;
  const others = readdirSync(goldenFolder('states', shared))
    .filter((file) => file.endsWith('.json') && !file.startsWith(CASE) && !/cross|\+/.test(file))
    .map((file) => file.slice(0, -'.json'.length))
    .filter(isOfTier);
  return [...ofCases, ...others];
}

/** A golden, in which every CPU and thread has all times: rare ones of 0 are not in the file. */
export function readStates<T = StatesGolden>(name: string): T {
  const golden = JSON.parse(readFileSync(goldenPath(name), 'utf8')) as Partial<StatesGolden>;
  const { cpus, threads } = golden;
  return {
    ...golden,
    cpus: cpus && mapped(cpus, (cpu) => ({ guest: 0, running: 0, ...cpu })),
    threads:
      threads &&
      mapped(
        threads,
        (thread) => thread && { ...thread, time: THREAD_STATES.map((_, i) => thread.time.at(i) ?? 0) },
      ),
  } as T;
}

/** Where the file of a golden lies. */
export function goldenPath(name: string): string {
  const [folder, part] = partsOfCase(name.slice(CASE.length));
  return name.startsWith(CASE)
    ? join(cases, folder, `states${part}.json`)
    : join(goldenFolder('states', shared ?? ''), `${name}.json`);
}

function mapped<T, U>(record: Readonly<Record<string, T>>, of: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, of(value)]));
}

/** The trace that a golden is about. */
export function statesFiles(name: string): TraceFiles {
  return filesOf(statesFolders(name));
}

/** The trace with what was recorded beside the kernel's. */
export function allFiles(name: string): TraceFiles {
  const place = placesOf(name).find((path) => existsSync(path));
  if (place === undefined) throw new Error(`no trace for the golden ${name}`);
  return filesOf(traceFolders(place).map(({ path }) => path));
}

/** The snapshots of a session, each with its golden, as one trace. */
export function snapshotFiles(names: readonly string[]): TraceFiles {
  return filesOf(names.flatMap(statesFolders));
}

/** Absolute paths of the folders of the trace that a golden is about: the kernel's. */
export function statesFolders(name: string): string[] {
  const place = placesOf(name).find((path) => existsSync(path));
  if (place === undefined) throw new Error(`no trace for the golden ${name}`);
  const part = /^snapshot-(.*)$/.exec(name)?.[1] ?? '';
  const folders = traceFolders(place).filter((found) => found.name.startsWith(part));
  const kernel = folders.filter(isKernelTrace);
  return (kernel.length > 0 ? kernel : folders).map((found) => found.path);
}

function placesOf(name: string): string[] {
  if (name.startsWith(CASE)) {
    const [folder, part] = partsOfCase(name.slice(CASE.length));
    return [join(casePath(folder), part.slice(1))];
  }
  if (shared === undefined) return [];
  return [
    join(shared, 'traces', name),
    join(shared, 'real', name),
    join(shared, 'corpus', 'ctf1-ok', name),
    join(shared, 'traces', name.replace(/-(client|server)$/, '/$1')),
    join(shared, 'traces', name.replace(/-(first|second)$/, '')),
  ];
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

/** Two hosts; times count from the first event of the earlier one, with one offset between their clocks. */
export interface CrossGolden {
  readonly hosts: readonly string[];
  readonly first: Readonly<Record<string, number>>;
  readonly paths: readonly GoldenPath[];
}
