/** Workers on a path as the page gets them. */
import { type GraphWorker, NOBODY } from '../../graph/execution-graph.ts';
import type { Path } from '../../graph/path.ts';
import { threadKey } from '../../linux/states/reduce/thread-table.ts';
import { labelOfRow, sharedNames, type SharedNames } from '../context/thread-labels.ts';
import type { PathWorker } from '../../protocol/paths.ts';
import { processOf } from '../rows/process-threads.ts';
import type { PathGraph, PathLocks } from './path-finder.ts';
import { dividedWaitsOn, vainWaitsOn } from './path-locks.ts';

/** The workers of an answer, each once, in order of first use. */
export class WorkerList {
  readonly list: PathWorker[] = [];
  readonly #known: PathGraph;
  readonly #shared: SharedNames;
  readonly #indices = new Map<GraphWorker, number>();

  constructor(known: PathGraph) {
    this.#known = known;
    this.#shared = sharedNames(known.hosts);
  }

  indexOf(worker: GraphWorker): number {
    const index = this.#indices.get(worker);
    if (index !== undefined) return index;
    this.#indices.set(worker, this.list.length);
    return this.list.push(describe(this.#known, this.#shared, worker)) - 1;
  }

  textOf(worker: GraphWorker): string {
    return this.list[this.indexOf(worker)].label;
  }
}

/**
 * The workers of a path by the numbers that its answer and its parts have in common: first who was asked for, who has a
 * name also where no segment is its own, then those of the segments, then who held locks.
 */
export function workersOf(known: PathGraph, path: Path, locks?: PathLocks): WorkerList {
  const workers = new WorkerList(known);
  workers.indexOf(path.worker);
  for (const worker of path.segments.worker) workers.indexOf(worker);
  for (const { worker, chain } of locks === undefined ? [] : vainWaitsOn(path, locks)) {
    workers.indexOf(worker);
    for (const { holder } of chain) if (holder !== NOBODY) workers.indexOf(holder);
  }
  for (const { turns } of locks === undefined ? [] : dividedWaitsOn(path, locks))
    for (const { holder } of turns.turns) if (holder !== NOBODY) workers.indexOf(holder);
  return workers;
}

function describe({ graph, hosts }: PathGraph, shared: SharedNames, worker: GraphWorker): PathWorker {
  const place = graph.place(worker);
  const { index, tables } = hosts[place.host];
  if (place.thread < 0) {
    const { cpu } = place;
    const name = `Interrupts of CPU ${cpu}`;
    return { row: undefined, name, label: name, tid: undefined, host: index, cpu };
  }
  const { threads } = tables;
  const rowOf = (thread: number) => `thread:${index}:${threadKey(threads, thread)}`;
  const { leader, name: process } = processOf(threads, place.thread);
  return {
    row: rowOf(place.thread),
    name: threads.name[place.thread] || 'a thread',
    label: labelOfRow(shared, threads, place.thread),
    tid: threads.tid[place.thread],
    host: index,
    cpu: undefined,
    process: { id: rowOf(leader), name: process, pid: threads.tid[leader] },
  };
}
