/** Simulations of locks have in them what they are made for. */
import { describe, expect, it } from 'vitest';
import * as lockLog from '../../../src/engine/layers/locks/lock-log.ts';
import * as lockModel from '../../../src/engine/layers/locks/model/lock-model.ts';
import { type Disturbances, type LockPlan, simulateLocks, UNDISTURBED } from './simulate-locks.ts';
import { trueInversions } from './true-inversions.ts';

const HABITS = { nesting: 0.5, order: 0.7, tries: 0.1, timed: 0.2, deaths: 0.01, selfLocks: 0.01 };

function plan(seed: number, disturbances: Disturbances = UNDISTURBED): LockPlan {
  return {
    seed,
    threads: 5,
    steps: 20,
    kinds: [...lockLog.LOCK_KINDS, 'mutex'],
    habits: HABITS,
    disturbances,
  };
}

const SEEDS = Array.from({ length: 40 }, (_, seed) => seed);
const simulations = SEEDS.map((seed) => simulateLocks(plan(seed)));
const waits = simulations.flatMap(({ truth }) =>
  truth.waits.map((wait) => ({ ...wait, kind: truth.kinds[wait.lock] })),
);

describe('simulations of locks', () => {
  it('are equal for equal seeds', () => {
    expect(simulateLocks(plan(3)).log).toEqual(simulations[3].log);
    expect(simulations[4].log).not.toEqual(simulations[3].log);
  });

  it('have waits for other threads and without, of each kind', () => {
    for (const kind of lockLog.LOCK_KINDS) {
      const own = waits.filter((wait) => wait.kind === kind);
      expect(own.filter((wait) => wait.isContended && wait.by >= 0).length, kind).toBeGreaterThan(5);
      expect(own.filter((wait) => !wait.isContended).length > 0, kind).toBe(kind !== 'cond');
    }
  });

  it('have every way to ask, every outcome, every event of programs', () => {
    // Processes do not end in them.
    const ways = [...lockModel.WAYS.keys()].filter((way) => way !== lockModel.BY_KEEPING);
    expect(new Set(waits.map(({ way }) => way))).toEqual(new Set(ways));
    expect(new Set(waits.map(({ outcome }) => outcome))).toEqual(new Set(lockModel.OUTCOMES.keys()));
    const ops = new Set(simulations.flatMap(({ log }) => [...log.op]));
    for (let op: number = lockLog.REQUEST; op <= lockLog.FLOCK_ENTER; op++)
      expect(ops.has(op), `${op}`).toBe(true);
  });

  it('have deadlocks that last and that end, and orders that could become one', () => {
    const outcomes = simulations.flatMap(({ truth }) =>
      truth.deadlocks.map((each) => ({
        threads: each.waits.length,
        outcome: each.waits.reduce((a, b) => (b.end < a.end ? b : a)).outcome,
      })),
    );
    const ofSeveral = outcomes.filter(({ threads }) => threads > 1);
    expect(new Set(ofSeveral.map(({ outcome }) => outcome))).toEqual(
      new Set([lockModel.FAILED, lockModel.UNFINISHED]),
    );
    expect(outcomes.some(({ threads }) => threads === 1)).toBe(true);
    const cycles = simulations.flatMap(({ truth }) => trueInversions(truth.ways, truth.kinds.length));
    expect(new Set(cycles.map(({ length }) => length))).toEqual(new Set([2, 3, 4]));
  });

  it('lose events, record some too late or too early, and have times in common, as is asked for', () => {
    const disturbances = { late: 0.3, early: 0.3, missing: 0.1, losses: 2, clock: 10 };
    const { log, truth } = simulateLocks(plan(3, disturbances));
    const losses = log.op.filter((op) => op === lockLog.LOSS).length;
    expect(losses).toBe(8);
    expect(log.time.every((time, row) => time % 10 === 0 && (row === 0 || time >= log.time[row - 1]))).toBe(
      true,
    );
    const exact = simulateLocks(plan(3, { ...disturbances, missing: 0, losses: 0, clock: 1 }));
    expect(exact.log.length).toBeGreaterThan(log.length - losses);
    const released = new Set(exact.log.time.filter((_, row) => exact.log.op[row] === lockLog.RELEASE));
    const isLate = ({ to, end }: { to: number; end: number }) => to > end && !released.has(to);
    expect(truth.waits.some(isLate)).toBe(true);
  });
});
