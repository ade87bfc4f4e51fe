/**
 * Calling contexts of executions where no kernel was recorded: elapsed time of their own threads by the functions that these
 * had entered (Decisions on executions, no kernel recorded). Nothing tells whether they ran, or whom they waited for.
 */
import type { KernelStacks } from '../../stacks/kernel-stacks.ts';
import type { Executions } from '../executions.ts';
import { type Ecct, ROOT, type UnionTree } from '../union-tree.ts';

export interface ElapsedHost {
  /** Names of threads, as they stand in frames. */
  readonly names: readonly string[];
  /** Stacks at display times, and rows of threads as in `names`; undefined: there are none. */
  readonly stacks: KernelStacks | undefined;
}

/** @param hosts by place, as in the executions */
export function elapsedEcct(
  { host, thread, begin, end }: Executions,
  hosts: readonly ElapsedHost[],
  tree: UnionTree,
  execution: number,
): Ecct {
  const row = thread[execution];
  const { names, stacks } = hosts[host[execution]];
  const entered = stacks?.isEntered(row) === true ? stacks : undefined;
  const times = new Map<number, number>();
  // The stacks' times are display times here.
  const to: number = end[execution];
  for (let now: number = begin[execution]; now < to;) {
    const until = Math.min(to, entered?.nextChange(row, now) ?? Infinity);
    const frames = entered?.textsOf(entered.at(row, now)) ?? [];
    const stack = frames.length > 0 ? frames : [names[row]];
    const node = stack.reduce((above, frame) => tree.child(above, frame), ROOT);
    times.set(node, (times.get(node) ?? 0) + until - now);
    now = until;
  }
  const nodes = Int32Array.from(times.keys()).sort();
  return { nodes, ns: Float64Array.from(nodes, (node) => times.get(node) ?? 0) };
}

/** Number of stack samples of each execution; undefined: no thread of the hosts has any. */
export function samplesWithin(
  { length, host, thread, begin, end }: Executions,
  hosts: readonly ElapsedHost[],
): Float64Array | undefined {
  if (!hosts.some(({ stacks }) => stacks?.hasSamples === true)) return undefined;
  return Float64Array.from({ length }, (_, i) => {
    const [from, to]: readonly number[] = [begin[i], end[i]];
    return hosts[host[i]].stacks?.samples(thread[i], from, to).length ?? 0;
  });
}
