/** Keys of a flame graph. Pure. */
import type { FlameBox, FlameTree } from './flame-tree.ts';

export interface FlameStep {
  /** -1: everything. */
  readonly frame: number;
  /** The frame gets the width; else it gets the focus. */
  readonly zooms: boolean;
}

/** The step that a key asks for; undefined: none. `focused`: -1 for no frame. An arrow that leads nowhere stays there. */
export function flameKey(
  key: string,
  boxes: readonly FlameBox[],
  tree: FlameTree,
  focused: number,
): FlameStep | undefined {
  const at = boxes.find((box) => box.frame === focused);
  const go = (box: FlameBox | undefined): FlameStep => ({ frame: box?.frame ?? focused, zooms: false });
  switch (key) {
    case 'ArrowDown':
      return go(at ? boxes.find((box) => tree.frames[box.frame].parent === at.frame) : boxes[0]);
    case 'ArrowUp':
      return go(at && boxes.find((box) => box.frame === tree.frames[at.frame].parent));
    case 'ArrowLeft':
      return go(at && boxes.findLast((box) => box.depth === at.depth && box.x < at.x));
    case 'ArrowRight':
      return go(at && boxes.find((box) => box.depth === at.depth && box.x > at.x));
    case 'Enter':
      return focused < 0 ? undefined : { frame: focused, zooms: true };
    case 'Backspace':
      return { frame: focused < 0 ? -1 : tree.frames[focused].parent, zooms: true };
    case 'Home':
      return { frame: -1, zooms: true };
    default:
      return undefined;
  }
}
