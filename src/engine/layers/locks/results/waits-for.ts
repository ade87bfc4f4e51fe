/** Chains and deadlocks: threads that wait for waiting threads. Only holds of waiting threads are examined. */
import { compare } from '../../../base/compare.ts';
import { addTo } from '../../../base/group-by.ts';
import { type RowGroups, rowsBy, sortGroups } from '../../../base/rows-by.ts';
import { ACQUIRED, CONTENDED, UNFINISHED, conflicts, hasOwner } from '../model/lock-model.ts';
import { lockKey } from '../lock-names.ts';
import type { LockResults } from './lock-results.ts';
import { firstWhere } from '../../../base/lower-bound.ts';

/** Edge of who waits for whom: another thread holds the lock while its thread waits. Rows of waits; times are HostNs. */
interface Edge {
  readonly wait: number;
  readonly hold: number;
  readonly from: number;
  readonly to: number;
}

/** Chain: a waits for b while b waits for c. */
export interface Chain {
  readonly from: number;
  readonly to: number;
  /** Rows of the waits of a and b, and of the one by which c acquired. */
  readonly wait: number;
  readonly next: number;
  readonly hold: number;
}

export interface DeadlockCycle {
  readonly from: number;
  readonly to: number;
  readonly outcome: number;
  /** Rows; the thread of each wait waits for that of the next one, the last for the first. */
  readonly waits: readonly number[];
}

/** Limits of the searches, which only a trace made for them reaches: steps for the cycles that an edge closes, steps in all. */
const MOST_STEPS_OF_EDGE = 10_000;
const MOST_STEPS = 1_000_000;
/** Holds and waits examined, in all and for each wait; number of edges, and of chains. */
const MOST_LOOKS = 2_000_000;
const LOOKS_OF_EACH = 20;
const MOST_PAIRS = 250_000;
const MOST_CHAINS = 250_000;

export class WaitsFor {
  readonly #results: LockResults;
  readonly #holdsOfThreads: Overlaps;
  readonly #holdsOfLocks: Overlaps;
  readonly #waitsOfLocks: Overlaps;
  readonly #isWait: (row: number) => boolean;

  constructor(results: LockResults) {
    const { waits, locks, threads } = results.model;
    this.#results = results;
    const isOwned = locks.map(({ kind }) => hasOwner(kind));
    this.#isWait = (row) =>
      isOwned[waits.lock[row]] &&
      waits.end[row] > waits.request[row] &&
      ((waits.flags[row] & CONTENDED) !== 0 || waits.outcome[row] === UNFINISHED);
    const isHold = (row: number) => isOwned[waits.lock[row]] && waits.outcome[row] === ACQUIRED;
    const of = (column: Int32Array, isWanted: (row: number) => boolean) => {
      const groups = column.slice();
      for (let row = 0; row < groups.length; row++) if (!isWanted(row)) groups[row] = -1;
      return groups;
    };
    const { end, to, request } = waits;
    this.#holdsOfThreads = new Overlaps(of(waits.thread, isHold), threads.length, end, to);
    this.#holdsOfLocks = new Overlaps(of(waits.lock, isHold), locks.length, end, to);
    this.#waitsOfLocks = new Overlaps(of(waits.lock, this.#isWait), locks.length, request, end);
  }

  /** All pairs of waits that overlap, in order of time. @param onCut called if there are too many */
  chains(onCut: () => void): Chain[] {
    const { waits, locks } = this.#results.model;
    const chains: Chain[] = [];
    const looks = { left: MOST_LOOKS + LOOKS_OF_EACH * waits.length };
    for (const { wait, next, from, to } of this.#pairs(looks)) {
      for (const hold of this.#holdsOfLocks.within(waits.lock[next], from, to, looks)) {
        if (hold === next || !conflicts(waits.mode[next], waits.mode[hold])) continue;
        if (chains.length === MOST_CHAINS) looks.left = -1;
        else
          chains.push({
            from: Math.max(from, waits.end[hold]),
            to: Math.min(to, waits.to[hold]),
            ...{ wait, next, hold },
          });
      }
    }
    if (looks.left < 0) onCut();
    const { ranks } = this.#results;
    const byRank = (a: number, b: number) => ranks[waits.thread[a]] - ranks[waits.thread[b]];
    const byName = (a: number, b: number) =>
      compare(lockKey(locks[waits.lock[a]]), lockKey(locks[waits.lock[b]]));
    return chains.sort(
      (a, b) =>
        a.from - b.from ||
        a.to - b.to ||
        byRank(a.wait, b.wait) ||
        byName(a.wait, b.wait) ||
        byRank(a.next, b.next) ||
        byName(a.next, b.next) ||
        byRank(a.hold, b.hold),
    );
  }

  /** Cycles of waits, by begin, whose first to end got no lock. @param onCut called for each incomplete search */
  deadlocks(onCut: () => void): DeadlockCycle[] {
    const { waits } = this.#results.model;
    const { ranks } = this.#results;
    const found = new Map<string, DeadlockCycle>();
    const byWaiter = new Map<number, Edge[]>();
    const budget = { steps: MOST_STEPS };
    for (const edge of this.#edges(onCut)) {
      addTo(byWaiter, waits.thread[edge.wait], edge);
      for (const cycle of this.#cyclesThrough(edge, byWaiter, budget, onCut)) {
        const rows = cycle.map(({ wait }) => wait);
        const first = rows.reduce((a, b) => (waits.end[b] < waits.end[a] ? b : a));
        const key = rows
          .slice()
          .sort((a, b) => a - b)
          .join();
        if (found.has(key) || waits.outcome[first] === ACQUIRED) continue;
        const ofRanks = rows.map((row) => ranks[waits.thread[row]]);
        const smallest = ofRanks.indexOf(Math.min(...ofRanks));
        found.set(key, {
          from: edge.from,
          to: Math.min(...cycle.map(({ to }) => to)),
          outcome: waits.outcome[first],
          waits: [...rows.slice(smallest), ...rows.slice(0, smallest)],
        });
      }
    }
    return [...found.values()];
  }

