/** The model of locks knows what really happened to simulated ones, and stays consistent however bad their trace is. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addNumber } from '../../src/engine/base/group-by.ts';
import * as lockLog from '../../src/engine/layers/locks/lock-log.ts';
import type { LockKind, LockLog } from '../../src/engine/layers/locks/lock-log.ts';
import * as m from '../../src/engine/layers/locks/model/lock-model.ts';
import type { LockModel } from '../../src/engine/layers/locks/model/lock-model.ts';
import { lockModel } from '../../src/engine/layers/locks/model/make-model.ts';
import { episodesOf, LockResults } from '../../src/engine/layers/locks/results/lock-results.ts';
import { lockCycles } from '../../src/engine/layers/locks/results/lock-order.ts';
import {
  type Disturbances,
  type LockPlan,
  type LockSimulation,
  simulateLocks,
  UNDISTURBED,
} from '../support/lock-simulator/simulate-locks.ts';
import type { Habits } from '../support/lock-simulator/lock-programs.ts';
import { simulatedKernel } from '../support/lock-simulator/simulated-kernel.ts';
import { trueInversions, waysOf } from '../support/lock-simulator/true-inversions.ts';
import type { TrueLocks, TrueWait } from '../support/lock-simulator/true-locks.ts';
import { forAll } from '../support/for-all.ts';

const probability = (...values: number[]) => fc.constantFrom(0, ...values);

const habits = fc.record({
  nesting: probability(0.2, 0.7),
  order: fc.constantFrom(0, 0.8, 1),
  tries: probability(0.3),
  timed: probability(0.3, 0.9),
  deaths: probability(0.05),
  selfLocks: probability(0.05),
});

/** Habits of which only a kernel's trace tells everything. */
const anyHabits = fc
  .tuple(habits, fc.record({ subsets: fc.boolean(), unseenConditions: fc.boolean(), joins: fc.boolean() }))
  .map(([own, more]): Habits => ({ ...own, ...more }));

function plans(
  disturbances: fc.Arbitrary<Disturbances>,
  kinds: readonly LockKind[] = lockLog.LOCK_KINDS,
  habitsOfAll: fc.Arbitrary<Habits> = habits,
) {
  return fc.record<LockPlan>({
    seed: fc.nat(),
    threads: fc.integer({ min: 1, max: 6 }),
    steps: fc.integer({ min: 1, max: 12 }),
    kinds: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 6 }),
    habits: habitsOfAll,
    disturbances,
  });
}

const anyDisturbances = fc.record<Disturbances>({
  late: probability(0.3, 1),
  early: probability(0.3, 1),
  missing: probability(0.02, 0.2),
  losses: fc.integer({ min: 0, max: 3 }),
  clock: fc.constantFrom(1, 7, 1_000),
  hasCalls: fc.boolean(),
});

/** @param check gets the model of a simulation, and where calls are recorded the one that knows the kernel's trace, too */
async function always(
  simulations: fc.Arbitrary<LockPlan>,
  runs: number,
  check: (model: LockModel, simulation: LockSimulation) => void,
): Promise<void> {
  await forAll(runs, [simulations], async (plan) => {
    const simulation = simulateLocks(plan);
    const { log } = simulation;
    check(await lockModel(log, { kernel: undefined, end: log.end }), simulation);
    if (plan.disturbances.hasCalls !== true) return;
    const kernel = simulatedKernel(simulation.sleeps, plan.threads, log.end);
    check(await lockModel(log, { kernel, end: log.end }), simulation);
  });
}

function tidOf(model: LockModel, thread: number): number {
  return thread < 0 ? thread : model.threads[thread].tid;
}

function rowsOf({ length }: { readonly length: number }): number[] {
  return Array.from({ length }, (_, row) => row);
}

/** A wait with what is known of it, in the same words for truth and model. */
function plainWait(model: LockModel, row: number) {
  const { waits } = model;
  return {
    ...{ lock: waits.lock[row], thread: tidOf(model, waits.thread[row]), request: waits.request[row] },
    ...{ end: waits.end[row], to: waits.to[row], outcome: m.OUTCOMES[waits.outcome[row]] },
    ...{ mode: waits.mode[row], way: m.WAYS[waits.way[row]] },
    ...{ isContended: (waits.flags[row] & m.CONTENDED) !== 0, isTaken: (waits.flags[row] & m.TAKEN) !== 0 },
    ...{ by: tidOf(model, waits.by[row]), link: waits.link[row] },
  };
}

function plainTruth(wait: TrueWait): ReturnType<typeof plainWait> {
  const { lock, thread, request, end, to, mode, isContended, isTaken, by, link } = wait;
  const [outcome, way] = [m.OUTCOMES[wait.outcome], m.WAYS[wait.way]];
  return { lock, thread, request, end, to, outcome, mode, way, isContended, isTaken, by, link };
}

/** What no late release changes. */
function known({ lock, thread, request, end, outcome, mode, way }: ReturnType<typeof plainWait>) {
  return { lock, thread, request, end, outcome, mode, way };
}

