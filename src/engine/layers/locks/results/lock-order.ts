/**
 * Deadlocks, and lock orders that could become one: a cycle of locks, each requested while the one before is held in
 * a conflicting mode, which different threads can close at once.
 */
import { addTo } from '../../../base/group-by.ts';
import { compare } from '../../../base/compare.ts';
import { ACQUIRED, BY_KEEPING, BY_TRY, type LockModel, conflicts, hasOwner } from '../model/lock-model.ts';
import { lockKey } from '../lock-names.ts';
import type { LockResults } from './lock-results.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { type Chain, type DeadlockCycle, WaitsFor } from './waits-for.ts';

/** Locks of the longest cycle that is looked for. */
const LONGEST = 4;
/** Limits of the search, which only a trace made for it reaches: steps in all, cycles, ways that are kept. */
const MOST_STEPS = 1_000_000;
const MOST_CYCLES = 1000;
const MOST_WAYS = 100_000;
/** Locks held during a request; with more, the order of that request is not examined. */
const MOST_HELD = 32;

/** A way in which a thread requested a lock while it held another one, and further ones. */
interface Way {
  readonly thread: number;
  /** Mode in which it held the first lock, and in which it requested the second: EXCLUSIVE or SHARED. */
  readonly held: number;
  readonly asked: number;
  /** Modes by row of the other locks. */
  readonly others: ReadonlyMap<number, number>;
  times: number;
  /** HostNs. */
  first: number;
}

/** Locks requested while one is held, by row, with the ways in which that happened. */
type Order = ReadonlyMap<number, ReadonlyMap<number, readonly Way[]>>;

interface OrderOfTwo {
  /** Rows of locks: `second` is requested while `first` is held. */
  readonly first: number;
  readonly second: number;
  /** Threads in order; `first` is HostNs. */
  readonly by: readonly { readonly thread: number; readonly times: number; readonly first: number }[];
}

export interface InversionCycle {
  readonly locks: readonly number[];
  readonly orders: readonly OrderOfTwo[];
}

/** Notes what is not searched, with the reason. */
type OnCut = (problem: string) => void;

/** Cycles by length, then by names; a cycle begins with its smallest name. */
function inversionsOf(results: LockResults, onCut: OnCut): InversionCycle[] {
  const names = results.model.locks.map(lockKey);
  const order = lockOrder(results, onCut);
  const cycles = new CycleSearch(order, names).run(onCut);
  cycles.sort((a, b) => a.length - b.length || compareLists(a, b, names));
  return cycles.map((cycle) => ({
    locks: cycle,
    orders: stepsOf(cycle).map(([first, second]) => {
      const ways = order.get(first)?.get(second) ?? [];
      return { first, second, by: byThread(ways, results) };
    }),
  }));
}

/** Ways in which threads requested a lock while they held another one. */
function lockOrder({ model }: LockResults, onCut: OnCut): Order {
  const { waits, locks } = model;
  const isOwned = locks.map(({ kind }) => hasOwner(kind));
  const ways = new WayTable();
  /** Rows of holds by thread that may not have ended. Waits are in order of request, so that holds are not in order of begin. */
  const held: number[][] = [];
  for (let row = 0; row < waits.length; row++) {
    const own = waits.lock[row];
    if (!isOwned[own]) continue;
    const before = (held[waits.thread[row]] ??= []);
    const others = heldBy(waits, before, row);
    if (waits.way[row] !== BY_TRY && waits.way[row] !== BY_KEEPING) {
      if (others.length > MOST_HELD)
        onCut(`order of a request not looked at, as its thread held more than ${MOST_HELD} locks`);
      else if (others.length > 0) ways.add(waits, row, others);
    }
    if (waits.outcome[row] === ACQUIRED) before.push(row);
  }
  if (ways.isFull) onCut(CUT_SHORT);
  return ways.order;
}

const CUT_SHORT = 'search for lock orders cut short';

const NO_HOLDS: readonly number[] = [];

/** Holds of a thread when it requests another lock. @param holds that may not have ended; past ones are removed */
function heldBy(
  { request, end, to, lock }: LockModel['waits'],
  holds: number[],
  row: number,
): readonly number[] {
  if (holds.length === 0) return NO_HOLDS;
  const held: number[] = [];
  let [kept, at] = [0, 0];
  for (; at < holds.length && held.length <= MOST_HELD; at++) {
    const hold = holds[at];
    if (!(to[hold] > request[row])) continue;
    holds[kept++] = hold;
    if (end[hold] <= request[row] && lock[hold] !== lock[row]) held.push(hold);
  }
  if (kept < at) holds.splice(kept, at - kept);
  return held;
}

