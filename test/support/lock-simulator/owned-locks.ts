/**
 * Locks with an owner: mutex, spin, rwlock, file. Who releases one wakes those that wait, which try again when they run:
 * another thread may have been faster. Readers do not wait for writers that wait.
 */
import * as lockLog from '../../../src/engine/layers/locks/lock-log.ts';
import { BY_CONDITION, BY_TIMED_LOCK, BY_TRY } from '../../../src/engine/layers/locks/model/lock-model.ts';
import { FUTEX_WAKE, type LockWorld, type Program, type SimulatedLock, TIMED_OUT } from './lock-world.ts';
import type { TrueWait } from './true-locks.ts';

const BUSY = 16;
const OWNER_DIED = 130;
/** What a call on a file returns that would have to wait. */
const WOULD_BLOCK = -11;
/** Operations of flock. */
const FLOCK_SHARED = 1;
const FLOCK_EXCLUSIVE = 2;
const FLOCK_TRY = 4;
const FLOCK_UNLOCK = 8;

interface Holder {
  readonly hold: TrueWait;
  depth: number;
  isDead: boolean;
}

/** How a thread asks. `way`: BY_LOCK, BY_TIMED_LOCK or BY_TRY. */
export interface Wish {
  readonly mode: number;
  readonly way: number;
}

export class OwnedSimulation implements SimulatedLock {
  readonly row: number;
  readonly kind: 'mutex' | 'spin' | 'rwlock' | 'file';
  /** The thread that has it may take it again. */
  readonly isRecursive: boolean;
  readonly #world: LockWorld;
  readonly #holders = new Map<number, Holder>();
  readonly #queue: { readonly thread: number; readonly mode: number }[] = [];
  /** Threads that ask for it, or will. */
  #askers = 0;

  constructor(world: LockWorld, row: number, kind: OwnedSimulation['kind'], isRecursive: boolean) {
    this.#world = world;
    this.row = row;
    this.kind = kind;
    this.isRecursive = isRecursive;
  }

  get isUnused(): boolean {
    return this.#holders.size === 0 && this.#askers === 0;
  }

  /** In which mode the thread has it, -1: it has not. */
  modeOf(thread: number): number {
    return this.#holders.get(thread)?.hold.mode ?? -1;
  }

  /** @returns whether the thread has it now */
  *lock(thread: number, wish: Wish): Program<boolean> {
    this.#askers++;
    const isTaken = wish.way === BY_TRY ? this.#try(thread, wish.mode) : yield* this.#wait(thread, wish);
    this.#askers--;
    return isTaken;
  }

  *unlock(thread: number): Program {
    const holder = this.#holders.get(thread);
    if (holder === undefined) return;
    if (this.kind === 'file') {
      this.#giveBack(thread, this.#enterFlock(thread, FLOCK_UNLOCK));
      yield this.#world.random.between(1, 20);
      this.#leaveFlock(thread, 0);
      return;
    }
    const lateness = --holder.depth > 0 ? 0 : this.#world.lateness();
    if (lateness > 0) {
      this.#giveBack(thread, this.#world.tick());
      yield lateness;
    }
    const time = this.#world.record(lockLog.RELEASE, thread, this);
    if (lateness === 0 && holder.depth === 0) this.#giveBack(thread, time);
  }

  /** The thread gives it back at `time`, in order to wait for something. */
  letGo(thread: number, time: number): void {
    this.#askers++;
    this.#giveBack(thread, time);
  }

  /** It has waited for that, which `record` records when it has the lock again. @returns its new hold */
  *takeBack(thread: number, record: () => number, isUnseen = false): Program<TrueWait> {
    while (!this.#isFree(lockLog.EXCLUSIVE)) yield* this.#queueUp(thread, lockLog.EXCLUSIVE, Infinity);
    const time = record();
    const wait = this.#world.truth.ask(thread, this.row, time, lockLog.EXCLUSIVE, BY_CONDITION);
    wait.isUnseen = isUnseen;
    this.#take(wait, time);
    this.#askers--;
    return wait;
  }

  /** A thread that sleeps elsewhere is woken as if it slept here. */
  enqueue(thread: number): void {
    this.#queue.push({ thread, mode: lockLog.EXCLUSIVE });
  }

  /** A thread does not sleep any more. */
  forget(thread: number): void {
    const at = this.#queue.findIndex((place) => place.thread === thread);
    if (at >= 0) this.#queue.splice(at, 1);
  }

  /** Its holder ended: who asks next gets it, and is told so. Of other kinds nobody can. */
  leaveBehind(thread: number): void {
    const holder = this.#holders.get(thread);
    if (holder === undefined || this.kind !== 'mutex') return;
    holder.isDead = true;
    this.#wakeNext(thread);
  }

  #try(thread: number, mode: number): boolean {
    const holder = this.#holders.get(thread);
    const isAgain = holder !== undefined && this.isRecursive;
    const isTaken = isAgain || this.#isFree(mode);
    const value = isTaken ? this.#status() : BUSY;
    const time = this.#recordTry(thread, mode, value);
    if (isAgain) holder.depth++;
    else if (isTaken) this.#take(this.#world.truth.ask(thread, this.row, time, mode, BY_TRY), time);
    return isTaken;
  }

