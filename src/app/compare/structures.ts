/** Executions of equal structure: the same set of frames, whatever their positions and times. Pure. */
import { cachedByKey } from '../../engine/base/cached-by-key.ts';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import { formatCount } from '../format/numbers.ts';
import { joined, plural } from '../format/text.ts';
import { frameWords } from '../../engine/layers/executions/ranking/cause-words.ts';

export interface Structure {
  readonly executions: number;
  readonly frames: ReadonlySet<string>;
}

interface Structures {
  /** Structures, those of most executions first. */
  readonly structures: readonly Structure[];
  /** Place in `structures` of each execution. */
  readonly number: Int32Array;
}

/** Finds the structures, once for each answer. */
export const structuresOf = cachedByKey(({ length, start, nodes, tree }: ExecutionsAnswer): Structures => {
  const { frames, frame, parent } = tree;
  const first = new Int32Array(length);
  const known = new Map<
    string,
    { readonly execution: number; readonly frames: readonly number[]; count: number }
  >();
  /** Last execution that has each node, and each frame; -1: none. */
  const [seenNode, seenFrame] = [
    new Int32Array(parent.length).fill(-1),
    new Int32Array(frames.length).fill(-1),
  ];
  for (let i = 0; i < length; i++) {
    const own: number[] = [];
    for (let row = start[i]; row < start[i + 1]; row++)
      for (let node = nodes[row]; node > 0 && seenNode[node] !== i; node = parent[node]) {
        seenNode[node] = i;
        if (seenFrame[frame[node]] !== i) own.push(frame[node]);
        seenFrame[frame[node]] = i;
      }
    own.sort((a, b) => a - b);
    const key = own.join(' ');
    const same = known.get(key);
    if (same === undefined) known.set(key, { execution: i, frames: own, count: 1 });
    else same.count++;
    first[i] = same?.execution ?? i;
  }
  const ordered = [...known.values()].sort((a, b) => b.count - a.count || a.execution - b.execution);
  const places = new Map(ordered.map(({ execution }, place) => [execution, place]));
  return {
    structures: ordered.map((one) => ({
      executions: one.count,
      frames: new Set(one.frames.map((text) => frames[text])),
    })),
    number: first.map((execution) => places.get(execution) ?? -1),
  };
});

/** Most frames that are named. */
const MOST_NAMED = 2;

/** Difference of a structure from the most frequent one: "with System call futex and 3 others, without parse" */
export function structureText(structures: readonly Structure[], place: number): string {
  const [usual, own] = [structures[0]?.frames, structures[place]?.frames];
  if (usual === undefined || own === undefined) return 'no execution';
  const parts = [differenceText('with', own, usual), differenceText('without', usual, own)];
  return joined(parts) || 'the frames that most have';
}

function differenceText(word: string, has: ReadonlySet<string>, lacks: ReadonlySet<string>): string {
  const frames = [...has].filter((text) => !lacks.has(text));
  if (frames.length === 0) return '';
  // The last ones are the innermost.
  const named = frames.slice(-MOST_NAMED).map(frameWords).join(', ');
  const others = frames.length - MOST_NAMED;
  return `${word} ${named}${others > 0 ? ` and ${formatCount(others)} other${others === 1 ? '' : 's'}` : ''}`;
}

/** "18 executions, with System call futex" */
export function structureTitle(structures: readonly Structure[], place: number): string {
  return `${plural(structures[place].executions, 'execution')}, ${structureText(structures, place)}`;
}