class WayTable {
  readonly order = new Map<number, Map<number, Way[]>>();
  isFull = false;
  readonly #known = new Map<string, Way>();

  /** Adds a request made while its thread had some holds: rows of waits. */
  add({ thread, lock, mode, request }: LockModel['waits'], row: number, holds: readonly number[]): void {
    const sorted = [...holds].sort((a, b) => lock[a] - lock[b]);
    const words = sorted.map((hold) => `${lock[hold]}:${mode[hold]}`);
    sorted.forEach((hold, i) => {
      const key = `${thread[row]} ${lock[row]}:${mode[row]} ${i} ${words.join()}`;
      const known = this.#known.get(key);
      if (known !== undefined) {
        known.times++;
        return;
      }
      if (this.#known.size === MOST_WAYS) {
        this.isFull = true;
        return;
      }
      const others = new Map(
        sorted.filter((other) => other !== hold).map((other) => [lock[other], mode[other]]),
      );
      const way = {
        thread: thread[row],
        held: mode[hold],
        asked: mode[row],
        others,
        times: 1,
        first: request[row],
      };
      this.#known.set(key, way);
      const seconds = this.order.get(lock[hold]) ?? new Map<number, Way[]>();
      this.order.set(lock[hold], seconds);
      addTo(seconds, lock[row], way);
    });
  }
}

class CycleSearch {
  readonly #cycles: number[][] = [];
  #steps = 0;

  constructor(
    private readonly order: Order,
    private readonly names: readonly string[],
  ) {}

  run(onCut: OnCut): number[][] {
    for (const start of this.order.keys()) this.#walk([start]);
    if (this.#isOver()) onCut(CUT_SHORT);
    return this.#cycles;
  }

  #isOver(): boolean {
    return this.#steps > MOST_STEPS || this.#cycles.length >= MOST_CYCLES;
  }

  /** Continues from the last lock of a path, whose first lock has the smallest name. */
  #walk(path: number[]): void {
    const [start] = path;
    for (const next of this.order.get(path[path.length - 1])?.keys() ?? []) {
      this.#steps++;
      if (this.#isOver()) return;
      if (next === start && this.#isPossible(path)) this.#cycles.push([...path]);
      if (this.names[next] <= this.names[start] || path.includes(next) || path.length === LONGEST) continue;
      path.push(next);
      this.#walk(path);
      path.pop();
    }
  }

  /** Whether different threads can take all steps at once so that each blocks the one before it. */
  #isPossible(cycle: readonly number[]): boolean {
    const choices = stepsOf(cycle).map(([first, second]) => this.order.get(first)?.get(second) ?? []);
    const chosen: Way[] = [];
    const choose = (step: number): boolean => {
      if (step === choices.length) return conflicts(chosen[step - 1].asked, chosen[0].held);
      return choices[step].some((way) => {
        this.#steps++;
        if (this.#isOver() || (step > 0 && !conflicts(chosen[step - 1].asked, way.held))) return false;
        if (chosen.some((other) => excludes(other, way))) return false;
        chosen.push(way);
        const isFound = choose(step + 1);
        chosen.pop();
        return isFound;
      });
    };
    return choose(0);
  }
}

/** Whether two steps exclude each other: by one thread, or through a lock that keeps one of the two out. */
function excludes(a: Way, b: Way): boolean {
  if (a.thread === b.thread) return true;
  for (const [lock, mode] of a.others) {
    const other = b.others.get(lock);
    if (other !== undefined && conflicts(mode, other)) return true;
  }
  return false;
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
    const compared = compare(names[a[i]], names[b[i]]);
    if (compared !== 0) return compared;
  }
  return 0;
}

export interface FoundCycles {
  readonly deadlocks: readonly DeadlockCycle[];
  readonly inversions: readonly InversionCycle[];
  readonly chains: readonly Chain[];
  /** Problems of the model, and number of incomplete searches. */
  readonly problems: Readonly<Record<string, number>>;
}

/** Cycles and chains of waits, and cycles of orders, of a host; computed once. */
export const lockCycles = cachedByKey((results: LockResults): FoundCycles => {
  const cut: Record<string, number> = {};
  const onCut: OnCut = (problem) => (cut[problem] = (cut[problem] ?? 0) + 1);
  const waitsFor = new WaitsFor(results);
  const deadlocks = waitsFor.deadlocks(() => onCut('search for deadlocks cut short'));
  const chains = waitsFor.chains(() => onCut('search for chains of waits cut short'));
  const inversions = inversionsOf(results, onCut);
  return { deadlocks, inversions, chains, problems: { ...results.model.problems, ...cut } };
});
