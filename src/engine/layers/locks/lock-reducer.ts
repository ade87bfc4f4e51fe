/** Writes the events of all streams of a host, in total order, into one log of locks (`lock-log.ts`). */
import { addNumber } from '../../base/group-by.ts';
import { TextList } from '../../base/text-list.ts';
import { TupleIndex } from '../../base/tuple-index.ts';
import { addressText } from '../../base/wide-integer.ts';
import { type KernelThreads, NO_THREAD } from '../contract/event-threads.ts';
import { FileLocks } from './file-locks.ts';
import { ANY_CALL, FUTEX_CALL } from './kernel-calls.ts';
import * as kinds from './lock-map.ts';
import type { LockChunk, LockSettings } from './lock-map.ts';
import * as lockLog from './lock-log.ts';
import { LOCK_KINDS, type LockAddress, type LockLog, type LockName, LogWriter } from './lock-log.ts';
import { ThreadReducer } from '../contract/layer-reducer.ts';
import { readModule } from '../stacks/module-events.ts';
import { ModuleLog } from '../stacks/module-log.ts';
import type { LockEvent } from './providers.ts';

/** Reasons why events were not used. */
const NO_USER_THREAD = 'lock event without thread or address';
const UNKNOWN_FORK = 'fork of a process with too many open files for its child to be followed';
const NO_KERNEL_THREAD = 'kernel lock event without thread';

/** Calls that a thread may be in. */
const IN_NONE = 0;
const IN_FUTEX = 1;
const IN_FILE_CALL = 2;

/** Flag beside the index of its kind in the key of a named lock. */
const NAMED = 0x100;
/** Process of a lock or futex that all processes share. */
const ALL_PROCESSES = -1;

export class LockReducer extends ThreadReducer<LockChunk, LockLog> {
  readonly #events: readonly LockEvent[];
  readonly #kinds: readonly number[];
  readonly #log = new LogWriter();
  /** Kind, process, then the address's words or the number of the name: rows of the log's locks other than files. */
  readonly #identities = new TupleIndex();
  readonly #names = new TextList();
  /** Process and address. */
  readonly #futexes = new TupleIndex();
  readonly #kernelLocks = new TupleIndex();
  readonly #files: FileLocks;
  readonly #modules = new ModuleLog();
  /** Rows of the log's locks by row of `identities` and of the files' locks. */
  readonly #locks: LockName[] = [];
  readonly #rowOfIdentity: number[] = [];
  readonly #problems = new Map<string, number>();
  /** IN_NONE, IN_FUTEX or IN_FILE_CALL by thread. */
  readonly #inCall: number[] = [];

  constructor({ events }: LockSettings, kernel: KernelThreads | undefined) {
    super(kernel);
    this.#events = events;
    this.#kinds = events.map(({ kind }) => LOCK_KINDS.indexOf(kind));
    this.#files = new FileLocks(this.#log, this.#locks, this.threads, kernel);
  }

