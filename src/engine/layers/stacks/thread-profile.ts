/** Running time of threads, known from their switches, by the frames in force: call stacks and system calls. */
import { TupleIndex } from '../../base/tuple-index.ts';
import { widened } from '../../base/columns.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import type { HostNs } from '../../base/units.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import type { ThreadRows } from '../../linux/states/reduce/kernel-tables.ts';
import { isRunning, stateOf } from '../../linux/events/values.ts';
import { callFrame } from './call-frame.ts';
import type { StackRuns } from './flame-chart.ts';
import type { KernelStacks } from './kernel-stacks.ts';

/** Threads of one host. */
export interface ProfiledThreads {
  readonly query: HistoryQuery;
  readonly threads: ThreadRows;
  /** Rows of `threads`. */
  readonly rows: readonly number[];
  /** Undefined: nothing has stacks. */
  readonly stacks: KernelStacks | undefined;
}

/** Takes a stack, perhaps not for the first time. @param frames outermost first; none: in no function or call */
export type OnStack = (thread: number, frames: readonly string[], ns: number, samples: number) => void;

/** Stands in place of the text of a system call: the thread is in none. */
const NO_CALL = -1;
/** Threads whose histories are read together. */
const TOGETHER = 64;

/**
 * Reports the running time of threads within [from, to), and their samples up to `to`.
 * @param onStack called with all stacks of a thread before those of the next one
 * @param signal aborted when nobody waits for it any more
 * @param runs gets the consecutive stacks of a single thread: stack n is that of the nth call of `onStack`, from 0 on
 */
export async function profileThreads(
  of: ProfiledThreads,
  from: HostNs,
  to: HostNs,
  onStack: OnStack,
  signal?: AbortSignal,
  runs?: StackRuns,
): Promise<void> {
  for (let at = 0; at < of.rows.length; at += TOGETHER) {
    signal?.throwIfAborted();
    for (const { thread, running, calls } of await intervalsOf(of, at, from, to)) {
      const sums = new FrameSums();
      addRunning(sums, running, calls, thread, of, runs);
      addSamples(sums, calls, thread, of, from, to);
      tellStacks(sums, thread, of, onStack);
    }
  }
}

/** Reports the samples of threads within [from, to] by the frames in force, without time. */
export async function sampleThreads(
  of: ProfiledThreads,
  from: HostNs,
  to: HostNs,
  onStack: OnStack,
): Promise<void> {
  for (let at = 0; at < of.rows.length; at += TOGETHER) {
    for (const { thread, calls } of await intervalsOf(of, at, from, to)) {
      const sums = new FrameSums();
      addSamples(sums, calls, thread, of, from, to);
      tellStacks(sums, thread, of, onStack);
    }
  }
}

/** Thread of a host without kernel trace, from its first event to its last. */
export interface LivingThread {
  /** Row of the stacks' threads. */
  readonly thread: number;
  readonly from: HostNs;
  readonly to: HostNs;
}

/**
 * Reports the elapsed time of threads within [from, to) by the functions entered, and their samples up to `to`:
 * without kernel trace nothing tells when they ran (Decisions on call stacks, no kernel recorded). Samples tell
 * nothing of the time between them: all time of threads without entries is in no function.
 * @param runs as for `profileThreads`
 */
export function profileElapsed(
  living: readonly LivingThread[],
  stacks: KernelStacks | undefined,
  from: HostNs,
  to: HostNs,
  onStack: OnStack,
  runs?: StackRuns,
): void {
  const calls = new ValueIntervals();
  for (const { thread, ...life } of living) {
    const sums = new FrameSums();
    const alive = new ValueIntervals();
    alive.add(Math.max(from, life.from), Math.min(to, life.to), 0);
    const entered = stacks?.isEntered(thread) === true ? stacks : undefined;
    addRunning(sums, alive, calls, thread, { stacks: entered }, runs);
    addSamples(sums, calls, thread, { stacks }, from, to);
    tellStacks(sums, thread, { stacks }, onStack);
  }
}

interface ThreadIntervals {
  readonly thread: number;
  readonly running: ValueIntervals;
  readonly calls: ValueIntervals;
}

