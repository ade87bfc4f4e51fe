/** Locks that nobody owns: semaphore, condition, barrier. */
import * as lockLog from '../../../src/engine/layers/locks/lock-log.ts';
import * as lockModel from '../../../src/engine/layers/locks/model/lock-model.ts';
import {
  FUTEX_CMP_REQUEUE,
  FUTEX_WAKE,
  type LockWorld,
  type Program,
  type SimulatedLock,
  TIMED_OUT,
} from './lock-world.ts';
import type { OwnedSimulation } from './owned-locks.ts';
import type { TrueWait } from './true-locks.ts';

/** PTHREAD_BARRIER_SERIAL_THREAD. */
const SERIAL_THREAD = -1;

/** A thread gave something, when somebody may have waited for it. */
interface Gift {
  readonly thread: number;
  readonly time: number;
  /** It had taken the same before. */
  readonly isTaken: boolean;
}

/** Whoever gave last before a wait ended let it go on. */
function handOver(wait: TrueWait, gifts: readonly Gift[]): void {
  const last = gifts.findLast(({ thread, time }) => thread !== wait.thread && time > wait.request);
  if (last === undefined) return;
  wait.by = last.thread;
  wait.link = last.time;
  wait.isTaken = last.isTaken;
}

export class SemaphoreSimulation implements SimulatedLock {
  readonly row: number;
  readonly kind = 'sem';
  readonly #world: LockWorld;
  #count: number;
  readonly #queue: number[] = [];
  readonly #posts: Gift[] = [];
  /** What each thread took and has not given back. */
  readonly #taken = new Map<number, TrueWait[]>();

  constructor(world: LockWorld, row: number, count: number) {
    this.#world = world;
    this.row = row;
    this.#count = count;
  }