  soFar(end: number): LockLog {
    return {
      ...this.#log.toTable(),
      threads: this.#log.threads.map((thread) => ({ ...this.threads.list[thread] })),
      locks: [...this.#locks],
      futexes: addressesOf(this.#futexes),
      kernelLocks: addressesOf(this.#kernelLocks),
      modules: this.#modules.modules(),
      memories: this.#modules.memories(),
      end: Math.max(end, this.now),
      problems: {
        ...Object.fromEntries(this.#problems),
        ...(this.#files.unknownForks > 0 && { [UNKNOWN_FORK]: this.#files.unknownForks }),
      },
    };
  }

  protected override lose(cpu: number, isOfPrograms: boolean): void {
    this.#log.add(this.now, lockLog.LOSS, NO_THREAD, -1, isOfPrograms ? 1 : 0, cpu, 0);
  }

  protected event(chunk: LockChunk, i: number, at: number): void {
    const { kind, cpu, args, texts } = chunk;
    switch (kind[i]) {
      case kinds.L_USER:
      case kinds.L_USER_NAME:
        this.#user(chunk, at, cpu[i], kind[i] === kinds.L_USER_NAME);
        break;
      case kinds.L_WITHOUT_LOCK:
        this.#problem(NO_USER_THREAD);
        break;
      case kinds.L_FORK:
        this.#files.fork(this.now, args[at + 2], args[at + 1]);
        break;
      case kinds.L_PROCESS:
        this.#files.process(this.now, args[at], args[at + 1], args[at + 2]);
        break;
      case kinds.L_FILE:
        this.#files.file(this.now, args[at], args[at + 1], texts[args[at + 2]], args[at + 3], args[at + 4]);
        break;
      case kinds.L_EXEC:
      case kinds.L_EXIT:
        this.#life(kind[i], args[at], cpu[i]);
        break;
      case kinds.L_FUTEX:
      case kinds.L_CALL:
      case kinds.L_RETURN:
      case kinds.L_CONTENTION_BEGIN:
      case kinds.L_CONTENTION_END:
        this.#kernel(chunk, kind[i], at, cpu[i]);
        break;
      default:
        readModule(chunk, i, this.threads, this.#modules);
    }
  }

  #user(chunk: LockChunk, at: number, cpu: number, isNamed: boolean): void {
    const { args, mutexes } = chunk;
    const thread = this.threads.ofContext(chunk, args[at + 1], cpu, this.now);
    if (thread === NO_THREAD) {
      this.#problem(NO_USER_THREAD);
      return;
    }
    const event = this.#events[args[at]];
    const kind = this.#kinds[args[at]];
    const process = event.isShared ? ALL_PROCESSES : this.threads.processOf(thread);
    const lock = isNamed
      ? this.#lock(kind + NAMED, process, this.#names.indexOf(chunk.texts[args[at + 2]]), 0)
      : this.#lock(kind, process, args[at + 2], args[at + 3]);
    const mutex = args[at + 5];
    const other = mutex < 0 ? -1 : this.#lock(0, process, mutexes[2 * mutex], mutexes[2 * mutex + 1]);
    this.#log.add(this.now, event.op, thread, lock, other, args[at + 4], event.mode);
  }

  #lock(kind: number, process: number, low: number, high: number): number {
    const identity = this.#identities.place(kind, process, low, high);
    if (identity === this.#rowOfIdentity.length) {
      const address = kind >= NAMED ? this.#names.list[low] : addressText(low, high);
      this.#rowOfIdentity.push(this.#locks.length);
      this.#locks.push({ kind: LOCK_KINDS[kind % NAMED], process, address });
    }
    return this.#rowOfIdentity[identity];
  }

  #life(kind: number, tid: number, cpu: number): void {
    const thread = this.threads.ofKernel(tid, cpu, this.now);
    if (thread === NO_THREAD) return;
    if (kind === kinds.L_EXEC) {
      this.#files.exec(this.now, thread);
      return;
    }
    this.#log.add(this.now, lockLog.THREAD_END, thread, -1, -1, 0, 0);
    this.#files.exit(this.now, thread);
  }

  #kernel({ args, texts }: LockChunk, kind: number, at: number, cpu: number): void {
    const thread = this.threads.ofKernel(args[at], cpu, this.now);
    if (thread === NO_THREAD) {
      this.#problem(NO_KERNEL_THREAD);
      return;
    }
    switch (kind) {
      case kinds.L_FUTEX:
        this.#futex(thread, args, at);
        break;
      case kinds.L_CALL:
        this.#inCall[thread] = IN_FILE_CALL;
        this.#files.enter(this.now, thread, args, at, texts);
        break;
      case kinds.L_RETURN:
        this.#return(thread, args[at + 1], args[at + 2]);
        break;
      default: {
        const op = kind === kinds.L_CONTENTION_BEGIN ? lockLog.CONTENTION_BEGIN : lockLog.CONTENTION_END;
        const lock = this.#kernelLocks.place(ALL_PROCESSES, args[at + 1], args[at + 2], 0);
        this.#log.add(this.now, op, thread, lock, -1, args[at + 3], 0);
      }
    }
  }

  #futex(thread: number, args: Int32Array, at: number): void {
    const process = this.threads.processOf(thread);
    const place = (low: number, high: number) =>
      low === 0 && high === 0 ? -1 : this.#futexes.place(process, low, high, 0);
    const first = place(args[at + 2], args[at + 3]);
    const second = place(args[at + 4], args[at + 5]);
    this.#inCall[thread] = IN_FUTEX;
    this.#log.add(this.now, lockLog.FUTEX_ENTER, thread, first, second, args[at + 1], 0);
  }

  /** @param call as in `L_RETURN`: a call replaced by another begin does not count */
  #return(thread: number, call: number, result: number): void {
    const inCall = this.#inCall[thread] ?? IN_NONE;
    if (inCall === IN_FUTEX && (call === FUTEX_CALL || call === ANY_CALL)) {
      this.#log.add(this.now, lockLog.FUTEX_EXIT, thread, -1, -1, result, 0);
    } else if (inCall !== IN_FILE_CALL || !this.#files.leave(this.now, thread, call, result)) {
      return;
    }
    this.#inCall[thread] = IN_NONE;
  }

  #problem(reason: string): void {
    addNumber(this.#problems, reason, 1);
  }
}

function addressesOf(index: TupleIndex): LockAddress[] {
  return Array.from({ length: index.length }, (_, row) => ({
    process: index.word(row, 0),
    address: addressText(index.word(row, 1), index.word(row, 2)),
  }));
}
