/** Threads in answers: their rows by id, `thread:HOST:KEY`, and their labels, with the tid where names are shared. */
import type { StateTables, ThreadRows } from '../../linux/states/reduce/kernel-tables.ts';
import { type HostHistory, isKernelHost, type KernelHost } from './host.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { threadKey } from '../../linux/states/reduce/thread-table.ts';

/** The host of a row as a list; empty: no host. */
export function hostsOfRow(hosts: readonly HostHistory[], row: string): readonly HostHistory[] {
  const index = Number(row.split(':')[1]);
  return hosts.filter((host) => host.index === index);
}

/** Row in the host's thread table; -1: the row is no thread. */
export function threadOfRow(host: HostHistory, row: string): number {
  const [kind, , key = ''] = row.split(':');
  return kind === 'thread' && isKernelHost(host) ? threadOfKey(host.tables, key) : -1;
}

/** Row of the thread table for '1234' or '1234#2', -1: none. */
export function threadOfKey(tables: StateTables, key: string): number {
  const [tid, incarnation = '1'] = key.split('#').map(Number);
  const { threads } = tables;
  for (let i = 0; i < threads.length; i++) {
    if (threads.tid[i] === tid && threads.incarnation[i] === Number(incarnation) && tid !== 0) return i;
  }
  return -1;
}

type HostThreads = Pick<KernelHost, 'index' | 'tables'>;

export function threadRow({ index, tables }: HostThreads, thread: number): string {
  return `thread:${index}:${threadKey(tables.threads, thread)}`;
}

/** A thread of the tables as answers have it. */
export function threadOf(host: HostThreads, thread: number) {
  const { name, tid, pid } = host.tables.threads;
  const row = threadRow(host, thread);
  return { row, name: name[thread], tid: tid[thread], pid: pid[thread], host: host.index };
}

/** The host of a row, by the row's id: `KIND:HOST:…`. */
export function hostOfRow(row: string): number {
  return Number(row.split(':')[1]);
}

/** Names that more than one thread has. */
export type SharedNames = ReadonlySet<string>;

/** Names of a host's threads, with whether several threads share each. */
const namesOf = cachedByKey(({ length, name, idleCpu }: ThreadRows) => {
  const seen = new Map<string, boolean>();
  for (let i = 0; i < length; i++) if (idleCpu[i] < 0) seen.set(name[i], seen.has(name[i]));
  return seen;
});

/** Names that several threads share, of these hosts or of `others` without a table; each life of a tid is a thread. */
export function sharedNames(
  hosts: readonly { readonly tables?: { readonly threads: ThreadRows } }[],
  others: readonly string[] = [],
): SharedNames {
  const seen = new Set<string>();
  const shared = new Set<string>();
  const add = (name: string, isShared: boolean): void => {
    if (isShared || seen.has(name)) shared.add(name);
    seen.add(name);
  };
  for (const { tables } of hosts)
    if (tables !== undefined) namesOf(tables.threads).forEach((is, name) => add(name, is));
  for (const name of others) add(name, false);
  return shared;
}

/** "fight-2"; "apache2 (1234)", "sh (1234#2)" where threads share the name; "thread 1234" without a name. */
export function threadLabel(shared: SharedNames, name: string, key: string): string {
  if (name === '') return `thread ${key}`;
  return shared.has(name) ? `${name} (${key})` : name;
}

export function labelOfRow(shared: SharedNames, threads: ThreadRows, row: number): string {
  return threadLabel(shared, threads.name[row], threadKey(threads, row));
}
