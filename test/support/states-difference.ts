/** How states differ from a golden, in words: which thread or CPU, what is expected and found, and where it begins. */
import { THREAD_STATES } from '../../src/engine/linux/events/values.ts';
import type { GoldenRows } from './states-goldens.ts';
import { createHash } from 'node:crypto';
import { isObject } from './is-object.ts';

type Row = readonly (number | string | null)[];

/** Lines of a failure's message. */
const MOST_LINES = 20;

/** Throws with the first of the differences, and how many there are. */
export function expectNone(differences: readonly string[]): void {
  if (differences.length === 0) return;
  const rest = differences.length - MOST_LINES;
  const more = rest > 0 ? [`and ${rest} more`] : [];
  throw new Error(
    [`${differences.length} differences`, ...differences.slice(0, MOST_LINES), ...more].join('\n'),
  );
}

/** Compares the members that `expected` has: numbers, texts, lists and records of them. */
export function memberDifferences(what: string, expected: unknown, found: unknown): string[] {
  if (Object.is(expected, found)) return [];
  if (isObject(expected) && isObject(found)) {
    return Object.entries(expected).flatMap(([key, value]) =>
      memberDifferences(`${what}, ${key}`, value, found[key]),
    );
  }
  if (isObject(expected)) return [`${what}: missing`];
  const by = typeof expected === 'number' && typeof found === 'number' ? ` (by ${found - expected})` : '';
  return [`${what}: expected ${String(expected)}, found ${String(found)}${by}`];
}

/** ns by state of a thread, by number of state. */
export function timeDifferences(
  what: string,
  expected: readonly number[],
  found: readonly number[] | undefined,
): string[] {
  return expected.flatMap((ns, state) =>
    memberDifferences(`${what}, ${THREAD_STATES[state]}`, ns, found?.[state]),
  );
}

/** The first row that differs from those of a golden, of which the last may be missing. */
export function rowDifference(
  what: string,
  { count, rows }: GoldenRows,
  found: readonly Row[],
  text: (row: Row) => string,
): string[] {
  for (let i = 0; i < rows.length; i++) {
    const [expected, ours] = [text(rows[i]), i < found.length ? text(found[i]) : 'nothing'];
    if (expected !== ours) return [`${what}, row ${i}: expected ${expected}, found ${ours}`];
  }
  return memberDifferences(`${what}, number`, count, found.length);
}

/** A row [state, from, to]. */
export function intervalText([state, from, to]: Row): string {
  return `${THREAD_STATES[Number(state)]} ${from}..${to}`;
}

/** A row [from, to, state, cause, …]. */
export function blockingText([from, to, state, cause]: Row): string {
  return `${THREAD_STATES[Number(state)]} ${from}..${to} ended by ${cause}`;
}

/** Digest of lines, as the goldens have it. */
export function sha256(lines: readonly string[]): string {
  const hash = createHash('sha256');
  for (const line of lines) hash.update(`${line}\n`);
  return hash.digest('hex');
}
