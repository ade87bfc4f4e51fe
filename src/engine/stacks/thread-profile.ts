/**
 * The running time of a thread by the frames in force: its call stack, and the system call that it is in. How long it ran
 * is known from its switches, not from samples.
 */
import { TupleIndex } from '../base/tuple-index.ts';
import { widened } from '../base/columns.ts';
import { firstWhere } from '../base/lower-bound.ts';
import type { HostNs } from '../base/units.ts';
import type { HistoryQuery } from '../history/query-types.ts';
import type { ThreadRows } from '../linux/reduce/kernel-tables.ts';
import { STATE_INTERRUPTED, STATE_KERNEL, STATE_LATE, STATE_USER, stateOf } from '../linux/values.ts';
import type { KernelStacks } from './kernel-stacks.ts';
import { type Profile, profileOf, type ProfileStack } from './profile.ts';

export interface ProfiledThread {
  readonly query: HistoryQuery;
  readonly threads: ThreadRows;
  /** Row of `threads`. */
  readonly thread: number;
  /** undefined: nothing has stacks. */
  readonly stacks: KernelStacks | undefined;
}

/** In place of the text of a system call: it is in none. */
const NO_CALL = -1;

const RUNNING: ReadonlySet<number> = new Set([STATE_USER, STATE_KERNEL, STATE_INTERRUPTED, STATE_LATE]);

/** Of its time within [from, to), and of its samples up to `to`. */
export async function threadProfile(of: ProfiledThread, from: HostNs, to: HostNs): Promise<Profile> {
  const running = new Stretches();
  const calls = new Stretches();
  const attributes = [of.threads.stateAttribute[of.thread], of.threads.callAttribute[of.thread]];
  await of.query.scan(
    attributes.filter((id) => id >= 0),
    from,
    to,
    (place, { begin, end, value }) => {
      if (place === 1) calls.add(begin, end, value);
      else if (RUNNING.has(stateOf(value))) running.add(Math.max(begin, from), Math.min(end, to), value);
    },
  );
  const sums = new FrameSums();
  addRunning(sums, running, calls, of);
  addSamples(sums, calls, of, from, to);
  return profileOf(stacksIn(sums, of));
}

/** Its samples within [from, to] by the frames in force, without time. */
export async function threadSamples(of: ProfiledThread, from: HostNs, to: HostNs): Promise<ProfileStack[]> {
  const call = of.threads.callAttribute[of.thread];
  const calls = new Stretches();
  if (call >= 0)
    await of.query.scan([call], from, to, (_, { begin, end, value }) => calls.add(begin, end, value));
  const sums = new FrameSums();
  addSamples(sums, calls, of, from, to);
  return stacksIn(sums, of);
}

function addSamples(
  sums: FrameSums,
  calls: Stretches,
  { stacks, thread }: ProfiledThread,
  from: HostNs,
  to: HostNs,
): void {
  if (stacks === undefined) return;
  for (const time of stacks.samples(thread, from, to))
    sums.addSample(stacks.at(thread, time), calls.valueAt(time));
}

function stacksIn(sums: FrameSums, { query, threads, thread, stacks }: ProfiledThread): ProfileStack[] {
  return sums.list((stack, call) => {
    const frames = [...(stacks?.textsOf(stack) ?? [])];
    if (call !== NO_CALL) frames.push(`syscall ${query.text(call)}`);
    return frames.length > 0 ? frames : [threadText(threads.name[thread])];
  });
}

/** The name of a thread as a frame. */
function threadText(name: string): string {
  return name.replaceAll(';', ':').replaceAll(/[\r\n]/g, ' ');
}

/** Cuts stretches on a CPU where the frames in force change. */
function addRunning(
  sums: FrameSums,
  running: Stretches,
  calls: Stretches,
  { stacks, thread }: ProfiledThread,
): void {
  let call = 0;
  for (let i = 0; i < running.length; i++) {
    const end = running.end[i];
    for (let now = running.begin[i]; now < end;) {
      while (call < calls.length && calls.end[call] <= now) call++;
      const isInside = call < calls.length && calls.begin[call] <= now;
      const edge = call === calls.length ? Infinity : isInside ? calls.end[call] : calls.begin[call];
      const until = Math.min(end, edge, stacks?.nextChange(thread, now) ?? Infinity);
      sums.add(stacks?.at(thread, now) ?? 0, isInside ? calls.value[call] : NO_CALL, until - now);
      now = until;
    }
  }
}

/** Stretches of time (HostNs, half-open) with a value, ascending. */
class Stretches {
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

  /** NO_CALL where there is none. */
  valueAt(time: number): number {
    const at = firstWhere(0, this.length, (i) => this.end[i] > time);
    return at < this.length && this.begin[at] <= time ? this.value[at] : NO_CALL;
  }
}

/** Time and samples by call stack and system call. */
class FrameSums {
  /** Stack, text of the call. */
  readonly #index = new TupleIndex();
  readonly #ns: number[] = [];
  readonly #samples: number[] = [];

  add(stack: number, call: number, ns: number): void {
    this.#ns[this.#place(stack, call)] += ns;
  }

  addSample(stack: number, call: number): void {
    this.#samples[this.#place(stack, call)]++;
  }

  list(framesOf: (stack: number, call: number) => readonly string[]): ProfileStack[] {
    return this.#ns.map((ns, at) => ({
      frames: framesOf(this.#index.word(at, 0), this.#index.word(at, 1)),
      ns,
      samples: this.#samples[at],
    }));
  }

  #place(stack: number, call: number): number {
    const at = this.#index.place(stack, call, 0, 0);
    if (at === this.#ns.length) {
      this.#ns.push(0);
      this.#samples.push(0);
    }
    return at;
  }
}