  #recordTry(thread: number, mode: number, value: number): number {
    if (this.kind !== 'file') return this.#world.record(lockLog.TRY, thread, this, { value, mode });
    this.#enterFlock(thread, flockOperation(mode) | FLOCK_TRY);
    return this.#leaveFlock(thread, value === BUSY ? WOULD_BLOCK : 0);
  }

  *#wait(thread: number, { mode, way }: Wish): Program<boolean> {
    const { truth } = this.#world;
    const holder = this.#holders.get(thread);
    const request = this.#recordRequest(thread, mode, way);
    if (holder !== undefined && this.isRecursive) {
      this.#recordAcquire(thread, mode, 0);
      holder.depth++;
      return true;
    }
    // A file that is locked in another mode is given back before the call waits.
    if (holder !== undefined && this.kind === 'file') this.#giveBack(thread, request);
    const wait = truth.ask(thread, this.row, request, mode, way);
    const earliness = this.#world.earliness();
    if (earliness > 0) yield earliness;
    const deadline =
      way === BY_TIMED_LOCK ? this.#world.now + this.#world.random.between(1, 5_000) : Infinity;
    while (!this.#isFree(mode)) {
      truth.block(wait);
      const left = deadline - this.#world.now;
      if (left > 0 && (yield* this.#queueUp(thread, mode, left))) continue;
      truth.fail(wait, this.#recordAcquire(thread, mode, TIMED_OUT));
      return false;
    }
    this.#take(wait, this.#recordAcquire(thread, mode, this.#status()));
    return true;
  }

  #recordRequest(thread: number, mode: number, way: number): number {
    if (this.kind === 'file') return this.#enterFlock(thread, flockOperation(mode));
    return this.#world.record(way === BY_TIMED_LOCK ? lockLog.TIMED_REQUEST : lockLog.REQUEST, thread, this, {
      mode,
    });
  }

  #recordAcquire(thread: number, mode: number, value: number): number {
    if (this.kind === 'file') return this.#leaveFlock(thread, 0);
    return this.#world.record(lockLog.ACQUIRE, thread, this, { value, mode });
  }

  #enterFlock(thread: number, value: number): number {
    // Each thread has a descriptor of its own.
    return this.#world.record(lockLog.FLOCK_ENTER, thread, this, { value, other: thread });
  }

  /** Exits of calls do not tell the file. */
  #leaveFlock(thread: number, value: number): number {
    return this.#world.record(lockLog.FILE_EXIT, thread, this, { value, lock: -1 });
  }

  /** Sleeps until it is woken, for `ns` at most. @returns whether it was woken */
  *#queueUp(thread: number, mode: number, ns: number): Program<boolean> {
    const place = { thread, mode };
    this.#queue.push(place);
    const isWoken = yield* this.#world.sleep(thread, this.row, ns);
    const at = this.#queue.indexOf(place);
    if (at >= 0) this.#queue.splice(at, 1);
    return isWoken;
  }

  #isFree(mode: number): boolean {
    return [...this.#holders.values()].every(
      ({ hold, isDead }) => isDead || (mode === lockLog.SHARED && hold.mode === lockLog.SHARED),
    );
  }

  #status(): number {
    return [...this.#holders.values()].some(({ isDead }) => isDead) ? OWNER_DIED : 0;
  }

  #take(wait: TrueWait, time: number): void {
    for (const [thread, { hold, isDead }] of this.#holders) {
      if (!isDead) continue;
      this.#holders.delete(thread);
      this.#world.truth.release(hold, time);
    }
    this.#holders.set(wait.thread, { hold: wait, depth: 1, isDead: false });
    this.#world.truth.acquire(wait, time);
  }

  #giveBack(thread: number, time: number): void {
    const holder = this.#holders.get(thread);
    if (holder === undefined) return;
    this.#holders.delete(thread);
    this.#world.truth.release(holder.hold, time);
    if (this.#holders.size === 0) this.#wakeNext(thread);
  }

  /** A writer, or the readers before the next one. */
  #wakeNext(thread: number): void {
    if (this.#queue.length > 0) this.#world.call(thread, FUTEX_WAKE, this.row, () => this.#wakeQueue());
  }

  #wakeQueue(): void {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#world.wake(next.thread);
      if (next.mode === lockLog.EXCLUSIVE || this.#queue[0]?.mode !== lockLog.SHARED) return;
    }
  }
}

function flockOperation(mode: number): number {
  return mode === lockLog.SHARED ? FLOCK_SHARED : FLOCK_EXCLUSIVE;
}
