/** Rows of threads by their ids, `thread:HOST:KEY`. */
import type { StateTables } from '../../linux/states/reduce/kernel-tables.ts';
import { threadKey } from '../../linux/states/reduce/thread-table.ts';
import { type HostHistory, isKernelHost, type KernelHost } from './host.ts';

/** The host of a row as a list; empty: there is none. */
export function hostsOfRow(hosts: readonly HostHistory[], row: string): readonly HostHistory[] {
  const index = Number(row.split(':')[1]);
  return hosts.filter((host) => host.index === index);
}

/** Row of the host's thread table; -1: it is no thread's. */
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

/** A thread of the tables as answers have it. */
export function threadOf({ index, tables: { threads } }: KernelHost, thread: number) {
  return {
    row: `thread:${index}:${threadKey(threads, thread)}`,
    name: threads.name[thread],
    tid: threads.tid[thread],
    pid: threads.pid[thread],
    host: index,
  };
}

/** The host of a row, by the row's id: `KIND:HOST:…`. */
export function hostOfRow(row: string): number {
  return Number(row.split(':')[1]);
}
