/** Calls that lock files, and the descriptors that tell which files they are about. */
import { Descriptors, type OpenFile } from '../linux/io/descriptors.ts';
import { closesOnExec, copiesDescriptor, copiesUntilExec } from '../linux/io/io-calls.ts';
import { ANY_CALL, FILE_CALLS } from './kernel-calls.ts';
import * as l from './lock-log.ts';
import type { LockName } from './lock-log.ts';
import type { LogWriter } from './log-writer.ts';

/** Commands of fcntl that lock: F_SETLK and F_OFD_SETLK do not wait, F_SETLKW and F_OFD_SETLKW do. */
const TRIES: ReadonlySet<number> = new Set([6, 37]);
const WAITS: ReadonlySet<number> = new Set([7, 38]);

const NO_LOCK = -1;

/** The call that a thread is in. */
interface Call {
  /** Index in `FILE_CALLS`. */
  readonly call: number;
  readonly fd: number;
  readonly newFd: number;
  /** Command or flags. */
  readonly cmd: number;
  readonly path: string;
  /** What the descriptor meant when the call began. */
  readonly file: OpenFile | undefined;
  /** Row of the file's lock, where the call locks; NO_LOCK: it does not. */
  readonly lock: number;
}

export class FileLocks {
  readonly #log: LogWriter;
  readonly #locks: LockName[];
  readonly #processOf: (thread: number) => number;
  readonly #descriptors = new Descriptors();
  /** By path: rows of the locks. */
  readonly #lockOfPath = new Map<string, number>();
  /** By thread. */
  readonly #calls: (Call | undefined)[] = [];
  /** Processes by the kernel's address of their table of files, and files of tables of which no process is known yet. */
  readonly #processes = new Map<number, number[]>();
  readonly #waiting = new Map<number, [fd: number, file: OpenFile][]>();

  /** @param locks of the log: those of files are added */
  constructor(log: LogWriter, locks: LockName[], processOf: (thread: number) => number) {
    this.#log = log;
    this.#locks = locks;
    this.#processOf = processOf;
  }

  /** A thread of the parent is not told apart from a process that shares its table: it has the parent's pid. */
  fork(parent: number, child: number): void {
    if (parent >= 0 && child >= 0 && parent !== child) this.#descriptors.fork(parent, child);
  }

  /** A state dump tells the address of a process's table of files (low and high words). */
  process(pid: number, low: number, high: number): void {
    const table = tableOf(low, high);
    const known = this.#processes.get(table) ?? [];
    if (table === 0 || known.includes(pid)) return;
    this.#processes.set(table, [...known, pid]);
    for (const [fd, file] of this.#waiting.get(table) ?? []) this.#descriptors.open(pid, fd, file);
    this.#waiting.delete(table);
  }

  /** A state dump tells a file of a process, or of a table of files. */
  file(pid: number, fd: number, path: string | undefined, low: number, high: number): void {
    if (path === undefined) return;
    const file = { path, closesOnExec: false };
    const table = tableOf(low, high);
    const pids = table === 0 ? [pid] : this.#processes.get(table);
    if (pids === undefined) {
      const waiting = this.#waiting.get(table);
      if (waiting === undefined) this.#waiting.set(table, [[fd, file]]);
      else waiting.push([fd, file]);
    }
    for (const known of pids ?? []) if (known >= 0) this.#descriptors.open(known, fd, file);
  }

  /** A thread begins a call; `args` as in `L_CALL`, from `at` on. */
  enter(time: number, thread: number, args: Int32Array, at: number, texts: readonly string[]): void {
    const [call, fd, newFd, cmd] = args.subarray(at + 1, at + 5);
    const pid = this.#processOf(thread);
    const file = this.#descriptors.at(pid, fd);
    const name = FILE_CALLS[call];
    const waits = WAITS.has(cmd);
    const isFcntl = name.startsWith('fcntl') && (waits || TRIES.has(cmd));
    const lock = name === 'flock' || isFcntl ? this.#lockOf(file?.path ?? `fd ${fd} of ${pid}`) : NO_LOCK;
    const path = texts[args[at + 5]] ?? '';
    this.#calls[thread] = { call, fd, newFd, cmd, path, file, lock };
    if (name === 'flock') this.#log.add(time, l.FLOCK_ENTER, thread, lock, -1, cmd, 0);
    else if (isFcntl) this.#log.add(time, l.FCNTL_ENTER, thread, lock, -1, waits ? 1 : 0, 0);
    else if (name === 'close' && file !== undefined) this.#closes(time, thread, file);
  }

  /**
   * A thread's call returns. False: it is another call than the one that it began.
   * @param call as in `L_RETURN`
   */
  leave(time: number, thread: number, call: number, result: number): boolean {
    const begun = this.#calls[thread];
    if (begun === undefined || (call !== begun.call && call !== ANY_CALL)) return false;
    this.#calls[thread] = undefined;
    const name = FILE_CALLS[begun.call];
    if (begun.lock !== NO_LOCK) this.#log.add(time, l.FILE_EXIT, thread, -1, -1, result, 0);
    else if (name === 'close') this.#descriptors.close(this.#processOf(thread), begun.fd);
    else if (result >= 0) this.#done(time, thread, name, begun, result);
    return true;
  }

  /** A call that changes descriptors has succeeded. */
  #done(
    time: number,
    thread: number,
    name: string,
    { fd, newFd, cmd, path, file }: Call,
    result: number,
  ): void {
    const pid = this.#processOf(thread);
    const files = this.#descriptors;
    const onClosed = (closed: OpenFile) => this.#closes(time, thread, closed);
    if (name === 'close_range') files.closeRange(pid, fd, newFd, cmd, onClosed);
    else if (name.startsWith('exec')) files.exec(pid, onClosed);
    else if (name.startsWith('dup')) files.copy(pid, file, result, name === 'dup3' && closesOnExec(cmd));
    else if (!name.startsWith('fcntl')) files.open(pid, result, { path, closesOnExec: closesOnExec(cmd) });
    else if (copiesDescriptor(cmd)) files.copy(pid, file, result, copiesUntilExec(cmd));
  }

  /** Only of files that somebody locked: descriptors are closed all the time. */
  #closes(time: number, thread: number, { path }: OpenFile): void {
    const lock = this.#lockOfPath.get(path);
    if (lock !== undefined) this.#log.add(time, l.FILE_CLOSE, thread, lock, -1, 0, 0);
  }

  #lockOf(path: string): number {
    const lock =
      this.#lockOfPath.get(path) ?? this.#locks.push({ kind: 'file', process: -1, address: path }) - 1;
    this.#lockOfPath.set(path, lock);
    return lock;
  }
}

/** An address as a number: those of the kernel differ in their lower 53 bits. 0: not told. */
function tableOf(low: number, high: number): number {
  return (low >>> 0) + (high & 0x1f_ffff) * 0x1_0000_0000;
}
