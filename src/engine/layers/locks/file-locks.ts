/** Calls that lock files, and the descriptors that tell which files they are about. */
import { Descriptors, type OpenFile } from '../../linux/sums/io/descriptors.ts';
import { closesOnExec, copiesDescriptor, copiesUntilExec } from '../../linux/sums/io/io-calls.ts';
import { ANY_CALL, FILE_CALLS } from './kernel-calls.ts';
import * as l from './lock-log.ts';
import type { LockName, LogWriter } from './lock-log.ts';

/** Commands of fcntl that lock: F_SETLK and F_OFD_SETLK do not wait, F_SETLKW and F_OFD_SETLKW do. */
const TRIES: ReadonlySet<number> = new Set([6, 37]);
const WAITS: ReadonlySet<number> = new Set([7, 38]);

const NO_LOCK = -1;

/** Roles of calls: what they do to the descriptors of their process, or to files. */
const LOCKS = 0;
const CONTROLS = 1;
const CLOSES = 2;
const CLOSES_RANGE = 3;
const COPIES = 4;
const RUNS = 5;
const OPENS = 6;

/** Roles by index in `FILE_CALLS`. */
const ROLES = Uint8Array.from(FILE_CALLS, (name) => {
  if (name === 'flock') return LOCKS;
  if (name.startsWith('fcntl')) return CONTROLS;
  if (name === 'close') return CLOSES;
  if (name === 'close_range') return CLOSES_RANGE;
  if (name.startsWith('dup')) return COPIES;
  return name.startsWith('exec') ? RUNS : OPENS;
});
/** dup and dup2 have no flags: what another call would have in their place means nothing. */
const DUP3 = FILE_CALLS.indexOf('dup3');

/** The call that a thread is in: one object for all of its calls, which are many. */
interface Call {
  /** Index in `FILE_CALLS`, -1: none. */
  call: number;
  fd: number;
  newFd: number;
  /** Command or flags. */
  cmd: number;
  path: string;
  /** File that the descriptor meant when the call began. */
  file: OpenFile | undefined;
  /** Row of the file's lock, where the call locks; NO_LOCK: it does not. */
  lock: number;
}

export class FileLocks {
  readonly #log: LogWriter;
  readonly #locks: LockName[];
  readonly #processOf: (thread: number) => number;
  readonly #descriptors = new Descriptors();
  /** Rows of the locks by path. */
  readonly #lockOfPath = new Map<string, number>();
  /** Calls by thread. */
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
    const begun = (this.#calls[thread] ??= noCall());
    const fd = args[at + 2];
    const cmd = args[at + 4];
    const pid = this.#processOf(thread);
    const file = this.#descriptors.at(pid, fd);
    begun.call = args[at + 1];
    begun.fd = fd;
    begun.newFd = args[at + 3];
    begun.cmd = cmd;
    begun.path = texts[args[at + 5]] ?? '';
    begun.file = file;
    begun.lock = NO_LOCK;
    const role = ROLES[begun.call];
    if (role === CLOSES && file !== undefined) this.#closes(time, thread, file);
    const waits = WAITS.has(cmd);
    if (role !== LOCKS && !(role === CONTROLS && (waits || TRIES.has(cmd)))) return;
    begun.lock = this.#lockOf(file?.path ?? `fd ${fd} of ${pid}`);
    if (role === LOCKS) this.#log.add(time, l.FLOCK_ENTER, thread, begun.lock, -1, cmd, 0);
    else this.#log.add(time, l.FCNTL_ENTER, thread, begun.lock, -1, waits ? 1 : 0, 0);
  }

  /**
   * A thread's call returns. False: it is another call than the one that it began.
   * @param call as in `L_RETURN`
   */
  leave(time: number, thread: number, call: number, result: number): boolean {
    const begun = this.#calls[thread];
    if (begun === undefined || begun.call < 0 || (call !== begun.call && call !== ANY_CALL)) return false;
    if (begun.lock !== NO_LOCK) this.#log.add(time, l.FILE_EXIT, thread, -1, -1, result, 0);
    else if (ROLES[begun.call] === CLOSES) this.#descriptors.close(this.#processOf(thread), begun.fd);
    else if (result >= 0) this.#done(time, thread, begun, result);
    begun.call = -1;
    return true;
  }

  /** A call that changes descriptors has succeeded. */
  #done(time: number, thread: number, { call, fd, newFd, cmd, path, file }: Call, result: number): void {
    const pid = this.#processOf(thread);
    const files = this.#descriptors;
    switch (ROLES[call]) {
      case OPENS:
        files.open(pid, result, { path, closesOnExec: closesOnExec(cmd) });
        break;
      case COPIES:
        files.copy(pid, file, result, call === DUP3 && closesOnExec(cmd));
        break;
      case CONTROLS:
        if (copiesDescriptor(cmd)) files.copy(pid, file, result, copiesUntilExec(cmd));
        break;
      case CLOSES_RANGE:
        files.closeRange(pid, fd, newFd, cmd, (closed) => this.#closes(time, thread, closed));
        break;
      case RUNS:
        files.exec(pid, (closed) => this.#closes(time, thread, closed));
        break;
    }
  }

  /** Adds the close of a file that somebody locked: descriptors are closed all the time. */
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

function noCall(): Call {
  return { call: -1, fd: -1, newFd: -1, cmd: -1, path: '', file: undefined, lock: NO_LOCK };
}
