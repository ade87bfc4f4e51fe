/**
 * What a thread waited for, as a tree (spec 04 section 3): the root is the thread studied; frames alternate a worker, one
 * of its states, the worker that it waited for in that state, and so on. Widths are ns on the path.
 */
import type { GraphWorker } from './execution-graph.ts';
import type { Path } from './path.ts';

/** A state as frames and tables have it: equal states are equal values. */
export interface PathStates {
  /** Of a wait that the path went into. */
  ofWait(worker: GraphWorker, cause: number): number;
  /** Calls `take` for each state that a segment was in, with its ns; they add up to the segment's. */
  ofSegment(segment: number, take: (value: number, ns: number) => void): void;
}

export interface WaitsForTree {
  readonly length: number;
  /** -1: the thread studied. Parents come before their children. */
  readonly parent: readonly number[];
  /** Worker of a worker's frame, else -1. */
  readonly worker: readonly GraphWorker[];
  /** State of a state's frame, else 0. */
  readonly value: readonly number[];
  /** Those below included. */
  readonly ns: readonly number[];
}

export function waitsForTree({ worker: studied, segments, waits }: Path, states: PathStates): WaitsForTree {
  const tree = new TreeBuilder(studied);
  /** The frame of the state that each wait is. */
  const frameOfWait = new Int32Array(waits.length);
  for (let wait = 0; wait < waits.length; wait++) {
    const around = waits.parent[wait] < 0 ? -1 : frameOfWait[waits.parent[wait]];
    const waiter = tree.ofWorker(around, waits.worker[wait]);
    frameOfWait[wait] = tree.ofState(waiter, states.ofWait(waits.worker[wait], waits.cause[wait]));
  }
  for (let i = 0; i < segments.length; i++) {
    const wait = segments.wait[i];
    const frame = tree.ofWorker(wait < 0 ? -1 : frameOfWait[wait], segments.worker[i]);
    states.ofSegment(i, (value, ns) => tree.add(tree.ofState(frame, value), ns));
  }
  return tree.finish();
}

class TreeBuilder {
  readonly #parent: number[] = [-1];
  readonly #worker: number[];
  readonly #value: number[] = [0];
  readonly #ns: number[] = [0];
  /** Children by frame, and by worker or state. */
  readonly #ofWorker: Map<number, number>[] = [new Map()];
  readonly #ofState: Map<number, number>[] = [new Map()];

  constructor(root: GraphWorker) {
    this.#worker = [root];
  }

  /** Frame of a worker that is waited for in state `frame`; -1: nothing is waited for. */
  ofWorker(frame: number, worker: GraphWorker): number {
    if (frame < 0 && worker === this.#worker[0]) return 0;
    // Who comes before the studied thread without a wait (its creator) stands below it.
    return this.#child(this.#ofWorker[Math.max(0, frame)], Math.max(0, frame), worker, worker, 0);
  }

  ofState(frame: number, value: number): number {
    return this.#child(this.#ofState[frame], frame, value, -1, value);
  }

  add(frame: number, ns: number): void {
    this.#ns[frame] += ns;
  }

  /** Frames without time are left out: their parts are elsewhere. */
  finish(): WaitsForTree {
    const ns = this.#ns;
    for (let i = ns.length - 1; i > 0; i--) ns[this.#parent[i]] += ns[i];
    const kept = ns.map((own, i) => own > 0 || i === 0);
    const place = new Int32Array(ns.length);
    let length = 0;
    kept.forEach((keep, i) => (place[i] = keep ? length++ : -1));
    const keep = <T>(column: readonly T[]): T[] => column.filter((_, i) => kept[i]);
    return {
      length,
      parent: keep(this.#parent).map((parent) => (parent < 0 ? -1 : place[parent])),
      worker: keep(this.#worker),
      value: keep(this.#value),
      ns: keep(ns),
    };
  }

  #child(children: Map<number, number>, parent: number, key: number, worker: number, value: number): number {
    const known = children.get(key);
    if (known !== undefined) return known;
    const frame = this.#parent.push(parent) - 1;
    this.#worker.push(worker);
    this.#value.push(value);
    this.#ns.push(0);
    this.#ofWorker.push(new Map());
    this.#ofState.push(new Map());
    children.set(key, frame);
    return frame;
  }
}

/** Folded stacks: a line for each frame with time of its own, from the root on, and that time. */
export function foldedStacks(
  tree: WaitsForTree,
  textOf: (worker: GraphWorker, value: number) => string,
): string[] {
  const own = [...tree.ns];
  for (let i = 1; i < tree.length; i++) own[tree.parent[i]] -= tree.ns[i];
  const stacks: string[] = [];
  const lines: string[] = [];
  for (let i = 0; i < tree.length; i++) {
    const text = textOf(tree.worker[i], tree.value[i]).replaceAll(';', ',').replaceAll('\n', ' ');
    stacks.push(tree.parent[i] < 0 ? text : `${stacks[tree.parent[i]]};${text}`);
    if (own[i] > 0) lines.push(`${stacks[i]} ${own[i]}`);
  }
  return lines;
}
