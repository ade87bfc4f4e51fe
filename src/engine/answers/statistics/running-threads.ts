/** Threads that ran on CPUs, for calls of streams without switches: one channel of a session has them, the history all. */
import { firstWhere } from '../../base/lower-bound.ts';
import { widen } from '../../base/columns.ts';
import type { HostNs } from '../../base/units.ts';
import type { IntervalPart } from '../../history/query-types.ts';
import { type HostHistory, isKernelHost, type KernelHost } from '../context/host.ts';
import type { ThreadAt } from '../../linux/sums/io/io-calls-joined.ts';
import type { IoChunk } from '../../linux/sums/io/io-chunk.ts';
import { THREAD_LOST, THREAD_OPEN, THREAD_ELSEWHERE } from '../../linux/events/values.ts';

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
  constructor(private readonly onCpu: ReadonlyMap<number, CpuThreads>) {}

  /** Row of the thread; THREAD_OPEN before the first that is known, THREAD_LOST where it is not known. */
  at(cpu: number, time: HostNs): number {
    return this.onCpu.get(cpu)?.at(time) ?? THREAD_LOST;
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
export async function callersOf(host: HostHistory, chunkResult: IoChunk): Promise<ThreadAt> {
  if (!isKernelHost(host)) return () => THREAD_LOST;
  const apart = chunkResult.filter((piece) => piece.switchesElsewhere);
  const running = await runningThreads(host, new Set(apart.map(({ cpu }) => cpu)), -Infinity, Infinity);
  const { tid } = host.tables.threads;
  return (cpu, time) => {
    const thread = running.at(cpu, time);
    return thread >= 0 ? tid[thread] : thread;
  };
}

interface OfThread {
  /** The tid, or THREAD_OPEN: who ran on `cpu` in the beginning, or THREAD_ELSEWHERE: who ran at `time`. */
  readonly tid: number;
  readonly cpu: number;
  readonly time?: HostNs;
}

/**
 * Threads that ran where counts of events by thread cannot name them. Those see the range alone: before the first switch
 * of a CPU, the history knows who ran when the range began. In streams without switches it knows that for each event.
 *
 * Row of the thread of each that is open or elsewhere, by place in `counted`; negative: not known.
 * @param from undefined: the trace begins there, and nobody is known
 */
export async function runningThread(
  host: KernelHost,
  counted: readonly OfThread[],
  from: HostNs | undefined,
): Promise<Int32Array> {
  const rows = new Int32Array(counted.length).fill(THREAD_LOST);
  const running = await runningAt(
    host,
    counted.filter(({ tid }) => tid === THREAD_ELSEWHERE),
  );
  const inBeginning = new Map<number, number>();
  for (const [place, { tid, cpu, time = NaN }] of counted.entries()) {
    if (tid === THREAD_ELSEWHERE) rows[place] = running.at(cpu, time);
    if (tid !== THREAD_OPEN || from === undefined) continue;
    const thread = inBeginning.get(cpu) ?? (await threadAt(host, cpu, from));
    inBeginning.set(cpu, thread);
    rows[place] = thread;
  }
  return rows;
}

/** Row of the thread that runs on a CPU, negative: not known. */
async function threadAt({ query, tables }: KernelHost, cpu: number, time: HostNs): Promise<number> {
  const row = tables.cpus.find((one) => one.cpu === cpu);
  const current = row && (await query.at(row.threadAttribute, time));
  // Numbered from 1; 0 is nobody known.
  return (current?.value ?? 0) - 1;
}

/** Threads that ran at these times. */
function runningAt(host: KernelHost, counted: readonly OfThread[]): Promise<RunningThreads> {
  let [from, to] = [Infinity, -Infinity];
  for (const { time = NaN } of counted) {
    from = Math.min(from, time);
    to = Math.max(to, time + 1);
  }
  return runningThreads(host, new Set(counted.map(({ cpu }) => cpu)), from, to);
}
