/**
 * The model of locks with a kernel's trace: nobody is blamed who slept, of barriers the last of each round is known, of
 * futexes who woke whom, and locks that processes share are one.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { LockKind } from '../../src/engine/layers/locks/lock-log.ts';
import * as m from '../../src/engine/layers/locks/model/lock-model.ts';
import type { LockModel } from '../../src/engine/layers/locks/model/lock-model.ts';
import { lockModel, withSharedLocks } from '../../src/engine/layers/locks/model/make-model.ts';
import type { Habits } from '../support/lock-simulator/lock-programs.ts';
import {
  type LockPlan,
  type LockSimulation,
  simulateLocks,
  UNDISTURBED,
} from '../support/lock-simulator/simulate-locks.ts';
import { simulatedKernel } from '../support/lock-simulator/simulated-kernel.ts';
import type { TrueWait } from '../support/lock-simulator/true-locks.ts';
import { forAll } from '../support/for-all.ts';

const HABITS: Habits = { nesting: 0.3, order: 1, tries: 0.1, timed: 0, deaths: 0, selfLocks: 0 };

interface Kind {
  readonly kinds: readonly LockKind[];
  readonly habits?: Partial<Habits>;
  /** Probability that a release is recorded late. */
  readonly late?: number;
  readonly isShared?: boolean;
}

/** @param check gets the model of a simulation, by its kernel */
async function always(
  { kinds, habits = {}, late = 0, isShared = false }: Kind,
  check: (model: LockModel, simulation: LockSimulation) => void,
): Promise<void> {
  const plans = fc.record<LockPlan>({
    seed: fc.nat(),
    threads: fc.integer({ min: 2, max: 7 }),
    steps: fc.integer({ min: 1, max: 14 }),
    kinds: fc
      .array(fc.constantFrom(...kinds), { minLength: 0, maxLength: 2 })
      .map((more) => [...kinds, ...more]),
    habits: fc.constant({ ...HABITS, ...habits }),
    disturbances: fc.constant({ ...UNDISTURBED, late, hasCalls: true }),
    isShared: fc.constant(isShared),
  });
  await forAll(60, [plans], async (plan) => {
    const simulation = simulateLocks(plan);
    const { log, sleeps } = simulation;
    const host = { kernel: simulatedKernel(sleeps, plan.threads, log.end), end: log.end };
    check(await lockModel(await withSharedLocks(log, host), host), simulation);
  });
}

function rowsOf({ length }: { readonly length: number }): number[] {
  return Array.from({ length }, (_, row) => row);
}

function isContended({ waits }: LockModel, row: number): boolean {
  return (waits.flags[row] & m.CONTENDED) !== 0;
}

function tidOf(model: LockModel, thread: number): number {
  return thread < 0 ? thread : model.threads[thread].tid;
}

/** The true wait of a row of the model. */
function truthOf(model: LockModel, { truth }: LockSimulation, row: number): TrueWait {
  const { waits } = model;
  const found = truth.waits.find(
    ({ thread, lock, request, end, isUnseen }) =>
      !isUnseen &&
      thread === tidOf(model, waits.thread[row]) &&
      lock === waits.lock[row] &&
      (request === waits.request[row] || end === waits.end[row]),
  );
  if (found === undefined) throw new Error(`nobody waited so: ${row}`);
  return found;
}

it('a barrier that fewer threads meet at than there are has the last of each round as who let the others go', async () => {
  let contended = 0;
  await always({ kinds: ['barrier'], habits: { subsets: true } }, (model, simulation) => {
    for (const row of rowsOf(model.waits)) {
      const wait = truthOf(model, simulation, row);
      const isOfRound = wait.outcome === m.ACQUIRED;
      if (isOfRound && isContended(model, row)) contended++;
      expect(isContended(model, row)).toBe(wait.isContended && wait.end > wait.request);
      expect(tidOf(model, model.waits.by[row])).toBe(isOfRound ? wait.by : -1);
      if (wait.by < 0) continue;
      const woken = simulation.sleeps.find(({ thread, end }) => thread === wait.thread && end > wait.request);
      expect(model.waits.link[row]).toBe(woken?.end);
    }
  });
  expect(contended).toBeGreaterThan(100);
});

