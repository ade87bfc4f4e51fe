/** Threads of events: by contexts and CPUs, and by the kernel's trace. */
import { firstWhere } from '../../base/lower-bound.ts';
import { createIntIndex, findInt, putInt } from '../../analysis/compiled/int-index.ts';
import { nestedNamespace } from '../../linux/namespaces/facts.ts';
import { type NamespaceThreads, NOBODY_KNOWN } from '../../linux/namespaces/namespace-threads.ts';
import type { ThreadRows } from '../../linux/states/reduce/kernel-tables.ts';
import type { EventContexts } from './event-mapper.ts';

/** Threads in a host's kernel trace, in which user-space events happen. */
export interface KernelThreads {
  readonly namespaces: NamespaceThreads;
  readonly threads: ThreadRows;
  /** HostNs of its last event, after which nobody is known to run. */
  readonly end: number;
}

export interface ThreadNumber {
  /** Thread id. -1: not known; -2 - n: the idle thread of CPU n. */
  readonly tid: number;
  /** Nested pid namespace (low 32 bits of its inode number) of `tid`; 0: `tid` is the host's number. */
  readonly ns: number;
}

/** A thread in which events happened. */
export interface EventThread extends ThreadNumber {
  /** Row of the kernel's thread table; -1: there is none, or the thread is not in it. */
  readonly row: number;
  /** Process id by the kernel's trace, else by the program; -1: not known. */
  readonly pid: number;
  /** '': not known. */
  readonly process: string;
}

/** Distinguishes threads of a host. */
export function threadKeyOf({ tid, ns }: ThreadNumber): string {
  return ns === 0 ? String(tid) : `${tid}@${ns >>> 0}`;
}

/** No thread is known. */
export const NO_THREAD = -1;

/** Life of a host's thread number at the present time. */
interface Life {
  thread: number;
  /** HostNs at which another life of the number begins; Infinity: never. */
  until: number;
}

export class EventThreads {
  /** Threads in order of their first event of any kind. */
  readonly list: { -readonly [Key in keyof EventThread]: EventThread[Key] }[] = [];
  readonly #kernel: KernelThreads | undefined;
  /** Rows of the kernel's table in order of tid, then of the begin of their lives. */
  readonly #rows: Int32Array;
  /** Index in `#lives` by tid. */
  readonly #index = createIntIndex(256);
  readonly #lives: Life[] = [];
  /** Index in `list` by row of the kernel's table. */
  readonly #threadOfRow: Int32Array;
  /** Threads that are not in the kernel's trace: `tid ns`. */
  readonly #unknown = new Map<string, number>();
  /** Tid that runs by CPU, as far as switches show. */
  readonly #running = new Map<number, number>();

  constructor(kernel: KernelThreads | undefined) {
    this.#kernel = kernel;
    this.#rows = kernel === undefined ? new Int32Array(0) : rowsByTid(kernel.threads);
    this.#threadOfRow = new Int32Array(kernel?.threads.length ?? 0).fill(NO_THREAD);
  }

  /** Sets who runs on a CPU from now on; -1: not known. */
  switchTo(cpu: number, tid: number): void {
    this.#running.set(cpu, tid);
  }

  /** Thread of a kernel event; NO_THREAD: not known, or idle. */
  ofKernel(tid: number, cpu: number, time: number): number {
    const known = tid < 0 ? (this.#running.get(cpu) ?? 0) : tid;
    return known > 0 ? this.#ofTid(known, time) : NO_THREAD;
  }

  /** Thread of a program's event: by its number, else the one that runs, up to the end of the kernel's trace. */
  ofContext({ contexts, texts }: EventContexts, context: number, cpu: number, time: number): number {
    const vtid = contexts.vtid[context];
    const ns = contexts.namespace[context];
    const kernel = this.#kernel;
    const running = kernel === undefined || time <= kernel.end ? (this.#running.get(cpu) ?? -1) : -1;
    const tid = vtid < 0 ? running : (kernel?.namespaces.tidOf(vtid, ns, time, running) ?? NOBODY_KNOWN);
    if (vtid < 0 && tid <= 0) return NO_THREAD;
    const nested = tid === NOBODY_KNOWN ? nestedNamespace(ns) : 0;
    const thread =
      nested === 0 ? this.#ofTid(tid === NOBODY_KNOWN ? vtid : tid, time) : this.#ofNumber(vtid, nested);
    const known = this.list[thread];
    if (known.pid < 0) known.pid = contexts.vpid[context];
    if (known.process === '') known.process = texts[contexts.process[context]] ?? '';
    return thread;
  }

  /** Process of a thread; its own number if not known. */
  processOf(thread: number): number {
    const { pid, tid } = this.list[thread];
    return pid >= 0 ? pid : tid;
  }

  /** Thread of the host with this number; of several the one that lives at `time`, which never goes back. */
  #ofTid(tid: number, time: number): number {
    const place = findInt(this.#index, tid);
    if (place >= 0 && time < this.#lives[place].until) return this.#lives[place].thread;
    const life = this.#lifeAt(tid, time);
    if (place >= 0) this.#lives[place] = life;
    else putInt(this.#index, tid, this.#lives.push(life) - 1);
    return life.thread;
  }

  #lifeAt(tid: number, time: number): Life {
    const threads = this.#kernel?.threads;
    const rows = this.#rows;
    if (threads === undefined) return { thread: this.#ofNumber(tid, 0), until: Infinity };
    const first = firstWhere(0, rows.length, (i) => threads.tid[rows[i]] >= tid);
    const end = firstWhere(first, rows.length, (i) => threads.tid[rows[i]] > tid);
    if (first === end) return { thread: this.#ofNumber(tid, 0), until: Infinity };
    const next = Math.max(
      first + 1,
      firstWhere(first, end, (i) => threads.first[rows[i]] > time),
    );
    return {
      thread: this.#ofRow(threads, rows[next - 1]),
      until: next < end ? threads.first[rows[next]] : Infinity,
    };
  }

  #ofRow(threads: ThreadRows, row: number): number {
    if (this.#threadOfRow[row] === NO_THREAD) {
      this.#threadOfRow[row] = this.list.length;
      this.list.push({ row, tid: threads.tid[row], ns: 0, pid: threads.pid[row], process: '' });
    }
    return this.#threadOfRow[row];
  }

  #ofNumber(tid: number, ns: number): number {
    const key = `${tid} ${ns}`;
    let thread = this.#unknown.get(key);
    if (thread === undefined) {
      thread = this.list.push({ row: -1, tid, ns, pid: -1, process: '' }) - 1;
      this.#unknown.set(key, thread);
    }
    return thread;
  }
}

/** Rows of the kernel's table in order of tid and begin, without the idle threads. */
function rowsByTid({ length, tid, first, idleCpu }: ThreadRows): Int32Array {
  const rows = Int32Array.from({ length }, (_, row) => row);
  return rows
    .filter((row) => idleCpu[row] < 0)
    .sort((a, b) => tid[a] - tid[b] || first[a] - first[b] || a - b);
}
