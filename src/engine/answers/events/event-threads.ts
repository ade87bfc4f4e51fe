/** The threads in which events happened: who ran on their CPUs or, of programs, who they say it was. */
import { groupBy } from '../../base/group-by.ts';
import type { HostNs } from '../../base/units.ts';
import { isKind } from '../../trace/event-kinds.ts';
import type { EventSource } from '../context/packets-by-time.ts';
import { isKernelHost, type KernelHost } from '../context/host.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import { runningThreads } from '../statistics/running-threads.ts';

/** Mark in place of a tid: nobody says who it was; the CPU does, at the event or, of a switch, before it. */
export const NOBODY = -1;
const BY_CPU = -2;
const BEFORE_SWITCH = -3;

/** Events as columns. */
interface ThreadQuestion {
  readonly length: number;
  /** Index of the host. */
  readonly host: ArrayLike<number>;
  /** -1: it is not known. */
  readonly cpu: ArrayLike<number>;
  readonly timeNs: ArrayLike<number>;
  /** The tid that an event of a program says, or who tells that. */
  readonly told: ArrayLike<number>;
}

/** Way to tell the thread of an event of a kernel. */
export function tellerOf(name: string | undefined): number {
  return name !== undefined && isKind('switch', name) ? BEFORE_SWITCH : BY_CPU;
}

/** Rows of the hosts' tables of threads; -1: it is not known. */
export async function threadsOfEvents(
  { time }: EventSource,
  trace: Pick<OpenTrace, 'hosts' | 'isNested'>,
  { length, host: hostOf, cpu: cpuOf, timeNs, told }: ThreadQuestion,
): Promise<Int32Array> {
  const found = new Int32Array(length).fill(-1);
  for (const host of trace.hosts.filter(isKernelHost)) {
    const clock = time.of(host.index);
    const cpus = new Set<number>();
    const tids = new Set<number>();
    let [from, to] = [Infinity, -Infinity];
    for (let i = 0; i < length; i++) {
      if (hostOf[i] !== host.index) continue;
      from = Math.min(from, timeNs[i]);
      to = Math.max(to, timeNs[i]);
      if (told[i] < NOBODY) cpus.add(cpuOf[i]);
      else tids.add(told[i]);
    }
    if (from > to) continue;
    const running = await runningThreads(host, cpus, clock.toHost(from) - 1, clock.toHost(to) + 1);
    const isNested = await trace.isNested(host.index);
    const named = isNested ? () => -1 : threadsByTid(host, tids);
    for (let i = 0; i < length; i++) {
      if (hostOf[i] !== host.index) continue;
      const at = clock.toHost(timeNs[i]);
      if (told[i] >= NOBODY) found[i] = named(told[i], at);
      else found[i] = running.at(cpuOf[i], told[i] === BEFORE_SWITCH ? at - 1 : at);
    }
  }
  return found;
}

/** Programs' events may be written on another CPU than they happened on, but say their thread. */
function threadsByTid({ tables: { threads } }: KernelHost, tids: ReadonlySet<number>) {
  if (tids.size === 0) return () => NOBODY;
  const rows = Array.from({ length: threads.length }, (_, row) => row).filter((row) =>
    tids.has(threads.tid[row]),
  );
  const byTid = groupBy(rows, (row) => threads.tid[row]);
  // Of several lives of a number the one that began last.
  return (tid: number, at: HostNs): number =>
    byTid.get(tid)?.findLast((row) => threads.first[row] <= at) ?? NOBODY;
}
