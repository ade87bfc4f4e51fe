/** Where time went by call stack: stacks with their time, and functions with that of all stacks they are in. Durations are ns. */
import { compareCodePoints } from '../base/compare-text.ts';

export interface ProfileStack {
  /** The outermost first. */
  readonly frames: readonly string[];
  readonly ns: number;
  /** Samples that were taken in it. */
  readonly samples: number;
}

export interface ProfileFunction {
  readonly name: string;
  /** In the function itself. */
  readonly self: number;
  /** In the function and what it called; of a stack that has it twice once. */
  readonly total: number;
  readonly selfSamples: number;
  readonly totalSamples: number;
}

export interface Profile {
  /** Of all stacks. */
  readonly time: number;
  readonly samples: number;
  /** In order of their folded texts, by code point. */
  readonly stacks: readonly ProfileStack[];
  /** Largest total first. */
  readonly functions: readonly ProfileFunction[];
}

/** Frames as one text. */
export function foldedText({ frames }: Pick<ProfileStack, 'frames'>): string {
  return frames.join(';');
}

/** @param stacks some of them may have the same frames */
export function profileOf(stacks: Iterable<ProfileStack>): Profile {
  const known = new Map<string, { frames: readonly string[]; ns: number; samples: number }>();
  for (const { frames, ns, samples } of stacks) {
    const text = foldedText({ frames });
    const sum = known.get(text) ?? { frames, ns: 0, samples: 0 };
    sum.ns += ns;
    sum.samples += samples;
    known.set(text, sum);
  }
  const sums = [...known].sort(([a], [b]) => compareCodePoints(a, b)).map(([, sum]) => sum);
  return {
    time: sums.reduce((sum, { ns }) => sum + ns, 0),
    samples: sums.reduce((sum, { samples }) => sum + samples, 0),
    stacks: sums,
    functions: functionsOf(sums),
  };
}

function functionsOf(stacks: readonly ProfileStack[]): ProfileFunction[] {
  const known = new Map<
    string,
    { name: string; self: number; total: number; selfSamples: number; totalSamples: number }
  >();
  const sumOf = (name: string) => {
    const sum = known.get(name) ?? { name, self: 0, total: 0, selfSamples: 0, totalSamples: 0 };
    known.set(name, sum);
    return sum;
  };
  for (const { frames, ns, samples } of stacks) {
    for (const name of new Set(frames)) {
      const sum = sumOf(name);
      sum.total += ns;
      sum.totalSamples += samples;
    }
    const own = sumOf(frames[frames.length - 1]);
    own.self += ns;
    own.selfSamples += samples;
  }
  return [...known.values()].sort(
    (a, b) => b.total - a.total || b.self - a.self || compareCodePoints(a.name, b.name),
  );
}

/**
 * How far the share of samples may be from that of time: half the width of the interval that holds it with 95 %, in
 * percentage points with two decimals. The normal approximation of a binomial share.
 */
export function marginOf(samples: number, all: number): number {
  const share = samples / all;
  return Math.floor(196 * Math.sqrt((share * (1 - share)) / all) * 100 + 0.5) / 100;
}
