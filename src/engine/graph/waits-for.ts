/**
 * Waits of a thread as a tree: the root is the thread studied; frames alternate between a worker, one of its states,
 * the worker that it waited for in that state, and so on. Below a state in which it could not run is the blocker that
 * took the time (`part-columns.ts`). Widths are ns on the path.
 */
import type { Blocker } from './part-columns.ts';
import type { GraphWorker } from './execution-graph.ts';
import type { Path } from './path.ts';
import { waitValue, type SegmentParts } from './segment-parts.ts';

/** A worker of the graph; a state, like `Parts.value`; or a blocker that is no worker, by its number. */
type FrameKind = 'worker' | 'state' | 'blocker';

export interface WaitsForTree {
  readonly length: number;
  /** -1: the thread studied. Parents come before their children. */
  readonly parent: readonly number[];
  readonly kind: readonly FrameKind[];
  /** Subject of the frame, by its kind. */
  readonly subject: readonly number[];
  /** Time of the frame with those below, ns. */
  readonly ns: readonly number[];
}

export function waitsForTree(
  { worker: studied, segments, waits }: Path,
  { parts, blockers }: SegmentParts,
): WaitsForTree {
  const tree = new TreeBuilder(studied);
  /** Frame of the state that each wait is. */
  const frameOfWait = new Int32Array(waits.length);
  for (let wait = 0; wait < waits.length; wait++) {
    const around = waits.parent[wait] < 0 ? -1 : frameOfWait[waits.parent[wait]];
    const waiter = tree.ofWorker(around, waits.worker[wait]);
    frameOfWait[wait] = tree.child(waiter, 'state', waitValue(waits.cause[wait]));
  }
  for (let i = 0; i < segments.length; i++) {
    const wait = segments.wait[i];
    const frame = tree.ofWorker(wait < 0 ? -1 : frameOfWait[wait], segments.worker[i]);
    for (let part = parts.start[i]; part < parts.start[i + 1]; part++) {
      const state = tree.child(frame, 'state', parts.value[part]);
      tree.add(frameOfBlocker(tree, state, parts.blocker[part], blockers), parts.ns[part]);
    }
  }
  return tree.finish();
}

/** Frame of a blocker; `state` itself if nobody is known. */
function frameOfBlocker(
  tree: TreeBuilder,
  state: number,
  number: number,
  blockers: readonly Blocker[],
): number {
  if (number < 0) return state;
  const blocker = blockers[number];
  switch (blocker.kind) {
    case 'unknown':
      return state;
    case 'thread':
      return tree.child(state, 'worker', blocker.worker);
    default:
      return tree.child(state, 'blocker', number);
  }
}

interface Frame {
  readonly parent: number;
  readonly kind: FrameKind;
  readonly subject: number;
  /** Numbers of the frames below it by `subject` and kind. */
  readonly children: Map<number, number>;
  ns: number;
}

const NUMBER_OF_KIND: Readonly<Record<FrameKind, number>> = { worker: 0, state: 1, blocker: 2 };

class TreeBuilder {
  readonly #frames: Frame[] = [];
  readonly #studied: GraphWorker;

  constructor(studied: GraphWorker) {
    this.#studied = studied;
    this.#push(-1, 'worker', studied);
  }

  /** Frame of a worker that is waited for in state `frame`; -1: nothing is waited for. */
  ofWorker(frame: number, worker: GraphWorker): number {
    if (frame < 0 && worker === this.#studied) return 0;
    // A worker before the studied thread without a wait (its creator) is put below it.
    return this.child(Math.max(0, frame), 'worker', worker);
  }

  child(parent: number, kind: FrameKind, subject: number): number {
    const { children } = this.#frames[parent];
    const key = 3 * subject + NUMBER_OF_KIND[kind];
    const known = children.get(key);
    if (known !== undefined) return known;
    const frame = this.#push(parent, kind, subject);
    children.set(key, frame);
    return frame;
  }

  add(frame: number, ns: number): void {
    this.#frames[frame].ns += ns;
  }

  /** Drops frames without time, whose parts are elsewhere. */
  finish(): WaitsForTree {
    const frames = this.#frames;
    for (let i = frames.length - 1; i > 0; i--) frames[frames[i].parent].ns += frames[i].ns;
    const kept = frames.filter(({ ns }, i) => ns > 0 || i === 0);
    const place = new Map(kept.map((frame, i) => [frame, i]));
    return {
      length: kept.length,
      parent: kept.map(({ parent }) => (parent < 0 ? -1 : (place.get(frames[parent]) ?? -1))),
      kind: kept.map(({ kind }) => kind),
      subject: kept.map(({ subject }) => subject),
      ns: kept.map(({ ns }) => ns),
    };
  }

  #push(parent: number, kind: FrameKind, subject: number): number {
    return this.#frames.push({ parent, kind, subject, children: new Map(), ns: 0 }) - 1;
  }
}
