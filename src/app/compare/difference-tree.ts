/** Two groups as one flame graph: the frames of B, each with its value in A. Pure. */
import { NORMAL } from '../../engine/layers/executions/ranking/contrast.ts';
import { formatDuration } from '../format/numbers.ts';
import { flameTree, type FlameFrame, type FlameTree } from '../widgets/flame/flame-tree.ts';
import type { FrameTree } from '../widgets/flame/call-trees.ts';
import { effectAt, type GroupSums } from './group-sums.ts';

/** Standard deviations from which on the second and third step of colour are used. */
const LARGE = 1;
const VERY_LARGE = 2;

/**
 * Frame i of the graph is node i + 1 of the tree. Its value is ns, the mean in B.
 * @param texts by frame of the tree, safe to show
 */
export function differenceTree(
  { parent, frame, ...tree }: FrameTree,
  texts: readonly string[],
  a: GroupSums,
  b: GroupSums,
): FlameTree {
  const rooms = roomsOf(parent, a, b);
  const frames: FlameFrame[] = [];
  for (let node = 1; node < parent.length; node++) {
    const [meanA, meanB] = [a.mean(node), b.mean(node)];
    const effect = effectAt(a, b, node);
    const step = stepOf(meanB - meanA, effect);
    frames.push({
      parent: parent[node] - 1,
      text: texts[frame[node]],
      code: 0,
      value: meanB,
      other: { value: meanA, step, effect, room: rooms[node] },
    });
  }
  return flameTree(frames, tree.place);
}

/** Width of each node: the larger of its two means, or the sum of its children's widths if that is more. */
function roomsOf(parent: Int32Array, a: GroupSums, b: GroupSums): Float64Array {
  const rooms = new Float64Array(parent.length);
  const below = new Float64Array(parent.length);
  // Children come after their parents.
  for (let node = parent.length - 1; node > 0; node--) {
    rooms[node] = Math.max(a.mean(node), b.mean(node), below[node]);
    below[parent[node]] += rooms[node];
  }
  return rooms;
}

/** Step of a difference, -3 to 3; 0: within normal variation. Where neither group varies it is the largest. */
function stepOf(difference: number, effect: number): number {
  const size = Number.isNaN(effect) ? Infinity : Math.abs(effect);
  const step = size >= VERY_LARGE ? 3 : size >= LARGE ? 2 : size >= NORMAL ? 1 : 0;
  return step * Math.sign(difference);
}

/** "in B on average, 0.007 ms in A: 8.088 ms more, 23.9 standard deviations" */
export function differenceWords({ value, other }: FlameFrame): string {
  const { value: meanA, effect } = other ?? { value: 0, effect: NaN };
  const difference = value - meanA;
  const size = `${formatDuration(Math.abs(difference))} ${difference < 0 ? 'less' : 'more'}`;
  const deviations = Number.isNaN(effect) ? '' : `, ${Math.abs(effect).toFixed(1)} standard deviations`;
  const ofA = meanA === 0 ? 'not in A' : `${formatDuration(meanA)} in A`;
  return `in B on average, ${ofA}: ${difference === 0 ? 'no difference' : size + deviations}`;
}
