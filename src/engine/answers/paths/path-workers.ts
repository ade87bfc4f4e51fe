/** Workers on a path as the page gets them. */
import { type GraphWorker, NOBODY } from '../../graph/execution-graph.ts';
import type { Path } from '../../graph/path.ts';
import { threadRow, labelOfRow, sharedNames, type SharedNames } from '../context/thread-rows.ts';
import type { PathWorker } from '../../protocol/paths.ts';
import { processOf } from '../rows/process-threads.ts';
import type { PathGraph, PathLocks } from './path-finder.ts';
import { dividedWaitsOn, vainWaitsOn } from './path-locks.ts';

/** The workers of an answer, each once, in order of first use. */
export class WorkerList {
  readonly list: PathWorker[] = [];
  readonly #shared: SharedNames;
  readonly #indices = new Map<GraphWorker, number>();

  constructor(private readonly known: PathGraph) {
    this.#shared = sharedNames(known.hosts);
  }

  /** Place in the list; -1 for NOBODY. */
  indexOf(worker: GraphWorker): number {
    if (worker === NOBODY) return -1;
    const index = this.#indices.get(worker) ?? this.list.push(describe(this.known, this.#shared, worker)) - 1;
    this.#indices.set(worker, index);
    return index;
  }

  textOf(worker: GraphWorker): string {
    return this.list[this.indexOf(worker)].label;
  }
}

/** A path's workers, numbered for its answer and parts: the thread studied, workers of segments, holders of locks. */
export function workersOf(known: PathGraph, path: Path, locks?: PathLocks): WorkerList {
  const workers = new WorkerList(known);
  workers.indexOf(path.worker);
  for (const worker of path.segments.worker) workers.indexOf(worker);
  for (const { worker, chain } of locks === undefined ? [] : vainWaitsOn(path, locks)) {
    workers.indexOf(worker);
    for (const { holder } of chain) workers.indexOf(holder);
  }
  for (const { turns } of locks === undefined ? [] : dividedWaitsOn(path, locks))
    for (const { holder } of turns.turns) workers.indexOf(holder);
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
  const rowOf = (thread: number) => threadRow(hosts[place.host], thread);
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
