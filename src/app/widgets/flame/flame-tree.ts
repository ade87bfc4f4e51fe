/** The tree of a flame graph, and the boxes of its visible frames when one of them fills the width. Pure. */
import { append } from '../../../engine/base/append.ts';
import { rowsBy } from '../../../engine/base/rows-by.ts';
import { foldedStacks } from '../../../engine/graph/folded-stacks.ts';

/** One frame. Frames are numbered; parents come before their children. */
export interface FlameFrame {
  /** Number of the parent; -1: a root. */
  readonly parent: number;
  readonly text: string;
  /** Shorter text for small boxes. */
  readonly short?: string;
  /** Draw code (draw-codes.ts) of a state, or of a span if colour only distinguishes frames; 0: neutral. */
  readonly code: number;
  /** Quantity that the width stands for, children included. */
  readonly value: number;
  /** Begin of the frame in the unit of `value`, if the graph is in order of time; then all frames have it. */
  readonly at?: number;
  /** Number of samples with the frame, if stacks are samples. */
  readonly samples?: number;
  /** Whether it is placed behind its siblings, whatever its size. */
  readonly isApart?: boolean;
  /** The frame in the other tree, if two are compared. */
  readonly other?: OtherFrame;
}

export interface OtherFrame {
  readonly value: number;
  /** Step of the difference of `value`, from -3 to 3; 0: within normal variation. */
  readonly step: number;
  /** Difference in standard deviations; NaN: nothing varies. */
  readonly effect: number;
  /** Width that the frame needs: at least both values, and the needs of those below it. */
  readonly room: number;
}

export interface FlameTree {
  readonly frames: readonly FlameFrame[];
  /**
   * Children of frame i: `child[start[i] … start[i + 1])`, largest first but for what stands apart, or in order of time; the roots are those of
   * number `frames.length`.
   */
  readonly start: Int32Array;
  readonly child: Int32Array;
  /** Sum over the roots, or the whole time. */
  readonly total: number;
  /** Sum of the widths that the roots need. */
  readonly room: number;
  /** Identity of the numbering: trees with the same object have the same frames with the same numbers. */
  readonly numbering: object;
}

/** Width that the frame needs. */
export function roomOf({ value, other }: FlameFrame): number {
  return other?.room ?? value;
}

/** A frame as it is drawn; x and width in the unit of the width asked for. */
export interface FlameBox {
  readonly frame: number;
  readonly depth: number;
  readonly x: number;
  readonly width: number;
}

/** Least width of a box: narrower ones are left out with their children, except in order of time. */
const LEAST_WIDTH = 0.7;

/** @param whole value of the whole width; default: the sum over the roots */
export function flameTree(
  frames: readonly FlameFrame[],
  numbering: object = frames,
  whole?: number,
): FlameTree {
  const count = frames.length;
  const parents = Int32Array.from(frames, ({ parent }) => (parent < 0 ? count : parent));
  const { start, order: child } = rowsBy(parents, count + 1);
  for (let i = 0; i <= count; i++) {
    if (start[i + 1] - start[i] < 2 || frames[0].at !== undefined) continue;
    const isLast = (frame: number) => Number(frames[frame].isApart ?? false);
    child
      .subarray(start[i], start[i + 1])
      .sort((a, b) => isLast(a) - isLast(b) || roomOf(frames[b]) - roomOf(frames[a]) || a - b);
  }
  const roots = child.subarray(start[count], start[count + 1]);
  const sumOf = (of: (frame: FlameFrame) => number) => roots.reduce((sum, root) => sum + of(frames[root]), 0);
  const total = whole ?? sumOf(({ value }) => value);
  return { frames, start, child, total, room: whole ?? sumOf(roomOf), numbering };
}

/**
 * Boxes of what is seen when `focus` (-1: everything) fills `width`: its ancestors over the whole width, then itself
 * and what is below it, depth by depth. Boxes of one depth are ordered by x.
 */
export function layoutFlame(tree: FlameTree, focus: number, width: number): FlameBox[] {
  const boxes: FlameBox[] = [];
  const above = ancestorsOf(tree, focus);
  above.forEach((frame, depth) => boxes.push({ frame, depth, x: 0, width }));
  const value = focus < 0 ? tree.room : roomOf(tree.frames[focus]);
  if (!(value > 0)) return boxes;
  let level: FlameBox[] =
    focus < 0
      ? childBoxes(tree, tree.frames.length, 0, width / value, 0)
      : [{ frame: focus, depth: above.length, x: 0, width }];
  while (level.length > 0) {
    append(boxes, level);
    level = level.flatMap(({ frame, depth, x }) => childBoxes(tree, frame, x, width / value, depth + 1));
  }
  return boxes;
}

/** Frames from the root down to the frame's parent. */
export function ancestorsOf(tree: FlameTree, frame: number): number[] {
  const above: number[] = [];
  for (let at = frame < 0 ? -1 : tree.frames[frame].parent; at >= 0; at = tree.frames[at].parent)
    above.unshift(at);
  return above;
}

function childBoxes(tree: FlameTree, parent: number, left: number, scale: number, depth: number): FlameBox[] {
  const boxes: FlameBox[] = [];
  let x = left;
  const end = tree.start[parent + 1];
  const hasApart = tree.frames[tree.child[end - 1]]?.isApart === true;
  for (let i = tree.start[parent]; i < end; i++) {
    const frame = tree.child[i];
    const width = roomOf(tree.frames[frame]) * scale;
    const { at } = tree.frames[frame];
    if (at !== undefined) x = left + (at - (tree.frames[parent]?.at ?? 0)) * scale;
    // Children are sorted, so the rest is narrower still, except those set apart. In order of time all are wide enough for
    // most windows.
    else if (width < LEAST_WIDTH && !hasApart) break;
    if (at !== undefined || width >= LEAST_WIDTH) boxes.push({ frame, depth, x, width });
    x += width;
  }
  return boxes;
}

/** The box at a place; depth by row. */
export function boxAt(boxes: readonly FlameBox[], depth: number, x: number): FlameBox | undefined {
  return boxes.find((box) => box.depth === depth && x >= box.x && x < box.x + box.width);
}

/** Value of the frames that match; nested ones count once. */
export function matchedValue(tree: FlameTree, matches: (text: string) => boolean): number {
  const inside = new Uint8Array(tree.frames.length);
  let sum = 0;
  tree.frames.forEach(({ parent, text, value }, i) => {
    if (parent >= 0 && inside[parent] === 1) inside[i] = 1;
    else if (matches(text)) {
      inside[i] = 1;
      sum += value;
    }
  });
  return sum;
}

/** The tree as other flame graph tools read it. */
export function foldedText({ frames }: FlameTree): string {
  const parents = frames.map(({ parent }) => parent);
  const values = frames.map(({ value }) => value);
  return foldedStacks(parents, values, (i) => frames[i].text).join('\n');
}
