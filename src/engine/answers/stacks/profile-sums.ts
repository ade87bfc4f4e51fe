/** Adds up time and samples by call stack. */
import { ROOT, UnionTree } from '../../layers/executions/union-tree.ts';
import { compareCodePoints } from '../../base/compare.ts';
import type { KernelStacks } from '../../layers/stacks/kernel-stacks.ts';
import { type Profile, type ProfileFunction, profileOf } from '../../layers/stacks/profile.ts';

interface LineSamples {
  readonly file: string;
  readonly line: number;
  self: number;
  total: number;
}

export class ProfileSums {
  readonly tree = new UnionTree();
  /** Frame for the time of one thread without a known stack. */
  withoutStack: string | undefined;
  /** Times by node of the tree; trailing ones may be missing. */
  readonly #ns: number[] = [];
  readonly #samples: number[] = [];
  /** Lines by function, then by file and line. */
  readonly #lines = new Map<string, Map<string, LineSamples>>();

  /**
   * @param frames outermost first
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

  /** Adds lines of interpreted code in the samples of threads within [from, to] (HostNs). */
  addLines(stacks: KernelStacks | undefined, threads: readonly number[], from: number, to: number): void {
    for (const thread of threads)
      for (const [stack, samples] of stacks?.samplesByStack(thread, from, to) ?? []) {
        const seen = new Set<string>();
        for (const { text, file, line, isInnermost } of stacks?.linesOf(stack) ?? []) {
          const key = JSON.stringify([file, line]);
          const lines = this.#lines.get(text) ?? new Map<string, LineSamples>();
          this.#lines.set(text, lines);
          const known = lines.get(key) ?? { file, line, self: 0, total: 0 };
          lines.set(key, known);
          if (isInnermost) known.self += samples;
          const place = `${key} ${text}`;
          if (!seen.has(place)) known.total += samples;
          seen.add(place);
        }
      }
  }

  profile(): Profile {
    const profile = this.#profile();
    const functions = profile.functions.map((each) => ({ ...each, lines: this.#linesOf(each.name) }));
    return this.#lines.size === 0 ? profile : { ...profile, functions };
  }

  #linesOf(name: string): ProfileFunction['lines'] {
    const lines = this.#lines.get(name);
    return (
      lines &&
      [...lines.values()]
        .sort((a, b) => compareCodePoints(a.file, b.file) || a.line - b.line)
        .map(({ file, line, self, total }) => [file, line, self, total] as const)
    );
  }

  #profile(): Profile {
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