function byPlace<T extends { readonly lock: number; readonly thread: number; readonly request: number }>(
  waits: readonly T[],
): T[] {
  return [...waits].sort((a, b) => a.lock - b.lock || a.thread - b.thread || a.request - b.request);
}

function placeOf({ lock, thread, request }: TrueWait): string {
  return `${lock} ${thread} ${request}`;
}

/** ns and waits by lock, waiter and holder. */
function trueCells(truth: TrueLocks): Record<string, { ns: number; waits: number }> {
  const cells: Record<string, { ns: number; waits: number }> = {};
  for (const wait of truth.waits) {
    if (!wait.isContended || wait.end === wait.request) continue;
    const pieces = truth.piecesOf(wait);
    const holders = new Set(pieces.map(({ holder }) => holder));
    for (const { holder, ns } of pieces)
      (cells[`${wait.lock} ${wait.thread} ${holder}`] ??= { ns: 0, waits: 0 }).ns += ns;
    for (const holder of holders) cells[`${wait.lock} ${wait.thread} ${holder}`].waits++;
  }
  return cells;
}

/** Who waits for itself only, and not for ever, has not waited for another thread: that is not called one. */
function trueDeadlocks({ deadlocks }: TrueLocks) {
  const isWait = (wait: TrueWait) => wait.isContended || wait.outcome === m.UNFINISHED;
  const known = deadlocks.filter(({ waits }) => waits.every(isWait));
  return known.map(({ waits, from }) => {
    const first = waits.reduce((a, b) => (b.end < a.end ? b : a));
    return { waits: waits.map(placeOf).sort(), from, to: first.end, outcome: m.OUTCOMES[first.outcome] };
  });
}

function foundDeadlocks(model: LockModel) {
  const { lock, thread, request } = model.waits;
  return lockCycles(new LockResults(model)).deadlocks.map(({ waits, from, to, outcome }) => {
    const places = waits.map((row) => `${lock[row]} ${tidOf(model, thread[row])} ${request[row]}`);
    return { waits: places.sort(), from, to, outcome: m.OUTCOMES[outcome] };
  });
}

/** Each step of each cycle with who took it, how often and when first. */
function trueOrders({ ways, kinds }: TrueLocks) {
  return trueInversions(ways, kinds.length).map((cycle) =>
    cycle.map((first, i) => {
      const second = cycle[(i + 1) % cycle.length];
      const taken = waysOf(ways, first, second);
      const threads = [...new Set(taken.map(({ thread }) => thread))].sort((a, b) => a - b);
      const by = threads.map((thread) => {
        const own = taken.filter((way) => way.thread === thread);
        return { thread, times: own.length, first: own[0].at };
      });
      return { first, second, by };
    }),
  );
}

/** A cycle begins with the smallest row instead of the smallest name. */
function fromSmallest<T extends { readonly first: number }>(cycle: readonly T[]): T[] {
  const at = cycle.reduce((best, { first }, i) => (first < cycle[best].first ? i : best), 0);
  return [...cycle.slice(at), ...cycle.slice(0, at)];
}

function lossTimes({ op, time }: LockLog): Set<number> {
  return new Set(time.filter((_, row) => op[row] === lockLog.LOSS));
}

const asText = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).sort();

describe('without disturbances', () => {
  const plan = plans(fc.constant(UNDISTURBED));

  it('knows who held and waited when, for whom, and who handed over', async () => {
    await always(plan, 40, (model, { truth }) => {
      const found = rowsOf(model.waits).map((row) => plainWait(model, row));
      expect(byPlace(found)).toEqual(byPlace(truth.waits.map(plainTruth)));
    });
  });

  it('knows at each moment who made whom wait', async () => {
    await always(plan, 40, (model, { truth }) => {
      const { length, lock, waiter, holder, ns, waits } = model.cells;
      const found = rowsOf({ length }).map((row) => [
        `${lock[row]} ${tidOf(model, waiter[row])} ${tidOf(model, holder[row])}`,
        { ns: ns[row], waits: waits[row] },
      ]);
      expect(Object.fromEntries(found)).toEqual(trueCells(truth));
    });
  });

  it('finds the deadlocks that there were, and no other', async () => {
    await always(plan, 40, (model, { truth }) => {
      expect(asText(foundDeadlocks(model))).toEqual(asText(trueDeadlocks(truth)));
    });
  });

  it('finds the orders of locks that could become a deadlock, with who took them', async () => {
    await always(plan, 40, (model, { truth }) => {
      const found = lockCycles(new LockResults(model)).inversions.map(({ orders }) =>
        orders.map(({ first, second, by }) => ({
          ...{ first, second },
          by: by.map((each) => ({ ...each, thread: tidOf(model, each.thread) })),
        })),
      );
      expect(asText(found.map(fromSmallest))).toEqual(asText(trueOrders(truth)));
    });
  });
});

