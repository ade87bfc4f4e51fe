/**
 * A simulation of threads that use locks of every kind: what a tracer records of it, as the log that the model reads, and
 * what really happened. Equal seeds give equal simulations.
 */
import { type LockKind, type LockLog, LogWriter, LOSS } from '../../../src/engine/layers/locks/lock-log.ts';
import { type Random, randomOf } from '../simulator/random.ts';
import { type Habits, LockPrograms } from './lock-programs.ts';
import { type LockEvent, LockWorld, type Tracing } from './lock-world.ts';
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
}

export interface LockSimulation {
  readonly log: LockLog;
  readonly truth: TrueLocks;
}

const END = 300_000;
const PROCESS = 100;

export function simulateLocks({ seed, kinds, ...plan }: LockPlan): LockSimulation {
  const random = randomOf(seed);
  const truth = new TrueLocks(kinds);
  const world = new LockWorld(random, truth, plan.disturbances);
  const programs = new LockPrograms(world, locksOf(world, kinds, plan.threads), plan.habits);
  for (let thread = 0; thread < plan.threads; thread++)
    world.start(programs.program(thread, plan.steps), random.between(0, 1_000));
  world.run(END);
  truth.finish(world.now);
  const events = disturbed(world.events, world.now, plan.disturbances, random);
  return { log: logOf(events, kinds, world.now), truth };
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

/** Threads and locks are numbered as their events come; `tid` and `address` tell which they are. */
function logOf(events: readonly LockEvent[], kinds: readonly LockKind[], end: number): LockLog {
  const writer = new LogWriter();
  for (const { time, op, thread, lock, other, value, mode } of events)
    writer.add(time, op, thread, lock, other, value, mode);
  return {
    length: writer.length,
    ...writer.columns(),
    threads: writer.threads.map((thread) => ({ row: -1, tid: thread, ns: 0, pid: PROCESS, process: '' })),
    locks: kinds.map((kind, row) => ({ kind, process: PROCESS, address: `0x${(16 + row).toString(16)}` })),
    futexes: [],
    kernelLocks: [],
    end,
    modules: [],
    problems: {},
  };
}
