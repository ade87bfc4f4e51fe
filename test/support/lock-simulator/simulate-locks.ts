/**
 * A simulation of threads that use locks of every kind: what a tracer records of it, as the log that the model reads, and
 * what really happened. Equal seeds give equal simulations.
 */
import { FUTEX_PRIVATE } from '../../../src/engine/layers/locks/kernel-calls.ts';
import {
  COND_BEGIN,
  COND_END,
  FUTEX_ENTER,
  FUTEX_EXIT,
  type LockKind,
  type LockLog,
  LogWriter,
  LOSS,
} from '../../../src/engine/layers/locks/lock-log.ts';
import { type Random, randomOf } from '../simulator/random.ts';
import { type Habits, LockPrograms } from './lock-programs.ts';
import { type LockEvent, LockWorld, type Sleep, type Tracing } from './lock-world.ts';
import { BarrierSimulation, ConditionSimulation, SemaphoreSimulation } from './other-locks.ts';
import { OwnedSimulation } from './owned-locks.ts';
import { TrueLocks } from './true-locks.ts';

export interface Disturbances extends Tracing {
  /** Probability that an event is missing, and nothing tells so. */
  readonly missing: number;
  /** Times in which all events are lost, which the trace tells. */
  readonly losses: number;
  /** ns of which times are multiples. */
  readonly clock: number;
}

export const UNDISTURBED: Disturbances = { late: 0, early: 0, missing: 0, losses: 0, clock: 1 };

export interface LockPlan {
  readonly seed: number;
  readonly threads: number;
  /** Of each thread. */
  readonly steps: number;
  readonly kinds: readonly LockKind[];
  readonly habits: Habits;
  readonly disturbances: Disturbances;
  /** Two processes have all locks in memory that they share, at addresses of their own: threads in turn are theirs. */
  readonly isShared?: boolean;
}

export interface LockSimulation {
  readonly log: LockLog;
  readonly truth: TrueLocks;
  readonly sleeps: readonly Sleep[];
}

const END = 300_000;
const PROCESS = 100;
const SECOND_PROCESS = 101;

export function simulateLocks({ seed, kinds, ...plan }: LockPlan): LockSimulation {
  const random = randomOf(seed);
  const truth = new TrueLocks(kinds);
  const world = new LockWorld(random, truth, plan.disturbances);
  const locks = locksOf(world, kinds, plan.threads);
  const programs = new LockPrograms(world, locks, plan.habits, plan.threads);
  for (let thread = 0; thread < plan.threads; thread++)
    world.start(programs.program(thread, plan.steps), random.between(0, 1_000));
  world.run(END);
  truth.finish(world.now);
  const events = disturbed(world.events, world.now, plan.disturbances, random);
  return { log: logOf(events, kinds, world.now, plan), truth, sleeps: world.sleeps };
}

function locksOf(world: LockWorld, kinds: readonly LockKind[], threads: number) {
  const owned: OwnedSimulation[] = [];
  const semaphores: SemaphoreSimulation[] = [];
  const conditions: ConditionSimulation[] = [];
  const barriers: BarrierSimulation[] = [];
  kinds.forEach((kind, row) => {
    if (kind === 'sem') semaphores.push(new SemaphoreSimulation(world, row, world.random.between(0, 2)));
    else if (kind === 'cond') conditions.push(new ConditionSimulation(world, row));
    else if (kind === 'barrier')
      barriers.push(new BarrierSimulation(world, row, world.random.between(1, threads)));
    else owned.push(new OwnedSimulation(world, row, kind, kind === 'mutex' && world.random.chance(0.3)));
  });
  return { owned, semaphores, conditions, barriers };
}

/** What is recorded of the events in the end. */
function disturbed(
  events: readonly LockEvent[],
  end: number,
  { missing, losses, clock }: Disturbances,
  random: Random,
): LockEvent[] {
  const lost = Array.from({ length: losses }, () => {
    const from = random.between(0, end);
    return { from, to: from + random.between(1, end / 10) };
  });
  const isLost = (time: number) => lost.some(({ from, to }) => time >= from && time < to);
  const recorded = events.filter(({ time }) => !isLost(time) && !random.chance(missing));
  // As streams have it: it was before the first event behind it, and maybe at once behind the one before.
  const times = lost.flatMap(({ from, to }) => [from, Math.min(to, end)]);
  const marks = times.flatMap((time) => [lossAt(time, true), lossAt(time, false)]);
  return [...recorded, ...marks]
    .map((event) => ({ ...event, time: event.time - (event.time % clock) }))
    .sort((a, b) => a.time - b.time);
}

function lossAt(time: number, isOfUserSpace: boolean): LockEvent {
  return { time, op: LOSS, thread: -1, lock: -1, other: isOfUserSpace ? 1 : 0, value: 0, mode: 0 };
}

/**
 * Threads are numbered as their events come, `tid` tells which they are; it is the row of the kernel's table, too. Locks of
 * a second process come behind those of the first.
 */
function logOf(
  events: readonly LockEvent[],
  kinds: readonly LockKind[],
  end: number,
  { threads, isShared = false }: Pick<LockPlan, 'threads' | 'isShared'>,
): LockLog {
  const writer = new LogWriter();
  const futexes = kinds.length + threads;
  for (const { time, op, thread, lock, other, value, mode } of events) {
    const isOfFutex = op === FUTEX_ENTER || op === FUTEX_EXIT;
    const second = isShared && thread % 2 === 1;
    const behind = second ? (isOfFutex ? futexes : kinds.length) : 0;
    const isOther = isOfFutex || op === COND_BEGIN || op === COND_END;
    const flag = op === FUTEX_ENTER && !isShared ? FUTEX_PRIVATE : 0;
    writer.add(
      time,
      op,
      thread,
      lock < 0 ? lock : lock + behind,
      other < 0 || !isOther ? other : other + behind,
      value + flag,
      mode,
    );
  }
  const processOf = (second: boolean) => (second ? SECOND_PROCESS : PROCESS);
  const address = (row: number, second: boolean) =>
    `0x${(0x1000 * (row + 1) + (second ? 0x100000 : 0)).toString(16)}`;
  const places = isShared ? [false, true] : [false];
  return {
    ...writer.toTable(),
    threads: writer.threads.map((thread) => {
      return { row: thread, tid: thread, ns: 0, pid: processOf(isShared && thread % 2 === 1), process: '' };
    }),
    locks: places.flatMap((second) =>
      kinds.map((kind, row) => ({ kind, process: processOf(second), address: address(row, second) })),
    ),
    // A lock's futex lies in it; behind the locks are those of the threads.
    futexes: places.flatMap((second) =>
      Array.from({ length: futexes }, (_, row) => ({
        process: processOf(second),
        address: address(row, second),
      })),
    ),
    kernelLocks: [],
    end,
    modules: [],
    memories: [],
    problems: {},
  };
}
