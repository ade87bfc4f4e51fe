/** Enhanced calling context trees of executions (Doray & Dagenais 2016, section 3), one after the other. */
import { assert } from '../../../base/assert.ts';
import type { Path } from '../../../graph/path.ts';
import { QueueRunners } from '../../../graph/queue-runners.ts';
import type { Ecct, UnionTree } from '../union-tree.ts';
import { DiskUsers } from './disk-users.ts';
import type { EcctSources } from './ecct-sources.ts';
import { ArrowWords } from './frame-words.ts';
import { type EcctReaders, PathReading } from './path-reading.ts';
import { ThreadContexts } from './thread-contexts.ts';

export class EcctReader {
  readonly #readers: EcctReaders;

  /** @param tree takes the nodes of all executions */
  constructor(sources: EcctSources, tree: UnionTree) {
    const { graph } = sources;
    this.#readers = {
      graph,
      tree,
      arrows: new ArrowWords(sources),
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
   * All of a path's time, which is that of an execution from its begin to its end. Nothing waits but for a segment of the
   * history that is not in memory; executions that come in order of time load each about once.
   * @param path by criterion `main task`
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
    return ecctOf(reading.times, time);
  }
}

/** @param time what the times of all nodes add up to */
function ecctOf(times: ReadonlyMap<number, number>, time: number): Ecct {
  const nodes = Int32Array.from(times.keys()).sort();
  const ns = Float64Array.from(nodes, (node) => times.get(node) ?? 0);
  const sum = ns.reduce((all, each) => all + each, 0);
  assert(sum === time, 'the time of a tree is that of its path');
  return { nodes, ns };
}
