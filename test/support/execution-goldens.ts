/**
 * Goldens of executions, call stacks and symbols: command lines with what they print as JSON, by an independent
 * computation of the same rules.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sharedDir } from './shared.ts';
import { DEEP } from './tier.ts';

export interface GoldenCommand {
  /** The second one is the trace, below the folder of traces. */
  readonly args: readonly string[];
  readonly output: unknown;
}

/** Names of the files, without their ending; none without the shared data. */
export function executionGoldenNames(): string[] {
  const folder = goldenFolder();
  if (folder === undefined || !existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length));
}

/** Of this tier: in the fast one that of the example. */
export function executionGoldensOfTier(): string[] {
  return executionGoldenNames().filter((name) => DEEP || name === 'executions-lock');
}

/** The command lines of a file that begin with this command. */
export function goldenCommands(name: string, command: string): readonly GoldenCommand[] {
  const text = readFileSync(join(goldenFolder() ?? '', `${name}.json`), 'utf8');
  const { commands } = JSON.parse(text) as { readonly commands: readonly GoldenCommand[] };
  return commands.filter(({ args }) => args[0] === command);
}

function goldenFolder(): string | undefined {
  const shared = sharedDir();
  return shared === undefined ? undefined : join(shared, 'golden', 'executions');
}

/** Numbers with a fraction are rounded, of sums that both sides may make in another order. */
const FRACTION_TOLERANCE = 0.0015;

/** Where an answer is not what a golden says, each with its place: at most `most` of them. */
export function goldenDifferences(golden: unknown, found: unknown, place = '', most = 20): string[] {
  if (!isObject(golden) || !isObject(found) || Array.isArray(golden) !== Array.isArray(found))
    return isEqual(golden, found) ? [] : [`${place}: ${text(golden)} expected, ${text(found)} found`];
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

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function text(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 300);
}
