/**
 * Threads that ran on CPUs, for calls of streams without switches: a session of several channels has several streams for each
 * CPU, and switches are in one of them. The state history merged them all.
 */
import { firstWhere } from '../../base/lower-bound.ts';
import { widen } from '../../base/columns.ts';
import type { HostNs } from '../../base/units.ts';
import type { IntervalPart } from '../../history/query-types.ts';
import { type HostHistory, isKernelHost, type KernelHost } from '../context/host.ts';
import type { ThreadAt } from '../../linux/sums/io/io-calls-joined.ts';
import type { IoChunk } from '../../linux/sums/io/io-chunk.ts';
import { THREAD_LOST, THREAD_OPEN } from '../../linux/events/unknown-thread.ts';

/** Threads that ran in [from, to) on CPUs by number. */
export async function runningThreads(
  { query, tables }: KernelHost,
  numbers: ReadonlySet<number>,
  from: HostNs,
  to: HostNs,
): Promise<RunningThreads> {
  const asked = tables.cpus.filter(({ cpu }) => numbers.has(cpu));
  const onCpus = asked.map(() => new CpuThreads());
  if (asked.length > 0) {
    const attributes = asked.map(({ threadAttribute }) => threadAttribute);
    await query.scan(attributes, from, to, (place, piece) => onCpus[place].add(piece));
  }
  return new RunningThreads(new Map(asked.map(({ cpu }, place) => [cpu, onCpus[place]])));
}

export class RunningThreads {
  readonly #onCpu: ReadonlyMap<number, CpuThreads>;

  constructor(onCpu: ReadonlyMap<number, CpuThreads>) {
    this.#onCpu = onCpu;
  }

  /** Row of the thread; THREAD_OPEN before the first that is known, THREAD_LOST where it is not known. */
  at(cpu: number, time: HostNs): number {
    return this.#onCpu.get(cpu)?.at(time) ?? THREAD_LOST;
  }
}

/** Threads that ran on one CPU, as times from which it is another. */
class CpuThreads {
  readonly #columns = { begin: new Float64Array(0), thread: new Int32Array(0) };
  #length = 0;
  /** End of what is known (HostNs). */
  #end = -Infinity;

  /** Pieces in time order; their values are rows of threads from 1 on, 0 is nobody known. */
  add({ begin, end, value }: IntervalPart): void {
    this.#end = end;
    const columns = this.#columns;
    const unknown = this.#length === 0 ? THREAD_OPEN : THREAD_LOST;
    const thread = value > 0 ? value - 1 : unknown;
    if (thread === THREAD_OPEN) return;
    if (this.#length === columns.begin.length) widen(columns);
    columns.begin[this.#length] = begin;
    columns.thread[this.#length++] = thread;
  }

  at(time: HostNs): number {
    if (time > this.#end) return THREAD_LOST;
    const { begin, thread } = this.#columns;
    const first = firstWhere(0, this.#length, (index) => begin[index] > time);
    return first === 0 ? THREAD_OPEN : thread[first - 1];
  }
}

/** Threads that ran on the CPUs of which a stream has calls without switches. */
export async function callersOf(host: HostHistory, leaf: IoChunk): Promise<ThreadAt> {
  if (!isKernelHost(host)) return () => THREAD_LOST;
  const apart = leaf.filter((piece) => piece.switchesElsewhere);
  const running = await runningThreads(host, new Set(apart.map(({ cpu }) => cpu)), -Infinity, Infinity);
  const { tid } = host.tables.threads;
  return (cpu, time) => {
    const thread = running.at(cpu, time);
    return thread >= 0 ? tid[thread] : thread;
  };
}
