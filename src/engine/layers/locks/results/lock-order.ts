/**
 * Deadlocks, and orders in which threads take locks that could become one: a cycle of locks, each asked for while the one
 * before is held, which different threads can close at once.
 */
import { compareText } from '../../../base/compare-text.ts';
import { ACQUIRED, BY_TRY } from '../model/lock-model.ts';
import { hasOwner } from '../model/read-locks.ts';
import { lockKey } from '../lock-names.ts';
import type { LockResults } from './lock-results.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { type DeadlockCycle, WaitsFor } from './waits-for.ts';

/** Locks of the longest cycle that is looked for. */
const LONGEST = 4;
/** Steps of the search that begins at one lock: only a trace made for it takes more. */
const MOST_STEPS = 1_000_000;

/** A thread asked for a lock while it held another one, and these too. */
interface Way {
  readonly thread: number;
  /** Rows of locks. */
  readonly alsoHeld: ReadonlySet<number>;
  times: number;
  /** TimeNs. */
  first: number;
}

/** Locks asked for while one is held, by row, with the ways in which that happened. */
type Order = ReadonlyMap<number, ReadonlyMap<number, readonly Way[]>>;

interface OrderOfTwo {
  /** Rows of locks: `second` is asked for while `first` is held. */
  readonly first: number;
  readonly second: number;
  /** Threads in their order; `first` is TimeNs. */
  readonly by: readonly { readonly thread: number; readonly times: number; readonly first: number }[];
}

export interface InversionCycle {
  readonly locks: readonly number[];
  readonly orders: readonly OrderOfTwo[];
}

/**
 * Cycles by length, then by names; a cycle begins with its smallest name.
 * @param onCut called for each search that ends before it has found all
 */
function inversionsOf(results: LockResults, onCut: () => void): InversionCycle[] {
  const { locks } = results.model;
  const order = lockOrder(results);
  const names = locks.map(lockKey);
  const cycles = [...order.keys()].flatMap((start) => cyclesFrom(start, order, names, onCut));
  cycles.sort((a, b) => a.length - b.length || compareLists(a, b, names));
  return cycles.map((cycle) => ({
    locks: cycle,
    orders: stepsOf(cycle).map(([first, second]) => {
      const ways = order.get(first)?.get(second) ?? [];
      return { first, second, by: byThread(ways, results) };
    }),
  }));
}

/** Ways in which threads asked for a lock while they held another one. */
function lockOrder({ model }: LockResults): Order {
  const { waits, locks } = model;
  const isOwned = locks.map(({ kind }) => hasOwner(kind));
  const order = new Map<number, Map<number, Way[]>>();
  const known = new Map<string, Way>();
  /** Rows of holds by thread that may not have ended. Waits are by request, so that holds are not by begin. */
  const held = new Map<number, number[]>();
  const add = (row: number, first: number, others: readonly number[]) => {
    const { thread, lock, request } = waits;
    const key = `${thread[row]} ${first} ${lock[row]} ${others.join()}`;
    const way = known.get(key);
    if (way !== undefined) {
      way.times++;
      return;
    }
    const added = { thread: thread[row], alsoHeld: new Set(others), times: 1, first: request[row] };
    known.set(key, added);
    const seconds = order.get(first) ?? new Map<number, Way[]>();
    order.set(first, seconds);
    const ways = seconds.get(lock[row]) ?? [];
    seconds.set(lock[row], ways);
    ways.push(added);
  };
  for (let row = 0; row < waits.length; row++) {
    if (!isOwned[waits.lock[row]]) continue;
    const request = waits.request[row];
    const before = (held.get(waits.thread[row]) ?? []).filter((hold) => waits.to[hold] > request);
    if (waits.way[row] !== BY_TRY) {
      const now = before
        .filter((hold) => waits.end[hold] <= request && waits.lock[hold] !== waits.lock[row])
        .map((hold) => waits.lock[hold])
        .sort((a, b) => a - b);
      for (const first of now)
        add(
          row,
          first,
          now.filter((lock) => lock !== first),
        );
    }
    if (waits.outcome[row] === ACQUIRED) before.push(row);
    held.set(waits.thread[row], before);
  }
  return order;
}

/** Cycles of which a lock has the smallest name. */
function cyclesFrom(start: number, order: Order, names: readonly string[], onCut: () => void): number[][] {
  const cycles: number[][] = [];
  const path = [start];
  let steps = 0;
  const walk = (): void => {
    for (const next of order.get(path[path.length - 1])?.keys() ?? []) {
      if (steps++ > MOST_STEPS) return;
      if (next === start && isPossible(path, order)) cycles.push([...path]);
      if (names[next] <= names[start] || path.includes(next) || path.length === LONGEST) continue;
      path.push(next);
      walk();
      path.pop();
    }
  };
  walk();
  if (steps > MOST_STEPS) onCut();
  return cycles;
}

/** Tells whether different threads, none of which keeps another out by a further lock, can take all steps at once. */
function isPossible(cycle: readonly number[], order: Order): boolean {
  const choices = stepsOf(cycle).map(([first, second]) => order.get(first)?.get(second) ?? []);
  const chosen: Way[] = [];
  const choose = (step: number): boolean =>
    step === choices.length ||
    choices[step].some((way) => {
      if (chosen.some((other) => excludes(other, way))) return false;
      chosen.push(way);
      const isFound = choose(step + 1);
      chosen.pop();
      return isFound;
    });
  return choose(0);
}

function excludes(a: Way, b: Way): boolean {
  return a.thread === b.thread || [...a.alsoHeld].some((lock) => b.alsoHeld.has(lock));
}

function stepsOf(cycle: readonly number[]): [first: number, second: number][] {
  return cycle.map((lock, i) => [lock, cycle[(i + 1) % cycle.length]]);
}

function byThread(ways: readonly Way[], { ranks }: LockResults): OrderOfTwo['by'] {
  const found = new Map<number, { thread: number; times: number; first: number }>();
  for (const { thread, times, first } of ways) {
    const known = found.get(thread) ?? { thread, times: 0, first: Infinity };
    found.set(thread, { thread, times: known.times + times, first: Math.min(known.first, first) });
  }
  return [...found.values()].sort((a, b) => ranks[a.thread] - ranks[b.thread]);
}

function compareLists(a: readonly number[], b: readonly number[], names: readonly string[]): number {
  for (let i = 0; i < a.length; i++) {
    const compared = compareText(names[a[i]], names[b[i]]);
    if (compared !== 0) return compared;
  }
  return 0;
}

export interface FoundCycles {
  readonly deadlocks: readonly DeadlockCycle[];
  readonly inversions: readonly InversionCycle[];
  /** Problems of the model, and how many searches ended before all was found. */
  readonly problems: Readonly<Record<string, number>>;
}

/** Cycles of waits and of orders of a host, searched for once. */
export const lockCycles = cachedByKey((results: LockResults): FoundCycles => {
  const cut: Record<string, number> = {};
  const count = (problem: string) => () => (cut[problem] = (cut[problem] ?? 0) + 1);
  const deadlocks = new WaitsFor(results).deadlocks(count('search for deadlocks cut short'));
  const inversions = inversionsOf(results, count('search for lock orders cut short'));
  return { deadlocks, inversions, problems: { ...results.model.problems, ...cut } };
});
