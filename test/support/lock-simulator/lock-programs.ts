/** What simulated threads do with locks: random programs. */
import * as lockLog from '../../../src/engine/layers/locks/lock-log.ts';
import { BY_LOCK, BY_TIMED_LOCK, BY_TRY } from '../../../src/engine/layers/locks/model/lock-model.ts';
import type { LockWorld, Program, SimulatedLock } from './lock-world.ts';
import { BarrierSimulation, ConditionSimulation, SemaphoreSimulation } from './other-locks.ts';
import { OwnedSimulation } from './owned-locks.ts';

/** What threads like to do. Probabilities. */
export interface Habits {
  /** To take a further lock while one is held. */
  readonly nesting: number;
  /** To take locks in the same order as everybody does. */
  readonly order: number;
  readonly tries: number;
  readonly timed: number;
  /** To end while a lock is held. */
  readonly deaths: number;
  /** To ask for what they have, although that never ends. */
  readonly selfLocks: number;
  /** Any threads meet at a barrier, as many as it is for; else always the same ones. */
  readonly subsets?: boolean;
  /** Conditions are waited for and signalled without events of theirs. */
  readonly unseenConditions?: boolean;
  /** Threads wait for others to end. */
  readonly joins?: boolean;
}

export interface Locks {
  readonly owned: readonly OwnedSimulation[];
  readonly semaphores: readonly SemaphoreSimulation[];
  readonly conditions: readonly ConditionSimulation[];
  readonly barriers: readonly BarrierSimulation[];
}

const MOST_HELD = 3;

export class LockPrograms {
  readonly #world: LockWorld;
  readonly #locks: Locks;
  readonly #habits: Habits;
  readonly #threads: number;
  /** Futex of thread 0, behind those of the locks. */
  readonly #firstThreadFutex: number;
  readonly #joiners = new Map<number, number[]>();
  readonly #ended = new Set<number>();

  constructor(world: LockWorld, locks: Locks, habits: Habits, threads: number) {
    this.#world = world;
    this.#locks = locks;
    this.#habits = habits;
    this.#threads = threads;
    this.#firstThreadFutex = Object.values(locks).reduce((sum, { length }) => sum + length, 0);
  }

