/** Adds up time and samples by call stack. */
import { ROOT, UnionTree } from '../../layers/executions/union-tree.ts';
import { type Profile, profileOf } from '../../layers/stacks/profile.ts';

export class ProfileSums {
  readonly tree = new UnionTree();
  /** Times by node of the tree; the last ones may be missing. */
  readonly #ns: number[] = [];
  readonly #samples: number[] = [];

  /**
   * @param frames the outermost first
   * @returns the node of the stack
   */
  add(frames: readonly string[], ns: number, samples: number): number {
    const node = frames.reduce((above, frame) => this.tree.child(above, frame), ROOT);
    this.addAt(node, ns, samples);
    return node;
  }

  addAt(node: number, ns: number, samples: number): void {
    this.#ns[node] = (this.#ns[node] ?? 0) + ns;
    this.#samples[node] = (this.#samples[node] ?? 0) + samples;
  }

  profile(): Profile {
    const { frames, parent, frame } = this.tree;
    return profileOf({
      frames,
      parent: Int32Array.from(parent),
      frame: Int32Array.from(frame),
      ns: Float64Array.from(parent, (_, node) => this.#ns[node] ?? 0),
      samples: Float64Array.from(parent, (_, node) => this.#samples[node] ?? 0),
    });
  }
}
