/** Threads as rows of layers belong to them, and what the kernel's trace of a host says about them. */
import type { NamespaceThreads } from '../../linux/namespaces/namespace-threads.ts';
import type { ThreadRows } from '../../linux/states/reduce/kernel-tables.ts';

/** Threads of the kernel's trace of a host, in which events of user space happen. */
export interface KernelThreads {
  readonly namespaces: NamespaceThreads;
  readonly threads: ThreadRows;
  /** HostNs of its last event: behind it nobody is known to run. */
  readonly end: number;
}

export interface ThreadNumber {
  /** Thread id. -1: not known; -2 - n: the idle thread of CPU n. */
  readonly tid: number;
  /** The nested pid namespace (low 32 bits of its inode number) that `tid` is of; 0: it is the host's number. */
  readonly ns: number;
}

/** A thread in which events happened. */
export interface EventThread extends ThreadNumber {
  /** Row of the kernel's thread table; -1: the host has none, or does not know the thread. */
  readonly row: number;
  /** Process id by the kernel's trace, else as the program tells it; -1 unknown. */
  readonly pid: number;
  /** '' unknown. */
  readonly process: string;
}

/** Distinguishes threads of a host. */
export function threadKeyOf({ tid, ns }: ThreadNumber): string {
  return ns === 0 ? String(tid) : `${tid}@${ns >>> 0}`;
}