  /** Some steps of a thread. */
  *program(thread: number, steps: number): Program {
    for (let step = 0; step < steps; step++) {
      yield this.#pause();
      if (!(yield* this.#step(thread))) return;
    }
    if (this.#habits.joins === true) this.#end(thread);
  }

  /** A thread ends: the kernel wakes who waits for that, without a call. */
  #end(thread: number): void {
    for (const joiner of this.#joiners.get(thread) ?? []) this.#world.wake(joiner);
    this.#ended.add(thread);
    this.#world.record(lockLog.THREAD_END, thread, { row: -1, kind: 'mutex' });
  }

  *#join(thread: number): Program {
    const others = Array.from({ length: this.#threads }, (_, other) => other);
    const other = this.#world.random.pick(others.filter((each) => each !== thread && !this.#ended.has(each)));
    // Nobody waits for what waits for it.
    if (other === undefined || other < thread) return;
    this.#joiners.set(other, [...(this.#joiners.get(other) ?? []), thread]);
    yield* this.#world.sleep(thread, this.#firstThreadFutex + other, Infinity);
  }

  /** @returns whether the thread goes on */
  *#step(thread: number): Program<boolean> {
    const { random } = this.#world;
    const { owned, semaphores, conditions, barriers } = this.#locks;
    const { subsets = false, joins = false } = this.#habits;
    const ofThread = barriers.filter(({ parties }) => subsets || thread < parties);
    const what = random.between(0, 15);
    if (what < 3 && semaphores.length > 0) yield* this.#useSemaphore(thread, random.pick(semaphores));
    else if (what < 6 && conditions.length > 0) yield* this.#useCondition(thread, random.pick(conditions));
    else if ((what === 6 || owned.length === 0) && ofThread.length > 0)
      yield* random.pick(ofThread).wait(thread);
    else if (what === 7) this.#destroy(thread);
    else if (what === 8 && joins) yield* this.#join(thread);
    else return yield* this.#section(thread, []);
    return true;
  }

  /** A critical section, with others inside of it. */
  *#section(thread: number, held: readonly OwnedSimulation[]): Program<boolean> {
    const { random } = this.#world;
    const lock = this.#choose(held);
    if (lock === undefined || !(yield* this.#lock(thread, lock))) return true;
    if (lock.isRecursive && random.chance(0.3)) yield* this.#again(thread, lock);
    yield this.#pause();
    if (held.length + 1 < MOST_HELD && random.chance(this.#habits.nesting))
      if (!(yield* this.#section(thread, [...held, lock]))) return false;
    if (random.chance(this.#habits.deaths)) return this.#die(thread, [...held, lock]);
    if (random.chance(this.#habits.selfLocks)) yield* this.#convert(thread, lock);
    if (random.chance(0.2)) this.#signal(thread);
    yield* lock.unlock(thread);
    return true;
  }

  /** Whoever keeps the order takes only locks behind those that are held. */
  #choose(held: readonly OwnedSimulation[]): OwnedSimulation | undefined {
    const { random } = this.#world;
    const isOrderly = random.chance(this.#habits.order);
    const last = held.reduce((row, lock) => Math.max(row, lock.row), -1);
    const free = this.#locks.owned.filter((lock) => !held.includes(lock) && (!isOrderly || lock.row > last));
    return free.length === 0 ? undefined : random.pick(free);
  }

  #lock(thread: number, lock: OwnedSimulation): Program<boolean> {
    const { random } = this.#world;
    const isShareable = lock.kind === 'rwlock' || lock.kind === 'file';
    const mode = isShareable && random.chance(0.6) ? lockLog.SHARED : lockLog.EXCLUSIVE;
    return lock.lock(thread, { mode, way: this.#way(lock.kind) });
  }

  #way(kind: SimulatedLock['kind']): number {
    const { random } = this.#world;
    if (random.chance(this.#habits.tries)) return BY_TRY;
    const hasTimed = kind !== 'spin' && kind !== 'file';
    return hasTimed && random.chance(this.#habits.timed) ? BY_TIMED_LOCK : BY_LOCK;
  }

  *#again(thread: number, lock: OwnedSimulation): Program {
    const way = this.#way(lock.kind);
    if (!(yield* lock.lock(thread, { mode: lockLog.EXCLUSIVE, way }))) return;
    yield this.#pause();
    yield* lock.unlock(thread);
  }

  /** A file gets another mode; of other locks the thread waits for itself, readers maybe not for ever. */
  *#convert(thread: number, lock: OwnedSimulation): Program {
    const isReader = lock.modeOf(thread) === lockLog.SHARED;
    if (lock.isRecursive || (lock.kind === 'file' && !isReader)) return;
    const isTimed = lock.kind === 'rwlock' && isReader && this.#world.random.chance(0.5);
    yield* lock.lock(thread, { mode: lockLog.EXCLUSIVE, way: isTimed ? BY_TIMED_LOCK : BY_LOCK });
  }

  #die(thread: number, held: readonly OwnedSimulation[]): boolean {
    for (const lock of held) lock.leaveBehind(thread);
    return false;
  }

  *#useSemaphore(thread: number, semaphore: SemaphoreSimulation): Program {
    const { random } = this.#world;
    if (random.chance(0.3)) return semaphore.post(thread);
    if (!(yield* semaphore.wait(thread, this.#way('sem')))) return;
    yield this.#pause();
    if (random.chance(0.8)) semaphore.post(thread);
  }

  /** With a mutex of its own or not, but without any other lock: nobody would see it wait for what it takes again. */
  *#useCondition(thread: number, condition: ConditionSimulation): Program {
    const { random } = this.#world;
    const mutexes = this.#locks.owned.filter(({ kind, isRecursive }) => kind === 'mutex' && !isRecursive);
    if (mutexes.length === 0 || random.chance(0.5)) return this.#signal(thread);
    const mutex = mutexes[condition.row % mutexes.length];
    if (!(yield* mutex.lock(thread, { mode: lockLog.EXCLUSIVE, way: BY_LOCK }))) return;
    const isTimed = random.chance(this.#habits.timed);
    // Some go on without any reason.
    const isPatient = !isTimed && random.chance(0.3);
    const limit = isPatient ? Infinity : random.between(1, 20_000);
    if (this.#habits.unseenConditions === true) yield* condition.waitUnseen(thread, mutex, limit);
    else yield* condition.wait(thread, mutex, limit, isTimed);
    yield this.#pause();
    yield* mutex.unlock(thread);
  }

  #signal(thread: number): void {
    const { conditions } = this.#locks;
    const { random } = this.#world;
    if (conditions.length === 0) return;
    const condition = random.pick(conditions);
    const toAll = random.chance(0.3);
    if (this.#habits.unseenConditions === true) condition.signalUnseen(thread, toAll);
    else condition.signal(thread, toAll);
  }

  /** The address of a lock is used again for another one. */
  #destroy(thread: number): void {
    const unused = this.#locks.owned.filter(({ kind, isUnused }) => kind !== 'file' && isUnused);
    if (unused.length > 0) this.#world.record(lockLog.DESTROY, thread, this.#world.random.pick(unused));
  }

  /** ns */
  #pause(): number {
    return this.#world.random.between(1, this.#world.random.chance(0.2) ? 5_000 : 500);
  }
}
