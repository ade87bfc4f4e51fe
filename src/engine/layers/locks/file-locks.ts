/** Calls that lock files, and the descriptors that identify their open file descriptions. */
import { Descriptors, type OpenFile } from '../../linux/sums/io/descriptors.ts';
import { closesOnExec, copiesDescriptor, copiesUntilExec, setsFlags } from '../../linux/sums/io/io-calls.ts';
import { rowNumbers } from '../../base/columns.ts';
import { groupBy } from '../../base/group-by.ts';
import type { EventThread, EventThreads, KernelThreads } from '../contract/event-threads.ts';
import { ANY_CALL, FILE_CALLS } from './kernel-calls.ts';
import * as lockLog from './lock-log.ts';
import type { LockName, LogWriter } from './lock-log.ts';

/** Commands of fcntl that lock: F_SETLK and F_OFD_SETLK do not wait, F_SETLKW and F_OFD_SETLKW do. */
const TRIES: ReadonlySet<number> = new Set([6, 37]);
const WAITS: ReadonlySet<number> = new Set([7, 38]);
/** Commands with which the open file description owns the lock, not the process. */
const OF_DESCRIPTION: ReadonlySet<number> = new Set([37, 38]);
/** Flag of a descriptor that F_SETFD sets. */
const FD_CLOEXEC = 1;

/** Processes that share one table of files: only a trace made for it has more. */
const MOST_SHARING = 64;

const NO_LOCK = -1;

/** Roles of calls: their effect on descriptors of the process, or on files. */
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
/** dup and dup2 have no flags; the argument in that place means nothing for them. */
const DUP3 = FILE_CALLS.indexOf('dup3');

/** The call that a thread is in; one object is reused for all of its calls. */
interface Call {
  /** Index in `FILE_CALLS`, -1: none. */
  call: number;
  fd: number;
  newFd: number;
  /** Command or flags. */
  cmd: number;
  path: string;
  /** File of the descriptor when the call began. */
  file: Description | undefined;
  /** Row of the file's lock if the call locks; NO_LOCK: it does not. */
  lock: number;
}

interface Description extends OpenFile {
  /** Numbers of its descriptors by process. */
  readonly uses: Map<number, number>;
  /** Its number in the log, -1: no call has locked through it. */
  number: number;
}

export class FileLocks {
  readonly #log: LogWriter;
  readonly #locks: LockName[];
  readonly #threads: EventThreads;
  readonly #endsProcess: ReturnType<typeof processEnds>;
  readonly #descriptors = new Descriptors<Description>((pid, file, by) => this.#change(pid, file, by));
  /** Rows of the locks by path. */
  readonly #lockOfPath = new Map<string, number>();
  /** Calls by thread. */
  readonly #calls: (Call | undefined)[] = [];
  /** Processes by the kernel's address of their file table, and paths of tables whose process is not known yet. */
  readonly #processes = new Map<number, number[]>();
  readonly #waiting = new Map<number, [fd: number, path: string][]>();
  #descriptions = 0;
  /** HostNs and thread of the present event, and whether it ends a process. */
  #now = -Infinity;
  #thread = -1;
  #isEnd = false;

  /** @param locks of the log; those of files are added @param kernel undefined: the host has no kernel trace */
  constructor(log: LogWriter, locks: LockName[], threads: EventThreads, kernel: KernelThreads | undefined) {
    this.#log = log;
    this.#locks = locks;
    this.#threads = threads;
    this.#endsProcess = processEnds(kernel);
  }

  /** Notes a fork. A thread of the parent and a process that shares its table look alike: both have the parent's pid. */
  fork(time: number, parent: number, child: number): void {
    if (parent < 0 || child < 0 || parent === child) return;
    // Files of another process with this number are gone.
    this.#at(time, -1, true);
    this.#descriptors.fork(parent, child);
  }

  /** Number of forks after which the child's descriptors are not known. */
  get unknownForks(): number {
    return this.#descriptors.unknownForks;
  }

