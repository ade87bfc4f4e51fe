/** Threads that go on at their own times, and what a tracer records of what they do. Times are whole ns since the begin. */
import * as lockLog from '../../../src/engine/layers/locks/lock-log.ts';
import type { LockKind } from '../../../src/engine/layers/locks/lock-log.ts';
import { Agenda } from '../simulator/agenda.ts';
import type { Random } from '../simulator/random.ts';
import type { TrueLocks } from './true-locks.ts';

/** What a thread does: it yields for how many ns it sleeps, and gets back whether another thread woke it before. */
export type Program<T = void> = Generator<number, T, boolean>;

/** A row of a `LockLog`. `thread` and `lock` are -1 where it has none. */
export interface LockEvent {
  readonly time: number;
  readonly op: number;
  readonly thread: number;
  readonly lock: number;
  readonly other: number;
  readonly value: number;
  readonly mode: number;
}

/** How far what is recorded is from what happens. Probabilities. */
export interface Tracing {
  /** A release is recorded some time after it. */
  readonly late: number;
  /** A request is recorded some time before it. */
  readonly early: number;
  /** Calls of futexes in which threads sleep and wake others are recorded. */
  readonly hasCalls?: boolean;
}

/** A thread slept until another one woke it (`by`), -1: until its time was over; it went on at `resume`. */
export interface Sleep {
  readonly thread: number;
  readonly begin: number;
  by: number;
  /** Infinity: it sleeps still. */
  end: number;
  resume: number;
}

/** Operations of futex calls. */
const FUTEX_WAIT = 0;
export const FUTEX_WAKE = 1;
export const FUTEX_CMP_REQUEUE = 4;

export interface SimulatedLock {
  /** Row of the log's locks. */
  readonly row: number;
  readonly kind: LockKind;
}

/** Status of a wait that took too long. */
export const TIMED_OUT = 110;
/** From the wake-up of a thread until it goes on. */
const WAKE_NS = { least: 1, most: 400 };
/** By which what is recorded is late or early. */
const MOST_SHIFT = 2_000;

export class LockWorld {
  readonly events: LockEvent[] = [];
  readonly random: Random;
  readonly truth: TrueLocks;
  /** In order of their ends. */
  readonly sleeps: Sleep[] = [];
  readonly #asleep = new Map<number, Sleep>();
  #current = -1;
  readonly #tracing: Tracing;
  readonly #agenda = new Agenda();
  readonly #programs: Program[] = [];
  /** By thread: how often it was told when to go on. Only what it was told last counts. */
  readonly #turns: number[] = [];

  constructor(random: Random, truth: TrueLocks, tracing: Tracing) {
    this.random = random;
    this.truth = truth;
    this.#tracing = tracing;
  }

  get now(): number {
    return this.#agenda.now;
  }

  get hasCalls(): boolean {
    return this.#tracing.hasCalls === true;
  }

  /** Adds a thread. Threads are numbers from 0 on. */
  start(program: Program, at: number): void {
    const thread = this.#programs.push(program) - 1;
    this.#turns.push(0);
    this.#goOn(thread, at, false);
  }

  /** A thread sleeps at a futex, for `ns` at most. @returns whether it was woken */
  *sleep(thread: number, futex: number, ns: number): Program<boolean> {
    if (this.hasCalls) this.#recordCall(lockLog.FUTEX_ENTER, thread, futex, FUTEX_WAIT);
    const sleep = { thread, begin: this.now, by: -1, end: Infinity, resume: Infinity };
    this.sleeps.push(sleep);
    this.#asleep.set(thread, sleep);
    const isWoken = yield ns;
    this.#asleep.delete(thread);
    sleep.resume = this.now;
    if (!isWoken) sleep.end = this.now;
    if (this.hasCalls) this.#recordCall(lockLog.FUTEX_EXIT, thread, -1, isWoken ? 0 : -TIMED_OUT);
    return isWoken;
  }

  /** A thread wakes others, within a futex call where these are recorded. */
  call(thread: number, operation: number, futex: number, wakes: () => void, other = -1): void {
    if (this.hasCalls) this.#recordCall(lockLog.FUTEX_ENTER, thread, futex, operation, other);
    wakes();
    if (this.hasCalls) this.#recordCall(lockLog.FUTEX_EXIT, thread, -1, 1);
  }

  #recordCall(op: number, thread: number, futex: number, value: number, other = -1): void {
    this.record(op, thread, { row: futex, kind: 'mutex' }, { value, other });
  }

  /** A thread that sleeps goes on soon. */
  wake(thread: number): void {
    const sleep = this.#asleep.get(thread);
    if (sleep !== undefined) Object.assign(sleep, { by: this.#current, end: this.now });
    this.#goOn(thread, this.now + this.random.between(WAKE_NS.least, WAKE_NS.most), true);
  }

  run(end: number): void {
    this.#agenda.run(end);
  }

  /** Nothing else happens at the ns that it returns. */
  tick(): number {
    return ++this.#agenda.now;
  }

  /** @returns when it happened */
  record(op: number, thread: number, lock: SimulatedLock, fields: Partial<LockEvent> = {}): number {
    const time = this.tick();
    const none = { other: -1, value: 0, mode: lockLog.EXCLUSIVE };
    this.events.push({ ...none, time, op, thread, lock: lock.row, ...fields });
    return time;
  }

  /** By how many ns a release is recorded too late, 0 mostly. */
  lateness(): number {
    return this.#shift(this.#tracing.late);
  }

  /** By how many ns a request is recorded too early. */
  earliness(): number {
    return this.#shift(this.#tracing.early);
  }

  #shift(probability: number): number {
    return this.random.chance(probability) ? this.random.between(1, MOST_SHIFT) : 0;
  }

  #goOn(thread: number, at: number, isWoken: boolean): void {
    const turn = ++this.#turns[thread];
    this.#agenda.at(at, () => {
      if (turn !== this.#turns[thread]) return;
      this.#current = thread;
      const { done, value } = this.#programs[thread].next(isWoken);
      if (done !== true && value < Infinity) this.#goOn(thread, this.now + value, false);
    });
  }
}
