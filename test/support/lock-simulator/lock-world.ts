/** Threads that go on at their own times, and what a tracer records of what they do. Times are whole ns since the begin. */
import * as l from '../../../src/engine/layers/locks/lock-log.ts';
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
}

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

  /** Adds a thread. Threads are numbers from 0 on. */
  start(program: Program, at: number): void {
    const thread = this.#programs.push(program) - 1;
    this.#turns.push(0);
    this.#goOn(thread, at, false);
  }

  /** A thread that sleeps goes on soon. */
  wake(thread: number): void {
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
    const none = { other: -1, value: 0, mode: l.EXCLUSIVE };
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
      const { done, value } = this.#programs[thread].next(isWoken);
      if (done !== true && value < Infinity) this.#goOn(thread, this.now + value, false);
    });
  }
}