  /** Notes that a thread's process runs another program. */
  exec(time: number, thread: number): void {
    this.#at(time, thread);
    this.#descriptors.exec(this.#threads.processOf(thread));
  }

  /** Notes the end of a thread; with the last one its process ends. */
  exit(time: number, thread: number): void {
    if (!this.#endsProcess(this.#threads.list[thread], time)) return;
    this.#at(time, thread, true);
    this.#descriptors.end(this.#threads.processOf(thread));
  }

  /** Notes a process's file table, whose address a state dump gives (low and high words). */
  process(time: number, pid: number, low: number, high: number): void {
    const table = tableOf(low, high);
    const known = this.#processes.get(table) ?? [];
    if (table === 0 || known.length === MOST_SHARING || known.includes(pid)) return;
    this.#processes.set(table, [...known, pid]);
    for (const [fd, path] of this.#waiting.get(table) ?? []) this.#dumped(time, pid, fd, path);
    this.#waiting.delete(table);
  }

  /** Notes a file of a process, or of a file table, from a state dump. */
  file(time: number, pid: number, fd: number, path: string | undefined, low: number, high: number): void {
    if (path === undefined) return;
    const table = tableOf(low, high);
    const pids = table === 0 ? [pid] : this.#processes.get(table);
    if (pids === undefined) {
      const waiting = this.#waiting.get(table);
      if (waiting === undefined) this.#waiting.set(table, [[fd, path]]);
      else waiting.push([fd, path]);
    }
    for (const known of pids ?? []) if (known >= 0) this.#dumped(time, known, fd, path);
  }

  /** Notes a file from the dump, which does not tell which descriptors share a description; known ones stay. */
  #dumped(time: number, pid: number, fd: number, path: string): void {
    this.#at(time, -1);
    if (this.#descriptors.at(pid, fd)?.path !== path) this.#descriptors.open(pid, fd, described(path), false);
  }

  /** Begins a call of a thread; `args` as in `L_CALL`, from `at` on. */
  enter(time: number, thread: number, args: Int32Array, at: number, texts: readonly string[]): void {
    const begun = (this.#calls[thread] ??= noCall());
    const fd = args[at + 2];
    const cmd = args[at + 4];
    const pid = this.#threads.processOf(thread);
    this.#at(time, thread);
    begun.call = args[at + 1];
    begun.fd = fd;
    begun.newFd = args[at + 3];
    begun.cmd = cmd;
    begun.path = texts[args[at + 5]] ?? '';
    begun.file = this.#descriptors.at(pid, fd);
    begun.lock = NO_LOCK;
    const role = ROLES[begun.call];
    if (role === CLOSES) this.#descriptors.close(pid, fd);
    const waits = WAITS.has(cmd);
    if (role !== LOCKS && !(role === CONTROLS && (waits || TRIES.has(cmd)))) return;
    const file = (begun.file ??= this.#opened(pid, fd));
    begun.lock = this.#lockOf(file.path);
    const isOfDescription = role === LOCKS || OF_DESCRIPTION.has(cmd);
    if (isOfDescription && file.number < 0) file.number = this.#descriptions++;
    const owner = isOfDescription ? file.number : -1;
    if (role === LOCKS) this.#log.add(time, lockLog.FLOCK_ENTER, thread, begun.lock, owner, cmd, 0);
    else this.#log.add(time, lockLog.FCNTL_ENTER, thread, begun.lock, owner, waits ? 1 : 0, 0);
  }

  /** Description of a file that was open before the trace began. */
  #opened(pid: number, fd: number): Description {
    const file = described(`fd ${fd} of ${pid}`);
    this.#descriptors.open(pid, fd, file, false);
    return file;
  }

  /** Ends a thread's call (as in `L_RETURN`). False: it is another call than the one that began. */
  leave(time: number, thread: number, call: number, result: number): boolean {
    const begun = this.#calls[thread];
    if (begun === undefined || begun.call < 0 || (call !== begun.call && call !== ANY_CALL)) return false;
    this.#at(time, thread);
    if (begun.lock !== NO_LOCK) this.#log.add(time, lockLog.FILE_EXIT, thread, -1, -1, result, 0);
    else if (result >= 0) this.#done(thread, begun, result);
    begun.call = -1;
    return true;
  }

  /** Applies a successful call that changes descriptors. */
  #done(thread: number, { call, fd, newFd, cmd, path, file }: Call, result: number): void {
    const pid = this.#threads.processOf(thread);
    const files = this.#descriptors;
    switch (ROLES[call]) {
      case OPENS:
        files.open(pid, result, described(path), closesOnExec(cmd));
        break;
      case COPIES:
        if (result !== fd) files.copy(pid, file, result, call === DUP3 && closesOnExec(cmd));
        break;
      case CONTROLS:
        if (copiesDescriptor(cmd)) files.copy(pid, file, result, copiesUntilExec(cmd));
        else if (setsFlags(cmd)) files.mark(pid, fd, (newFd & FD_CLOEXEC) !== 0);
        break;
      case CLOSES_RANGE:
        files.closeRange(pid, fd, newFd, cmd);
        break;
      case RUNS:
        files.exec(pid);
        break;
    }
  }

  #at(time: number, thread: number, isEnd = false): void {
    this.#now = time;
    this.#thread = thread;
    this.#isEnd = isEnd;
  }

  /** Changes a process's number of descriptors of a file. It matters only for files that were locked. */
  #change(pid: number, file: Description, by: number): void {
    const left = (file.uses.get(pid) ?? 0) + by;
    if (left > 0) file.uses.set(pid, left);
    else file.uses.delete(pid);
    const lock = this.#lockOfPath.get(file.path);
    if (by > 0 || lock === undefined) return;
    if (!this.#isEnd && this.#thread >= 0)
      this.#log.add(this.#now, lockLog.FILE_CLOSE, this.#thread, lock, -1, 0, 0);
    if (left > 0 || file.number < 0) return;
    let keeper = Infinity;
    for (const user of file.uses.keys()) keeper = Math.min(keeper, user);
    // Locks that end with their process are released by nobody.
    if (keeper === Infinity && this.#isEnd) return;
    const thread = keeper === Infinity ? -1 : this.#threads.ofKernel(keeper, -1, this.#now);
    this.#log.add(this.#now, lockLog.FILE_LEFT, thread, lock, file.number, pid, 0);
  }

  #lockOf(path: string): number {
    const lock =
      this.#lockOfPath.get(path) ?? this.#locks.push({ kind: 'file', process: -1, address: path }) - 1;
    this.#lockOfPath.set(path, lock);
    return lock;
  }
}

/** Address as a number: kernel addresses differ in their lower 53 bits. 0: not known. */
function tableOf(low: number, high: number): number {
  return (low >>> 0) + (high & 0x1f_ffff) * 0x1_0000_0000;
}

function noCall(): Call {
  return { call: -1, fd: -1, newFd: -1, cmd: -1, path: '', file: undefined, lock: NO_LOCK };
}

function described(path: string): Description {
  return { path, uses: new Map(), number: -1 };
}

/** Tells for each ending thread whether no other thread of its process lives. */
function processEnds(kernel: KernelThreads | undefined): (thread: EventThread, time: number) => boolean {
  const ended = new Set<number>();
  const rows = rowNumbers(0, kernel?.threads.length ?? 0);
  const rowsOfProcess = groupBy(rows, (row) => kernel?.threads.pid[row] ?? -1);
  return ({ row, pid }, time) => {
    const threads = kernel?.threads;
    if (row < 0 || threads === undefined) return false;
    ended.add(row);
    const lives = (other: number) =>
      !ended.has(other) && threads.first[other] <= time && !(threads.ended[other] <= time);
    return !(rowsOfProcess.get(pid) ?? []).some(lives);
  };
}
