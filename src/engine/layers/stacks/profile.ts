/** Profile: time by call stack, and functions with the time of all stacks that they are in. Durations are ns. */
import { compareCodePoints } from '../../base/compare.ts';

/** Frame of a thread in a system call whose stack was not recorded; the stack before it may be another one. */
export const NOT_RECORDED_FRAME = '[stack not recorded]';

/** Frames for an unknown lock or file, if blocked time is grouped by these. */
export const NO_LOCK_KNOWN = 'no lock known';
export const NO_FILE_KNOWN = 'no file known';

const WAKER = '← ';

/** Frame of the stack of a thread that ended a wait. */
export function wakerFrame(frame: string): string {
  return WAKER + frame;
}

/** Frame in the thread's own stack, for a frame of a waker. */
export function withoutWaker(frame: string): string {
  return frame.startsWith(WAKER) ? frame.slice(WAKER.length) : frame;
}

/** Call stacks as a tree: each node adds a frame to its parent's stack. Node 0 has no frame. */
export interface ProfileTree {
  readonly frames: readonly string[];
  /** Parent by node: parents come before their children; -1 for node 0. */
  readonly parent: Int32Array;
  /** Index in `frames` by node; -1 for node 0. */
  readonly frame: Int32Array;
  /** Time in this stack itself by node, ns. */
  readonly ns: Float64Array;
  /** Samples taken in this stack itself, by node. */
  readonly samples: Float64Array;
}

export interface ProfileFunction {
  readonly name: string;
  /** Time in the function itself, ns. */
  readonly self: number;
  /** Time in the function and its callees, ns; counted once for a stack that has it twice. */
  readonly total: number;
  readonly selfSamples: number;
  readonly totalSamples: number;
  /** Lines of interpreted code by file and line, with the samples innermost there and anywhere there; absent: not recorded. */
  readonly lines?: readonly (readonly [
    file: string,
    line: number,
    selfSamples: number,
    totalSamples: number,
  ])[];
}

export interface Profile {
  /** Time of all stacks, ns. */
  readonly time: number;
  readonly samples: number;
  readonly tree: ProfileTree;
  readonly functions: readonly ProfileFunction[];
}

export function profileOf(tree: ProfileTree): Profile {
  return {
    time: tree.ns.reduce((sum, ns) => sum + ns, 0),
    samples: tree.samples.reduce((sum, count) => sum + count, 0),
    tree,
    functions: functionsOf(tree),
  };
}

/** Sums of each node including all nodes below it; parents come before their children. */
export function withCallees({ parent }: Pick<ProfileTree, 'parent'>, own: Float64Array): Float64Array {
  const sums = own.slice();
  for (let node = parent.length - 1; node > 0; node--) sums[parent[node]] += sums[node];
  return sums;
}

function functionsOf(tree: ProfileTree): ProfileFunction[] {
  const { frames, parent, frame, ns, samples } = tree;
  const [allNs, allSamples] = [withCallees(tree, ns), withCallees(tree, samples)];
  const columns = () => new Float64Array(frames.length);
  const [self, total, selfSamples, totalSamples] = [columns(), columns(), columns(), columns()];
  for (let node = 1; node < parent.length; node++) {
    const at = frame[node];
    self[at] += ns[node];
    selfSamples[at] += samples[node];
    if (isWithin(tree, parent[node], at)) continue;
    total[at] += allNs[node];
    totalSamples[at] += allSamples[node];
  }
  return frames
    .map((name, at) => ({
      ...{ name, self: self[at], total: total[at] },
      ...{ selfSamples: selfSamples[at], totalSamples: totalSamples[at] },
    }))
    .filter((each) => each.total + each.totalSamples > 0)
    .sort((a, b) => b.total - a.total || b.self - a.self || compareCodePoints(a.name, b.name));
}

function isWithin({ parent, frame }: ProfileTree, node: number, wanted: number): boolean {
  for (let at = node; at > 0; at = parent[at]) if (frame[at] === wanted) return true;
  return false;
}

/** Margin of a share of samples: half the 95 % interval of a binomial share (normal approximation), percentage points. */
export function marginOf(samples: number, all: number): number {
  const share = samples / all;
  return Math.floor(196 * Math.sqrt((share * (1 - share)) / all) * 100 + 0.5) / 100;
}
