/** Files of calls' descriptors over time, from calls, forks and dumps. */
import { Descriptors, type OpenFile } from './descriptors.ts';
import type { IoCalls } from './io-calls-joined.ts';
import { closesOnExec, copiesDescriptor, copiesUntilExec, pathOfMade, roleOf } from './io-calls.ts';
import * as ioChunk from './io-chunk.ts';

/** A fact of a part, with its text. */
export interface IoFact {
  readonly time: number;
  readonly kind: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  readonly wide: number;
  readonly text: string | undefined;
}

/** Facts, and begins and ends of calls, are applied in order of time. */
export class FileTables {
  readonly #pidOfTid = new Map<number, number>();
  /** Process of a thread; its own tid if not known. Does not keep the other tables in memory. */
  readonly processOf = processIn(this.#pidOfTid);
  /** Process of a table of files, by the kernel's address of the table. */
  readonly #pidOfFiles = new Map<number, number>();
  readonly #files = new Descriptors();
  readonly #calls: IoCalls;
  /** Row of the latest call that began, by thread. */
  readonly #begun = new Map<number, number>();
  /** Files of descriptors at the begin of a call, by call, as other threads may close them meanwhile. */
  readonly #meant: Readonly<Record<'fd' | 'fd2', (OpenFile | undefined)[]>>;

  /** @param facts all of the host, as the process of a table may follow its files */
  constructor(facts: readonly IoFact[], calls: IoCalls) {
    this.#calls = calls;
    const { length } = calls.thread;
    this.#meant = { fd: new Array<undefined>(length), fd2: new Array<undefined>(length) };
    for (const { kind, a: tid, b: pid, wide: files } of facts) {
      if (kind === ioChunk.FACT_PROCESS && files !== 0 && !this.#pidOfFiles.has(files))
        this.#pidOfFiles.set(files, pid < 0 ? tid : pid);
    }
  }

  /** Path of a descriptor of a thread now; undefined when not known. */
  pathAt(tid: number, fd: number): string | undefined {
    return this.#files.at(this.processOf(tid), fd)?.path;
  }

  /** Path of a descriptor of a call that ends; undefined when not known. */
  pathOf(row: number, which: 'fd' | 'fd2'): string | undefined {
    return this.#fileOf(row, which)?.path;
  }

  /** File of a call's descriptor; a state dump may give it only after the call began. */
  #fileOf(row: number, which: 'fd' | 'fd2'): OpenFile | undefined {
    const { thread, [which]: descriptors } = this.#calls;
    const begun = this.#begun.get(thread[row]);
    const meant = begun === undefined ? undefined : this.#meant[which][begun];
    return meant ?? this.#files.at(this.processOf(thread[row]), descriptors[row]);
  }

  applyFact({ kind, a, b, c, wide, text }: IoFact): void {
    if (kind === ioChunk.FACT_PROCESS && b >= 0) {
      this.#pidOfTid.set(a, b);
    } else if (kind === ioChunk.FACT_FORK && b >= 0) {
      this.#pidOfTid.set(a, b);
      // Threads of one process share its table; whether processes do (CLONE_FILES) is not known: assume not.
      if (b !== c) this.#files.fork(c, b);
    } else if (kind === ioChunk.FACT_FILE && text !== undefined) {
      const pid = wide === 0 ? a : this.#pidOfFiles.get(wide);
      if (pid !== undefined && pid >= 0) this.#files.open(pid, b, { path: text }, false);
    }
  }

  /**
   * Begins a call that will end. A descriptor that it closes is free at once: its number may be reused by another
   * thread before the call ends. Even a failing close closes, unless the descriptor was not open.
   */
  beginCall(row: number): void {
    const { thread, call, fd, fd2, flags, ret } = this.#calls;
    const pid = this.processOf(thread[row]);
    this.#begun.set(thread[row], row);
    this.#meant.fd[row] = this.#files.at(pid, fd[row]);
    this.#meant.fd2[row] = this.#files.at(pid, fd2[row]);
    const role = roleOf(call[row]);
    if (role === 'close') this.#files.close(pid, fd[row]);
    else if (role === 'close-range' && fd[row] >= 0 && ret[row] >= 0)
      this.#files.closeRange(pid, fd[row], fd2[row], flags[row]);
  }

  /** Ends a call: its results exist from then on. */
  endCall(row: number): void {
    const calls = this.#calls;
    const [tid, call, flags, ret] = [calls.thread[row], calls.call[row], calls.flags[row], calls.ret[row]];
    if (tid < 0 || !(ret >= 0)) return;
    const pid = this.processOf(tid);
    switch (roleOf(call)) {
      case 'open': {
        // LTTng gives an empty path if it could not read the caller's page.
        const path = calls.paths[calls.path[row]] || 'unknown';
        this.#files.open(pid, ret, { path }, closesOnExec(flags));
        break;
      }
      case 'make':
        this.#make(pid, call, flags, ret);
        break;
      case 'pair':
        // Old tracers give only an address, at the entry.
        if (calls.fd2[row] < 0) break;
        this.#make(pid, call, flags, calls.fd[row]);
        this.#make(pid, call, flags, calls.fd2[row]);
        break;
      case 'fcntl':
        if (copiesDescriptor(flags))
          this.#files.copy(pid, this.#fileOf(row, 'fd'), ret, copiesUntilExec(flags));
        break;
      case 'copy':
        this.#files.copy(pid, this.#fileOf(row, 'fd'), ret, closesOnExec(flags));
        break;
      case 'exec':
        this.#files.exec(pid);
        break;
    }
  }

  #make(pid: number, call: number, flags: number, fd: number): void {
    this.#files.open(pid, fd, { path: pathOfMade(call) }, closesOnExec(flags));
  }
}

function processIn(pidOfTid: ReadonlyMap<number, number>): (tid: number) => number {
  return (tid) => pidOfTid.get(tid) ?? tid;
}
