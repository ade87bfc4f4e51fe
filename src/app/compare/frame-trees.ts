/** The tree of calling contexts as a flame graph has it: from callers to callees, or the other way round. Pure. */
import type { ExecutionsAnswer } from '../../workers/session-api.ts';

export interface FrameTree {
  /** By node, parents before their children; -1: the root, which is node 0. */
  readonly parent: Int32Array;
  /** By node: index in the frames of the answer; -1: the root. */
  readonly frame: Int32Array;
  /** By node of the answer's tree: the node here whose own time is its own time. */
  readonly place: Int32Array;
}

export function topDown({ parent, frame }: ExecutionsAnswer['tree']): FrameTree {
  return { parent, frame, place: Int32Array.from(parent, (_, node) => node) };
}

/** Roots are the frames in which time was spent, with their callers below. */
export function inverted({ parent, frame, frames }: ExecutionsAnswer['tree']): FrameTree {
  const parents = [-1];
  const ofFrames = [-1];
  const known = new Map<number, number>();
  const childOf = (node: number, text: number) => {
    const key = node * frames.length + text;
    let child = known.get(key);
    if (child === undefined) {
      child = parents.push(node) - 1;
      ofFrames.push(text);
      known.set(key, child);
    }
    return child;
  };
  const place = Int32Array.from(parent, (_, node) => {
    let at = 0;
    for (let caller = node; caller > 0; caller = parent[caller]) at = childOf(at, frame[caller]);
    return at;
  });
  return { parent: Int32Array.from(parents), frame: Int32Array.from(ofFrames), place };
}
