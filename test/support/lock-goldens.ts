/**
 * Goldens of locks: an independent computation by the same rules of who waited for which lock. Long lists are shortened in
 * them to their number, a digest and their first members.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compare } from '../../src/engine/base/compare.ts';
import { CASE, caseNames, casePath } from './states-goldens.ts';
import { goldenFolder, isOfTier, sharedDir, sharedPath } from './shared.ts';
import { jsonText } from './execution-goldens.ts';
import { isObject } from './is-object.ts';

export interface LockGolden {
  /** Below the folder of traces, or `cases/NAME/trace`. */
  readonly trace: string;
  readonly locks: unknown;
}

interface Shortened {
  readonly count: number;
  readonly sha256: string;
  readonly rows: readonly unknown[];
}

/** Names of the cases about locks, traces of a few events with the right answer. */
export function lockCaseNames(): string[] {
  return caseNames().filter((name) => existsSync(goldenOfCase(name)));
}

/**
 * Names of the goldens of this tier: of the cases, of small traces and of an example. Without the shared data those of
 * the cases.
 */
export function lockGoldenNames(): string[] {
  const ofCases = lockCaseNames().map((name) => CASE + name);
  const shared = sharedDir();
  if (shared === undefined) return ofCases;
  const others = readdirSync(goldenFolder('locks', shared))
    .filter((file) => file.endsWith('.json') && !file.startsWith(CASE))
    .map((file) => file.slice(0, -'.json'.length))
    .filter((name) => isOfTier(name) || name === 'lockfight-mutex');
  return [...ofCases, ...others];
}

export function readLockGolden<T = LockGolden>(name: string): T {
  const file = name.startsWith(CASE)
    ? goldenOfCase(name.slice(CASE.length))
    : join(goldenFolder('locks', sharedDir() ?? ''), `${name}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as T;
}

/** Absolute path of the trace that a golden is about. */
export function lockGoldenTrace(name: string): string {
  if (name.startsWith(CASE)) return casePath(name.slice(CASE.length));
  return sharedPath('traces', readLockGolden(name).trace);
}

function goldenOfCase(name: string): string {
  return join(casePath(name), '../locks.json');
}

/** Where an answer is not what a golden says, each with its place: at most `most` of them. */
export function lockDifferences(golden: unknown, found: unknown, place = '', most = 20): string[] {
  if (isShortened(golden)) return listDifferences(golden, found, place, most);
  if (!isObject(golden) || !isObject(found) || Array.isArray(golden) !== Array.isArray(found)) {
    return Object.is(golden, found)
      ? []
      : [`${place}: ${jsonText(golden)} expected, ${jsonText(found)} found`];
  }
  const keys = new Set([...Object.keys(golden), ...Object.keys(found)]);
  const differences: string[] = [];
  for (const key of keys) {
    if (differences.length >= most) break;
    differences.push(
      ...lockDifferences(golden[key], found[key], `${place}/${key}`, most - differences.length),
    );
  }
  return differences;
}

function listDifferences(golden: Shortened, found: unknown, place: string, most: number): string[] {
  if (!Array.isArray(found)) return [`${place}: a list expected, ${jsonText(found)} found`];
  const differences: string[] = [];
  if (found.length !== golden.count)
    differences.push(`${place}: ${golden.count} members expected, ${found.length} found`);
  golden.rows.forEach((row, i) => {
    if (differences.length < most)
      differences.push(...lockDifferences(row, found[i], `${place}/${i}`, most - differences.length));
  });
  if (differences.length === 0 && digestOf(found) !== golden.sha256)
    differences.push(`${place}: other members behind the first ${golden.rows.length}`);
  return differences;
}

/** SHA-256 over the members as JSON with sorted keys, a newline behind each. */
function digestOf(members: readonly unknown[]): string {
  const hash = createHash('sha256');
  for (const member of members) hash.update(`${JSON.stringify(member, sortedKeys)}\n`);
  return hash.digest('hex');
}

function sortedKeys(_: string, value: unknown): unknown {
  if (!isObject(value) || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => compare(a, b)));
}

function isShortened(value: unknown): value is Shortened {
  return isObject(value) && 'sha256' in value && 'count' in value && 'rows' in value;
}