it('who waits for a condition unseen neither holds the mutex nor is blamed for it', async () => {
  let late = 0;
  const habits = { unseenConditions: true };
  await always({ kinds: ['mutex', 'cond'], habits }, (model, simulation) => {
    const { waits } = model;
    const { truth } = simulation;
    for (const row of rowsOf(waits)) {
      const wait = truthOf(model, simulation, row);
      if (waits.outcome[row] === m.ACQUIRED && waits.to[row] !== wait.to) {
        // Nobody took it meanwhile, so that nothing tells.
        expect(waits.to[row]).toBeGreaterThan(wait.to);
        const others = truth.waits.filter(
          (other) =>
            other.lock === wait.lock && other !== wait && other.outcome === m.ACQUIRED && !other.isUnseen,
        );
        expect(others.filter(({ end }) => end > wait.to && end < waits.to[row])).toEqual([]);
      }
      if ((waits.flags[row] & m.LATE) !== 0) late++;
      if (!isContended(model, row) || waits.by[row] < 0) continue;
      const by = tidOf(model, waits.by[row]);
      const held = truth.waits.filter(
        (hold) => hold.thread === by && hold.lock === wait.lock && hold.outcome === m.ACQUIRED,
      );
      expect(held.some((hold) => hold.end < wait.end && hold.to > wait.request)).toBe(true);
    }
  });
  expect(late).toBeGreaterThan(20);
});

it.each([
  ['conditions with requeue', { kinds: ['mutex', 'cond'], habits: { unseenConditions: true, joins: true } }],
  ['barriers and semaphores', { kinds: ['barrier', 'sem', 'mutex'], habits: { joins: true } }],
  ['two processes', { kinds: ['mutex', 'rwlock', 'sem'], isShared: true }],
] as const)('who woke a wait for a futex is known: %s', async (_, kind) => {
  let [woken, joined] = [0, 0];
  await always(kind, (model, { sleeps }) => {
    const { futexWaits } = model;
    for (const row of rowsOf(futexWaits)) {
      const thread = tidOf(model, futexWaits.thread[row]);
      const sleep = sleeps.find((each) => each.thread === thread && each.begin === futexWaits.from[row]);
      expect([tidOf(model, futexWaits.waker[row]), futexWaits.at[row]]).toEqual([
        sleep?.by,
        sleep === undefined || sleep.by < 0 ? NaN : sleep.end,
      ]);
      if (futexWaits.waker[row] >= 0) woken++;
      joined += futexWaits.byEnd[row];
    }
  });
  expect(woken).toBeGreaterThan(100);
  if ('habits' in kind) expect(joined).toBeGreaterThan(5);
});

it('locks that two processes share are one, each as soon as one woke the other, with the true holds', async () => {
  let shared = 0;
  await always({ kinds: ['mutex', 'rwlock'], isShared: true }, (model, simulation) => {
    const { truth } = simulation;
    model.locks.forEach(({ aliases = [] }, lock) => {
      if (aliases.length === 0) return;
      shared++;
      const rows = rowsOf(model.waits).filter((row) => model.waits.lock[row] === lock);
      const found = rows.map((row) => ({
        thread: tidOf(model, model.waits.thread[row]),
        end: model.waits.end[row],
        to: model.waits.to[row],
        isContended: isContended(model, row),
        by: tidOf(model, model.waits.by[row]),
      }));
      const byEnd = (a: { end: number; thread: number }, b: { end: number; thread: number }) =>
        a.end - b.end || a.thread - b.thread;
      const of = truth.waits.find(
        ({ thread, end }) => thread === found[0].thread && end === found[0].end,
      )?.lock;
      const expected = truth.waits
        .filter((wait) => wait.lock === of)
        .map(({ thread, end, to, isContended: is, by }) => ({ thread, end, to, isContended: is, by }));
      expect(found.sort(byEnd)).toEqual(expected.sort(byEnd));
    });
  });
  expect(shared).toBeGreaterThan(20);
});