it('releases that are recorded too late leave each true holder the holder, and who waited for whom', async () => {
  const late = fc.record({ late: probability(0.3, 1) }).map(({ late }) => ({ ...UNDISTURBED, late }));
  await always(plans(late, ['mutex', 'spin', 'rwlock']), 40, (model, { truth }) => {
    const found = byPlace(rowsOf(model.waits).map((row) => plainWait(model, row)));
    byPlace(truth.waits.map(plainTruth)).forEach((wait, i) => {
      const { to, isContended, by } = found[i];
      expect(known(found[i])).toEqual(known(wait));
      if (!Number.isNaN(wait.to)) expect(to).toBeGreaterThanOrEqual(wait.to);
      if (!wait.isContended) return;
      expect(isContended).toBe(true);
      if (truth.kinds[wait.lock] !== 'rwlock') expect(by).toBe(wait.by);
    });
  });
});

describe('however disturbed', () => {
  const plan = plans(anyDisturbances, lockLog.LOCK_KINDS, anyHabits);

  it('waits and holds of a thread follow each other, and each wait its hand-over', async () => {
    await always(plan, 40, (model) => {
      const { thread, lock, request, end, to, link, by, flags, outcome } = model.waits;
      const last = new Map<string, number>();
      for (const row of rowsOf(model.waits)) {
        expect(request[row]).toBeLessThanOrEqual(end[row]);
        if (!Number.isNaN(to[row])) expect(end[row]).toBeLessThanOrEqual(to[row]);
        const place = `${thread[row]} ${lock[row]}`;
        expect(request[row]).toBeGreaterThanOrEqual(last.get(place) ?? 0);
        last.set(place, end[row]);
        if (Number.isNaN(link[row])) continue;
        expect(outcome[row]).toBe(m.ACQUIRED);
        expect(flags[row] & m.CONTENDED).not.toBe(0);
        expect(by[row]).not.toBe(thread[row]);
        expect(link[row]).toBeGreaterThanOrEqual(request[row]);
        expect(link[row]).toBeLessThanOrEqual(end[row]);
      }
    });
  });

  it('nobody else holds what one thread has for itself', async () => {
    await always(plan, 40, (model) => {
      const { thread, lock, end, to, mode } = model.waits;
      const holds = rowsOf(model.waits).filter((row) => to[row] > end[row]);
      for (const one of holds) {
        const others = holds.filter((row) => row !== one && lock[row] === lock[one]);
        const inConflict = others.filter(
          (row) =>
            thread[row] === thread[one] || mode[row] === lockLog.EXCLUSIVE || mode[one] === lockLog.EXCLUSIVE,
        );
        for (const row of inConflict) expect(end[row] >= to[one] || to[row] <= end[one]).toBe(true);
      }
    });
  });

  it('what a thread waited for others is what they made it wait', async () => {
    await always(plan, 40, (model) => {
      const results = new LockResults(model);
      model.locks.forEach((_, lock) => {
        const made = new Map<number, number>();
        for (const { waiter, ns } of results.matrixOf(lock)) addNumber(made, waiter, ns);
        const waited = results.threadSumsOf(lock).filter(({ sums }) => sums.wait.totalNs > 0);
        expect([...made].filter(([, ns]) => ns > 0)).toEqual(
          waited.map(({ thread, sums }) => [thread, sums.wait.totalNs]),
        );
      });
    });
  });

  it('episodes of a lock are apart, and hold its contended waits', async () => {
    await always(plan, 40, (model) => {
      const { request, end, flags } = model.waits;
      const results = new LockResults(model);
      model.locks.forEach((_, lock) => {
        const episodes = episodesOf(model, results.rowsOf(lock));
        episodes.slice(1).forEach(({ from }, i) => expect(from).toBeGreaterThanOrEqual(episodes[i].to));
        for (const row of results.rowsOf(lock).filter((wait) => (flags[wait] & m.CONTENDED) !== 0))
          expect(episodes.filter(({ from, to }) => from <= request[row] && end[row] <= to)).not.toEqual([]);
      });
    });
  });

  it('where events were lost holds end, and waits are marked', async () => {
    await always(plan, 40, (model, { log }) => {
      const { lock, request, end, to, flags } = model.waits;
      for (const time of lossTimes(log)) {
        for (const row of rowsOf(model.waits)) {
          // What was taken again behind a condition is waited for from the hand-over on, which is found afterwards.
          const isOpen = request[row] < time && time < end[row] && model.waits.way[row] !== m.BY_CONDITION;
          if (isOpen) expect(flags[row] & m.LOSSY).toBe(m.LOSSY);
          expect(end[row] < time && time < to[row], `lock ${lock[row]}`).toBe(false);
        }
      }
    });
  });

  it('deadlocks are waits for each other, and end when one of them does', async () => {
    await always(plan, 40, (model) => {
      const { request, end } = model.waits;
      for (const { waits, from, to, outcome } of lockCycles(new LockResults(model)).deadlocks) {
        expect(from).toBeLessThan(to);
        expect(from).toBeGreaterThanOrEqual(Math.max(...waits.map((row) => request[row])));
        expect(to).toBeLessThanOrEqual(Math.min(...waits.map((row) => end[row])));
        expect(outcome).not.toBe(m.ACQUIRED);
      }
    });
  });
});