  /** @returns whether the thread got one */
  *wait(thread: number, way: number): Program<boolean> {
    const world = this.#world;
    if (way === lockModel.BY_TRY) {
      const isTaken = this.#count > 0;
      const time = world.record(lockLog.TRY, thread, this, { value: isTaken ? 0 : 11 });
      if (isTaken) this.#take(world.truth.ask(thread, this.row, time, lockModel.NO_MODE, way), time);
      return isTaken;
    }
    const request = world.record(
      way === lockModel.BY_TIMED_LOCK ? lockLog.TIMED_REQUEST : lockLog.REQUEST,
      thread,
      this,
    );
    const wait = world.truth.ask(thread, this.row, request, lockModel.NO_MODE, way);
    const deadline = way === lockModel.BY_TIMED_LOCK ? world.now + world.random.between(1, 5_000) : Infinity;
    while (this.#count === 0) {
      wait.isContended = true;
      const left = deadline - world.now;
      if (left > 0 && (yield* sleep(world, this.row, this.#queue, thread, left))) continue;
      world.truth.fail(wait, world.record(lockLog.ACQUIRE, thread, this, { value: TIMED_OUT }));
      return false;
    }
    this.#take(wait, world.record(lockLog.ACQUIRE, thread, this));
    if (wait.isContended) handOver(wait, this.#posts);
    return true;
  }

  post(thread: number): void {
    const taken = this.#taken.get(thread)?.pop();
    const time = this.#world.record(lockLog.POST, thread, this);
    if (taken !== undefined) taken.back = time;
    this.#posts.push({ thread, time, isTaken: taken !== undefined });
    this.#count++;
    this.#world.call(thread, FUTEX_WAKE, this.row, () => wakeFirst(this.#queue, this.#world));
  }

  #take(wait: TrueWait, time: number): void {
    this.#count--;
    this.#taken.set(wait.thread, [...(this.#taken.get(wait.thread) ?? []), wait]);
    this.#world.truth.acquire(wait, time);
  }
}

export class ConditionSimulation implements SimulatedLock {
  readonly row: number;
  readonly kind = 'cond';
  readonly #world: LockWorld;
  readonly #queue: number[] = [];
  readonly #signals: Gift[] = [];
  /** Mutex of those that wait unseen. */
  #mutex: OwnedSimulation | undefined;

  constructor(world: LockWorld, row: number) {
    this.#world = world;
    this.row = row;
  }

  /** The thread has the mutex before and afterwards. @param limit ns, and whether its end is told as a time-out */
  *wait(thread: number, mutex: OwnedSimulation, limit: number, isTimed: boolean): Program {
    const { truth } = this.#world;
    const begin = this.#world.record(lockLog.COND_BEGIN, thread, this, { other: mutex.row });
    const wait = truth.ask(thread, this.row, begin, lockModel.NO_MODE, lockModel.BY_LOCK);
    wait.isContended = true;
    mutex.letGo(thread, begin);
    const isSignalled = yield* sleep(this.#world, this.row, this.#queue, thread, limit);
    const value = isSignalled || !isTimed ? 0 : TIMED_OUT;
    const retaken = yield* mutex.takeBack(thread, () =>
      this.#world.record(lockLog.COND_END, thread, this, { other: mutex.row, value }),
    );
    if (value === 0) {
      truth.acquire(wait, retaken.end);
      handOver(wait, this.#signals);
      if (!Number.isNaN(wait.link)) retaken.request = wait.link;
    } else {
      truth.fail(wait, retaken.end);
    }
  }

  /** The same by a wrapper that records mutexes only: nobody sees the mutex given back and taken again. */
  *waitUnseen(thread: number, mutex: OwnedSimulation, limit: number): Program {
    mutex.letGo(thread, this.#world.now + 1);
    this.#mutex = mutex;
    yield* sleep(this.#world, this.row, this.#queue, thread, limit);
    mutex.forget(thread);
    yield* mutex.takeBack(thread, () => this.#world.tick(), true);
  }

  /** Wakes one of those that wait, and moves all others to the mutex, where they are woken one after the other. */
  signalUnseen(thread: number, toAll: boolean): void {
    const mutex = this.#mutex;
    if (!toAll || mutex === undefined) {
      this.#world.call(thread, FUTEX_WAKE, this.row, () => wakeFirst(this.#queue, this.#world));
      return;
    }
    const requeue = () => {
      wakeFirst(this.#queue, this.#world);
      for (const waiter of this.#queue.splice(0)) mutex.enqueue(waiter);
    };
    this.#world.call(thread, FUTEX_CMP_REQUEUE, this.row, requeue, mutex.row);
  }

  signal(thread: number, toAll: boolean): void {
    const time = this.#world.record(toAll ? lockLog.BROADCAST : lockLog.SIGNAL, thread, this);
    this.#signals.push({ thread, time, isTaken: false });
    this.#world.call(thread, FUTEX_WAKE, this.row, () => {
      for (let left = toAll ? this.#queue.length : 1; left > 0; left--) wakeFirst(this.#queue, this.#world);
    });
  }
}

export class BarrierSimulation implements SimulatedLock {
  readonly row: number;
  readonly kind = 'barrier';
  /** Threads that meet at it: the first ones. */
  readonly parties: number;
  readonly #world: LockWorld;
  #round: TrueWait[] = [];

  constructor(world: LockWorld, row: number, parties: number) {
    this.#world = world;
    this.row = row;
    this.parties = parties;
  }

  *wait(thread: number): Program {
    const { truth } = this.#world;
    const request = this.#world.record(lockLog.BARRIER_BEGIN, thread, this);
    const wait = truth.ask(thread, this.row, request, lockModel.NO_MODE, lockModel.BY_LOCK);
    // As long as the last has not come.
    wait.isContended = true;
    this.#round.push(wait);
    const isLast = this.#round.length === this.parties;
    if (isLast) this.#world.call(thread, FUTEX_WAKE, this.row, () => this.#complete(wait));
    else yield* this.#world.sleep(thread, this.row, Infinity);
    const value = isLast ? SERIAL_THREAD : 0;
    truth.acquire(wait, this.#world.record(lockLog.BARRIER_END, thread, this, { value }));
  }

  #complete(last: TrueWait): void {
    const round = this.#round;
    this.#round = [];
    last.isContended = false;
    for (const wait of round) {
      if (wait === last) continue;
      wait.by = last.thread;
      wait.link = last.request;
      this.#world.wake(wait.thread);
    }
  }
}

/** Sleeps until it is woken, for `ns` at most. @returns whether it was woken */
function* sleep(
  world: LockWorld,
  futex: number,
  queue: number[],
  thread: number,
  ns: number,
): Program<boolean> {
  queue.push(thread);
  const isWoken = yield* world.sleep(thread, futex, ns);
  const at = queue.indexOf(thread);
  if (at >= 0) queue.splice(at, 1);
  return isWoken;
}

function wakeFirst(queue: number[], world: LockWorld): void {
  const thread = queue.shift();
  if (thread !== undefined) world.wake(thread);
}