  /** Waits whose holder waits itself, with that wait, while both last. */
  *#pairs(looks: { left: number }): Generator<Edge & { readonly next: number }> {
    const { waits } = this.#results.model;
    let pairs = 0;
    for (let next = 0; next < waits.length; next++) {
      if (!this.#isWait(next)) continue;
      const begin = waits.request[next];
      const end = waits.end[next];
      for (const hold of this.#holdsOfThreads.within(waits.thread[next], begin, end, looks)) {
        const from = Math.max(begin, waits.end[hold]);
        const to = Math.min(end, waits.to[hold]);
        for (const wait of this.#waitsOfLocks.within(waits.lock[hold], from, to, looks)) {
          if (wait === hold || !conflicts(waits.mode[wait], waits.mode[hold])) continue;
          if (pairs++ === MOST_PAIRS) looks.left = -1;
          if (looks.left < 0) return;
          yield {
            ...{ wait, hold, next },
            from: Math.max(from, waits.request[wait]),
            to: Math.min(to, waits.end[wait]),
          };
        }
      }
    }
  }

  /** Edges that may be part of a cycle, by begin, end, waiter and holder. */
  #edges(onCut: () => void): Edge[] {
    const { waits } = this.#results.model;
    const { ranks } = this.#results;
    const edges = new Map<number, Edge>();
    const looks = { left: MOST_LOOKS + LOOKS_OF_EACH * waits.length };
    for (const { wait, hold } of this.#pairs(looks)) {
      const from = Math.max(waits.request[wait], waits.end[hold]);
      const to = Math.min(waits.end[wait], waits.to[hold]);
      edges.set(wait * waits.length + hold, { wait, hold, from, to });
    }
    if (looks.left < 0) onCut();
    const byRank = (a: number, b: number) => ranks[waits.thread[a]] - ranks[waits.thread[b]];
    return [...edges.values()].sort(
      (a, b) => a.from - b.from || a.to - b.to || byRank(a.wait, b.wait) || byRank(a.hold, b.hold),
    );
  }

  /** Cycles of edges without repeated thread. @param byWaiter edges up to `edge`; ended ones are dropped */
  #cyclesThrough(
    edge: Edge,
    byWaiter: Map<number, Edge[]>,
    budget: { steps: number },
    onCut: () => void,
  ): Edge[][] {
    const { thread } = this.#results.model.waits;
    const first = thread[edge.wait];
    const cycles: Edge[][] = [];
    const path: Edge[] = [];
    const visited = new Set<number>();
    const activeOf = (holder: number): readonly Edge[] => {
      const edges = byWaiter.get(holder) ?? [];
      if (edges.some(({ to }) => to <= edge.from)) {
        const active = edges.filter(({ to }) => to > edge.from);
        byWaiter.set(holder, active);
        return active;
      }
      return edges;
    };
    const most = Math.min(MOST_STEPS_OF_EDGE, budget.steps);
    let steps = 0;
    const walk = (at: Edge): void => {
      if (steps++ >= most) return;
      path.push(at);
      visited.add(thread[at.wait]);
      const holder = thread[at.hold];
      if (holder === first) cycles.push([...path]);
      else if (!visited.has(holder)) for (const next of activeOf(holder)) if (steps <= most) walk(next);
      visited.delete(thread[at.wait]);
      path.pop();
    };
    walk(edge);
    budget.steps -= Math.min(steps, most);
    if (steps > most) onCut();
    return cycles;
  }
}

/** Rows with a begin and an end, in groups, found by the time that they overlap. */
class Overlaps {
  readonly #groups: RowGroups;
  readonly #begin: Float64Array;
  readonly #end: Float64Array;
  /** Latest end of the rows of its group up to there, by place in the order. */
  readonly #latest: Float64Array;

  /** @param group by row, -1: the row is left out */
  constructor(group: Int32Array, groups: number, begin: Float64Array, end: Float64Array) {
    this.#groups = rowsBy(group, groups);
    sortGroups(this.#groups, begin);
    const { start, order } = this.#groups;
    this.#begin = begin;
    this.#end = end;
    this.#latest = new Float64Array(order.length);
    for (let of = 0; of < groups; of++) {
      let latest = -Infinity;
      for (let at = start[of]; at < start[of + 1]; at++)
        this.#latest[at] = latest = Math.max(latest, end[order[at]]);
    }
  }

  /** Rows of a group that overlap [from, to) for some time, by begin, while looks are left. */
  *within(group: number, from: number, to: number, looks: { left: number }): Generator<number> {
    const { start, order } = this.#groups;
    const first = firstWhere(start[group], start[group + 1], (at) => this.#latest[at] > from);
    for (let at = first; at < start[group + 1] && this.#begin[order[at]] < to && looks.left-- >= 0; at++) {
      const row = order[at];
      if (Math.max(from, this.#begin[row]) < Math.min(to, this.#end[row])) yield row;
    }
  }
}
