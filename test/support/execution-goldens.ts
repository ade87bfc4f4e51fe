/**
 * Goldens of executions, call stacks and symbols: command lines with what they print as JSON, by an independent
 * computation of the same rules.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isObject } from './is-object.ts';
import { goldenFolder, projectDir, sharedDir } from './shared.ts';
import { DEEP } from './tier.ts';

export interface GoldenCommand {
  /** The command line, which names the command in known gaps. */
  readonly line: string;
  /** What `inspect` is given: the line's words, with absolute paths of traces. */
  readonly args: readonly string[];
  readonly output: unknown;
}

/** Prefix of goldens about traces of a few events, which are in every tier. */
const CASE = 'case-';

/** Names of the files of this tier, without their ending: in the fast one those of an example and of the cases. */
export function executionGoldens(): string[] {
  return allExecutionGoldens().filter((name) => DEEP || name === 'executions-lock' || isCase(name));
}

/** Names of all files; none without the shared data. */
export function allExecutionGoldens(): string[] {
  const folder = executionFolder();
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length));
}

/** Whether a golden is about a trace of a few events. */
export function isCase(name: string): boolean {
  return name.startsWith(CASE);
}

/** The command lines of a file that begin with this command. */
export function goldenCommands(name: string, command: string): readonly GoldenCommand[] {
  const text = readFileSync(join(executionFolder(), `${name}.json`), 'utf8');
  const { commands } = JSON.parse(text) as { readonly commands: readonly Omit<GoldenCommand, 'line'>[] };
  return commands
    .filter(({ args }) => args[0] === command)
    .map(({ args, output }) => ({ line: args.join(' '), args: withPaths(name, args), output }));
}

/** Arguments with paths for names of traces: the second one, and that after `--against`. */
function withPaths(golden: string, args: readonly string[]): string[] {
  return args.map((text, i) => (i === 1 || args[i - 1] === '--against' ? tracePath(golden, text) : text));
}

/** Cases that became tests are part of the project. */
function tracePath(golden: string, trace: string): string {
  const shared = sharedDir() ?? '';
  if (!isCase(golden)) return join(shared, 'traces', trace);
  const own = join(projectDir(), 'test/fixtures/cases', trace);
  return existsSync(own) ? own : join(shared, 'cases', trace);
}

function executionFolder(): string {
  return goldenFolder('executions', sharedDir() ?? '');
}

/** Numbers with a fraction are rounded, of sums that both sides may make in another order. */
const FRACTION_TOLERANCE = 0.0015;

/** Where an answer is not what a golden says, each with its place: at most `most` of them. */
export function goldenDifferences(golden: unknown, found: unknown, place = '', most = 20): string[] {
  if (!isObject(golden) || !isObject(found) || Array.isArray(golden) !== Array.isArray(found))
    return isEqual(golden, found) ? [] : [`${place}: ${jsonText(golden)} expected, ${jsonText(found)} found`];
  const differences: string[] = [];
  for (const key of new Set([...Object.keys(golden), ...Object.keys(found)])) {
    if (differences.length >= most) break;
    const left = most - differences.length;
    differences.push(...goldenDifferences(golden[key], found[key], `${place}/${key}`, left));
  }
  return differences;
}

function isEqual(golden: unknown, found: unknown): boolean {
  if (golden === found) return true;
  if (typeof golden !== 'number' || typeof found !== 'number') return false;
  if (Number.isInteger(golden) && Number.isInteger(found)) return false;
  return Math.abs(golden - found) <= FRACTION_TOLERANCE;
}

/** JSON of a value, cut. */
export function jsonText(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 300);
}
