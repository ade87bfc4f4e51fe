/**
 * The tree of rows that the page shows (spec 09): hosts ▸ CPUs, processes ▸ threads, kernel threads, threads that
 * never ran. A process with one thread is one row. Processes and threads stand by time on CPU, most first.
 */
import type { RowInfo } from './api.ts';

export interface CpuEntry {
  readonly cpu: number;
  readonly attribute: number;
  /** ns the CPU was busy. */
  readonly busyNs: number;
}

export interface ThreadEntry {
  /** '1234', '1234#2'. Idle threads have no row: their CPUs show them. */
  readonly key: string;
  readonly tid: number;
  /** -1 unknown: the thread stands by itself. */
  readonly pid: number;
  readonly name: string;
  readonly kernelThread: boolean;
  readonly attribute: number;
  /** ns in states 1, 2 and 3. */
  readonly cpuTimeNs: number;
  readonly ran: boolean;
  /** Display ns. */
  readonly firstNs: number;
  readonly lastNs: number;
}

export interface StreamEntry {
  readonly key: string;
  readonly name: string;
  readonly tid?: number;
  readonly cpu?: number;
  readonly firstNs: number;
  readonly lastNs: number;
}

export interface HostEntry {
  readonly index: number;
  readonly name: string;
  readonly cpus: readonly CpuEntry[];
  readonly threads: readonly ThreadEntry[];
  /** Rows of hosts without kernel events. */
  readonly streams: readonly StreamEntry[];
  readonly firstNs: number;
  readonly lastNs: number;
}

type Draft = Omit<RowInfo, 'parent' | 'host' | 'attribute' | 'kernelThread'> &
  Partial<Pick<RowInfo, 'attribute'>>;

export function rowTree(hosts: readonly HostEntry[]): RowInfo[] {
  const rows: RowInfo[] = [];
  for (const host of hosts) addHost(host, rows);
  return rows;
}

function addHost(host: HostEntry, rows: RowInfo[]): void {
  const add = (parent: number, row: Draft): number =>
    rows.push({ attribute: -1, kernelThread: false, ...row, parent, host: host.index }) - 1;
  const life = { firstNs: host.firstNs, lastNs: host.lastNs };
  const busy = sum(host.cpus.map((c) => c.busyNs));
  const id = (kind: string, key: string | number) => `${kind}:${host.index}:${key}`;
  const root = add(-1, {
    id: `host:${host.index}`,
    kind: 'host',
    name: host.name,
    cpuTimeNs: busy,
    ran: true,
    ...life,
  });
  if (host.cpus.length > 0) {
    add(root, {
      id: `cpu-usage:${host.index}`,
      kind: 'cpu-usage',
      name: 'CPU usage',
      cpuTimeNs: busy,
      ran: true,
      ...life,
    });
  }
  for (const c of host.cpus) {
    add(root, {
      id: id('cpu', c.cpu),
      kind: 'cpu',
      name: `CPU ${c.cpu}`,
      cpu: c.cpu,
      attribute: c.attribute,
      cpuTimeNs: c.busyNs,
      ran: true,
      ...life,
    });
  }
  for (const s of host.streams) {
    add(root, { ...s, id: id('stream', s.key), kind: 'stream', cpuTimeNs: 0, ran: true });
  }
  addThreads(host, root, rows, add);
}

function addThreads(
  host: HostEntry,
  root: number,
  rows: RowInfo[],
  add: (parent: number, row: Draft) => number,
): void {
  // There are many: no other object is made for one.
  const thread = (parent: number, t: ThreadEntry) =>
    rows.push({
      id: `thread:${host.index}:${t.key}`,
      parent,
      host: host.index,
      kind: 'thread',
      name: t.name,
      tid: t.tid,
      pid: t.pid,
      attribute: t.attribute,
      cpuTimeNs: t.cpuTimeNs,
      ran: t.ran,
      kernelThread: t.kernelThread,
      firstNs: t.firstNs,
      lastNs: t.lastNs,
    });
  const group = (kind: 'kernel-threads' | 'never-ran', name: string, threads: ThreadEntry[]) => {
    if (threads.length === 0) return;
    const parent = add(root, {
      id: `${kind}:${host.index}`,
      kind,
      name,
      ran: kind !== 'never-ran',
      ...spanOf(threads),
    });
    for (const t of threads.sort(byTime)) thread(parent, t);
  };

  const ran = host.threads.filter((t) => t.ran);
  const processes = processesOf(ran.filter((t) => !t.kernelThread));
  for (const { pid, leader, threads } of processes) {
    if (threads.length === 1) {
      thread(root, threads[0]);
      continue;
    }
    const id = `process:${host.index}:${leader.tid === pid ? leader.key : pid}`;
    const parent = add(root, {
      id,
      kind: 'process',
      name: leader.name,
      tid: pid,
      pid,
      ran: true,
      ...spanOf(threads),
    });
    for (const t of threads) thread(parent, t);
  }
  group(
    'kernel-threads',
    'Kernel threads',
    ran.filter((t) => t.kernelThread),
  );
  group(
    'never-ran',
    'Never ran',
    host.threads.filter((t) => !t.ran),
  );
}

interface Process {
  readonly pid: number;
  readonly leader: ThreadEntry;
  readonly threads: ThreadEntry[];
}

/** Threads by process. A pid that comes again after its leader's death is a process of its own. */
function processesOf(threads: readonly ThreadEntry[]): Process[] {
  const leaders = groupBy(
    threads.filter((t) => t.tid === t.pid),
    (t) => t.tid,
  );
  const byLeader = groupBy(threads, (t) => leaderOf(t, leaders.get(t.pid)));
  const processes = [...byLeader.values()].map((list) => {
    list.sort(byTime);
    const leader = list.find((t) => t.tid === t.pid) ?? list[0];
    const cpuTimeNs = sum(list.map((t) => t.cpuTimeNs));
    return { pid: leader.pid < 0 ? leader.tid : leader.pid, leader, threads: list, cpuTimeNs };
  });
  return processes.sort((a, b) => b.cpuTimeNs - a.cpuTimeNs || a.pid - b.pid);
}

/** The leader, among the lives of the pid, that was alive when the thread began; the pid where there is none. */
function leaderOf(thread: ThreadEntry, lives: readonly ThreadEntry[] | undefined): ThreadEntry | number {
  if (thread.tid === thread.pid || thread.pid < 0) return thread;
  return lives === undefined ? thread.pid : (lives.findLast((t) => t.firstNs <= thread.firstNs) ?? lives[0]);
}

function groupBy<T, K>(items: readonly T[], key: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const k = key(item);
    const group = groups.get(k);
    if (group) group.push(item);
    else groups.set(k, [item]);
  }
  return groups;
}

function byTime(a: ThreadEntry, b: ThreadEntry): number {
  return b.cpuTimeNs - a.cpuTimeNs || a.tid - b.tid || a.firstNs - b.firstNs;
}

function spanOf(threads: readonly ThreadEntry[]): { cpuTimeNs: number; firstNs: number; lastNs: number } {
  return {
    cpuTimeNs: sum(threads.map((t) => t.cpuTimeNs)),
    firstNs: threads.reduce((least, t) => Math.min(least, t.firstNs), Infinity),
    lastNs: threads.reduce((most, t) => Math.max(most, t.lastNs), -Infinity),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
