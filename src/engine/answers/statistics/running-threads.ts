/** Threads that ran on CPUs, for calls of streams without switches: one channel has these, and the history has all. */
import { firstWhere } from '../../base/lower-bound.ts';
import { widen } from '../../base/columns.ts';
import type { HostNs } from '../../base/units.ts';
import type { IntervalPart } from '../../history/query-types.ts';
import { type HostHistory, isKernelHost, type KernelHost } from '../context/host.ts';
import type { ThreadAt } from '../../linux/sums/io/io-calls-joined.ts';
import type { IoChunk } from '../../linux/sums/io/io-chunk.ts';
import { THREAD_LOST, THREAD_OPEN, THREAD_ELSEWHERE } from '../../linux/events/values.ts';

/** Threads that ran in [from, to) on CPUs, by number. */
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

  /** Row of the thread; THREAD_OPEN before the first known one, THREAD_LOST where not known. */
  at(cpu: number, time: HostNs): number {
    return this.onCpu.get(cpu)?.at(time) ?? THREAD_LOST;
  }
}

/** Threads that ran on one CPU, with the times at which they change. */
class CpuThreads {
  readonly #columns = { begin: new Float64Array(0), thread: new Int32Array(0) };
  #length = 0;
  /** End of the known time (HostNs). */
  #end = -Infinity;

  /** Adds pieces in time order; their values are rows of threads plus 1, 0: unknown. */
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

/** Threads that ran on the CPUs of streams that have calls but no switches. */
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
  /** The tid; or THREAD_OPEN: the thread on `cpu` at the beginning; or THREAD_ELSEWHERE: the one at `time`. */
  readonly tid: number;
  readonly cpu: number;
  readonly time?: HostNs;
}

/**
 * Finds the threads that counts by thread leave open. Counts see the range alone; before a CPU's first switch the
 * history knows which thread ran, and in streams without switches it knows so for each event.
 *
 * Row of the thread of each entry that is open or elsewhere, by place in `counted`; negative: not known.
 * @param from undefined: the trace begins there, and the thread is not known
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

/** Row of the thread that runs on a CPU; negative: not known. */
async function threadAt({ query, tables }: KernelHost, cpu: number, time: HostNs): Promise<number> {
  const row = tables.cpus.find((one) => one.cpu === cpu);
  const current = row && (await query.at(row.threadAttribute, time));
  // Values are thread rows plus 1; 0: unknown.
  return (current?.value ?? 0) - 1;
}

/** Threads that ran at the times in `counted`. */
function runningAt(host: KernelHost, counted: readonly OfThread[]): Promise<RunningThreads> {
  let [from, to] = [Infinity, -Infinity];
  for (const { time = NaN } of counted) {
    from = Math.min(from, time);
    to = Math.max(to, time + 1);
  }
  return runningThreads(host, new Set(counted.map(({ cpu }) => cpu)), from, to);
}