/** Intervals of the threads in `rows` from a place on. */
async function intervalsOf(
  { query, threads, rows }: ProfiledThreads,
  first: number,
  from: HostNs,
  to: HostNs,
): Promise<ThreadIntervals[]> {
  const found = rows.slice(first, first + TOGETHER).map((thread) => {
    return { thread, running: new ValueIntervals(), calls: new ValueIntervals() };
  });
  const attributes = found.flatMap(({ thread }) => [
    threads.stateAttribute[thread],
    threads.callAttribute[thread],
  ]);
  const known = attributes.map((_, place) => place).filter((place) => attributes[place] >= 0);
  await query.scan(
    known.map((place) => attributes[place]),
    from,
    to,
    (at, { begin, end, value }) => {
      const place = known[at];
      const { running, calls } = found[place >> 1];
      if (place % 2 === 1) calls.add(begin, end, value);
      else if (isRunning(stateOf(value))) running.add(Math.max(begin, from), Math.min(end, to), value);
    },
  );
  return found;
}

function addSamples(
  sums: FrameSums,
  calls: ValueIntervals,
  thread: number,
  { stacks }: Pick<ProfiledThreads, 'stacks'>,
  from: HostNs,
  to: HostNs,
): void {
  if (stacks === undefined) return;
  for (const time of stacks.samples(thread, from, to))
    sums.addSample(stacks.at(thread, time), calls.valueAt(time), stacks.insideAt(thread, time));
}

function tellStacks(
  sums: FrameSums,
  thread: number,
  { query, stacks }: Pick<ProfiledThreads, 'stacks'> & Partial<Pick<ProfiledThreads, 'query'>>,
  onStack: OnStack,
): void {
  sums.each((stack, call, inside, ns, samples) => {
    const frames = stacks?.textsOf(stack) ?? [];
    const within = stacks?.textsOf(inside) ?? [];
    const all = call === NO_CALL ? frames : [...frames, callFrame(`${query?.text(call)}`), ...within];
    onStack(thread, all, ns, samples);
  });
}

/** Cuts intervals on a CPU where the frames in force change. */
function addRunning(
  sums: FrameSums,
  running: ValueIntervals,
  calls: ValueIntervals,
  thread: number,
  { stacks }: Pick<ProfiledThreads, 'stacks'>,
  runs: StackRuns | undefined,
): void {
  let call = 0;
  for (let i = 0; i < running.length; i++) {
    const end = running.end[i];
    for (let now = running.begin[i]; now < end;) {
      while (call < calls.length && calls.end[call] <= now) call++;
      const isInside = call < calls.length && calls.begin[call] <= now;
      const edge = call === calls.length ? Infinity : isInside ? calls.end[call] : calls.begin[call];
      const until = Math.min(end, edge, stacks?.nextChange(thread, now) ?? Infinity);
      const value = isInside ? calls.value[call] : NO_CALL;
      const inside = stacks?.insideAt(thread, now) ?? 0;
      const stack = sums.add(stacks?.at(thread, now) ?? 0, value, inside, until - now);
      runs?.add(now, until, stack);
      now = until;
    }
  }
}

/** Intervals of time (HostNs, half-open) with a value, ascending. */
class ValueIntervals {
  length = 0;
  begin = new Float64Array(0);
  end = new Float64Array(0);
  value = new Float64Array(0);

  add(begin: number, end: number, value: number): void {
    if (!(begin < end)) return;
    if (this.length === this.begin.length) {
      const room = Math.max(256, 2 * this.length);
      this.begin = widened(this.begin, room);
      this.end = widened(this.end, room);
      this.value = widened(this.value, room);
    }
    this.begin[this.length] = begin;
    this.end[this.length] = end;
    this.value[this.length++] = value;
  }

  /** NO_CALL: none. */
  valueAt(time: number): number {
    const at = firstWhere(0, this.length, (i) => this.end[i] > time);
    return at < this.length && this.begin[at] <= time ? this.value[at] : NO_CALL;
  }
}

class FrameSums {
  /** Stack, text of the call, stack in the kernel. */
  readonly #index = new TupleIndex();
  readonly #ns: number[] = [];
  readonly #samples: number[] = [];

  /** @returns its index in the order of `each` */
  add(stack: number, call: number, inside: number, ns: number): number {
    const place = this.#place(stack, call, inside);
    this.#ns[place] += ns;
    return place;
  }

  addSample(stack: number, call: number, inside: number): void {
    this.#samples[this.#place(stack, call, inside)]++;
  }

  each(visit: (stack: number, call: number, inside: number, ns: number, samples: number) => void): void {
    const word = (at: number, part: number) => this.#index.word(at, part);
    this.#ns.forEach((ns, at) => visit(word(at, 0), word(at, 1), word(at, 2), ns, this.#samples[at]));
  }

  #place(stack: number, call: number, inside: number): number {
    const at = this.#index.place(stack, call, inside, 0);
    if (at === this.#ns.length) {
      this.#ns.push(0);
      this.#samples.push(0);
    }
    return at;
  }
}
