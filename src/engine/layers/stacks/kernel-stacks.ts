/** Call stacks in force of a host's threads: for each the latest one recorded at or before a time. */
import { addNumber } from '../../base/group-by.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import type { HostNs } from '../../base/units.ts';
import { lineOf, type StackTables, type ThreadStacks, UNKNOWN_FRAME } from './stack-tables.ts';

/** Call stacks in force of one host. Threads are rows of the kernel's thread table of the host. */
export interface StacksInForce {
  /** Row of the stack tree in force; 0: none. */
  at(thread: number, time: HostNs): number;
  /** Row of the stack in the kernel, below the pending system call; 0: none. */
  insideAt(thread: number, time: HostNs): number;
  /** The first time after `time` at which another stack is in force; Infinity: never. */
  nextChange(thread: number, time: HostNs): HostNs;
  /** Names of the frames of a stack, outermost first. Adjacent unknown frames are merged. */
  textsOf(stack: number): readonly string[];
}

/** A function of interpreted code in a stack, and its place. */
export interface StackLine {
  readonly text: string;
  readonly file: string;
  readonly line: number;
  readonly isInnermost: boolean;
}

/** Stacks of a host without call stacks. */
export const NO_STACKS: StacksInForce = {
  at: () => 0,
  insideAt: () => 0,
  nextChange: () => Infinity,
  textsOf: () => [],
};

/** Call stacks of a host's threads with a row: in the kernel's table, else by `withRows`. */
export class KernelStacks implements StacksInForce {
  readonly tables: StackTables;
  readonly #frameTexts: readonly (readonly string[])[];
  /** Stacks by row of the kernel's table. */
  readonly #threads: ReadonlyMap<number, ThreadStacks>;
  /** Names of frames by stack. */
  readonly #texts = new Map<number, readonly string[]>();

  /** @param frameTexts by row of the tables' frames: names, of several inlined functions the outermost first */
  constructor(tables: StackTables, frameTexts: readonly (readonly string[])[]) {
    this.tables = tables;
    this.#frameTexts = frameTexts;
    this.#threads = new Map(
      tables.threads.filter(({ row }) => row >= 0).map((thread) => [thread.row, thread]),
    );
  }

  /** The same stacks of threads with other rows; -1: none. */
  withRows(rowOf: (thread: ThreadStacks) => number): KernelStacks {
    const threads = this.tables.threads.map((each) => ({ ...each, row: rowOf(each) }));
    return new KernelStacks({ ...this.tables, threads }, this.#frameTexts);
  }

  /** The same stacks at times of another clock, each converted once; `toTime` is monotonic. */
  atTimes(toTime: (time: HostNs) => number): KernelStacks {
    const threads = this.tables.threads.map((each) => ({
      ...each,
      times: each.times.map(toTime),
      samples: each.samples.map(toTime),
    }));
    return new KernelStacks({ ...this.tables, threads }, this.#frameTexts);
  }

  /** Whether a thread's stacks are from entries and exits of functions. */
  isEntered(thread: number): boolean {
    return this.#threads.get(thread)?.isEntered === true;
  }

  get hasSamples(): boolean {
    return this.tables.threads.some(({ samples }) => samples.length > 0);
  }

  at(thread: number, time: HostNs): number {
    const known = this.#threads.get(thread);
    const change = known === undefined ? -1 : changesUpTo(known, time) - 1;
    return change < 0 ? 0 : known!.stacks[change];
  }

  insideAt(thread: number, time: HostNs): number {
    const known = this.#threads.get(thread);
    return known?.inside[changesUpTo(known, time) - 1] ?? 0;
  }

  /** HostNs since which the stack at a time is in force; undefined: none is. */
  since(thread: number, time: HostNs): HostNs | undefined {
    const known = this.#threads.get(thread);
    return known?.times[changesUpTo(known, time) - 1];
  }

  nextChange(thread: number, time: HostNs): HostNs {
    const known = this.#threads.get(thread);
    return known?.times[changesUpTo(known, time)] ?? Infinity;
  }

  textsOf(stack: number): readonly string[] {
    const texts = this.#texts.get(stack) ?? this.#textsOf(stack);
    this.#texts.set(stack, texts);
    return texts;
  }

  /** Number of a thread's samples within [from, to] by the stack in force. */
  samplesByStack(thread: number, from: HostNs, to: HostNs): ReadonlyMap<number, number> {
    const counts = new Map<number, number>();
    for (const time of this.samples(thread, from, to)) {
      const stack = this.at(thread, time);
      addNumber(counts, stack, 1);
    }
    return counts;
  }

  /** Functions of a stack with recorded files and lines, innermost first. */
  linesOf(stack: number): StackLine[] {
    const { parent, frame } = this.tables.tree;
    const lines: StackLine[] = [];
    for (let at = stack; parent[at] >= 0; at = parent[at]) {
      const line = lineOf(this.tables, frame[at]);
      const [text = ''] = this.#frameTexts[frame[at]];
      if (line !== undefined) lines.push({ ...line, text, isInnermost: at === stack });
    }
    return lines;
  }

  /** HostNs of a thread's samples within [from, to]. */
  samples(thread: number, from: HostNs, to: HostNs): Float64Array {
    const samples = this.#threads.get(thread)?.samples ?? new Float64Array(0);
    const first = firstWhere(0, samples.length, (i) => samples[i] >= from);
    return samples.subarray(
      first,
      firstWhere(first, samples.length, (i) => samples[i] > to),
    );
  }

  #textsOf(stack: number): string[] {
    const { parent, frame } = this.tables.tree;
    const texts: string[] = [];
    for (let at = stack; parent[at] >= 0; at = parent[at]) {
      const own = this.#frameTexts[frame[at]];
      for (let i = own.length - 1; i >= 0; i--)
        if (own[i] !== UNKNOWN_FRAME || texts.at(-1) !== UNKNOWN_FRAME) texts.push(own[i]);
    }
    return texts.reverse();
  }
}

function changesUpTo({ times }: ThreadStacks, time: HostNs): number {
  return firstWhere(0, times.length, (i) => times[i] > time);
}
