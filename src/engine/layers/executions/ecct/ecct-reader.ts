/** Enhanced calling context trees of executions (Doray & Dagenais 2016, section 3), one after the other. */
import { assert } from '../../../base/assert.ts';
import type { Path } from '../../../graph/path.ts';
import { QueueRunners } from '../../../graph/queue-runners.ts';
import { type Ecct, type UnionTree, ROOT } from '../union-tree.ts';
import { arrowWords, DiskUsers, type EcctReaders, PathReading } from './path-reading.ts';
import { ThreadContexts } from './thread-contexts.ts';
import type { HistoryGraph } from '../../../graph/history-graph.ts';
import type { KernelStacks, StacksInForce } from '../../stacks/kernel-stacks.ts';
import type { Executions } from '../executions.ts';

/** Sources of execution trees besides their paths. */
export interface EcctSources {
  readonly graph: HistoryGraph;
  /** Hosts in the graph's order. */
  readonly hosts: readonly EcctHost[];
}

export interface EcctHost {
  /** Prefix of its threads if an execution on another host waits for them. */
  readonly name: string;
  /**
   * Stacks at times of the graph, each converted once: `nextChange` is later than the time asked for, and `at` then
   * sees the change.
   */
  readonly stacks: StacksInForce;
}

export class EcctReader {
  readonly #readers: EcctReaders;

  /** @param tree gets the nodes of all executions */
  constructor(sources: EcctSources, tree: UnionTree) {
    const { graph } = sources;
    this.#readers = {
      graph,
      tree,
      arrowTo: arrowWords(
        graph,
        sources.hosts.map(({ name }) => name),
      ),
      hosts: sources.hosts.map(({ stacks }, host) => {
        const data = graph.hostData(host);
        return {
          data,
          contexts: new ThreadContexts(data, stacks, tree),
          queue: new QueueRunners(data),
          disk: new DiskUsers(data),
        };
      }),
    };
  }

  /**
   * Reads all time of a path by `main task`, that of an execution from begin to end. Waits only to load what is not
   * in memory.
   */
  async of(path: Path): Promise<Ecct> {
    const reading = new PathReading(path, this.#readers);
    const { from, to, length } = path.segments;
    let time = 0;
    for (let segment = 0; segment < length; segment++) {
      time += to[segment] - from[segment];
      reading.begin(segment);
      while (!reading.read()) await reading.load();
    }
    const ecct = ecctOf(reading.times);
    const sum = ecct.ns.reduce((all, each) => all + each, 0);
    assert(sum === time, 'the time of a tree is that of its path');
    return ecct;
  }
}

function ecctOf(times: ReadonlyMap<number, number>): Ecct {
  const nodes = Int32Array.from(times.keys()).sort();
  return { nodes, ns: Float64Array.from(nodes, (node) => times.get(node) ?? 0) };
}

/** Contexts without kernel trace: elapsed time of executions' own threads by functions entered. */
export interface ElapsedHost {
  /** Names of threads, as in frames. */
  readonly names: readonly string[];
  /** Stacks at display times, by row of `names`; undefined: there are none. */
  readonly stacks: KernelStacks | undefined;
}

/** @param hosts by index, as in the executions */
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
  return ecctOf(times);
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
