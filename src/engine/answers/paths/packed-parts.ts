/** Parts of a path as columns, for transfer to the page: a long path has some hundred thousand. */
import { trimmed, widen } from '../../base/columns.ts';
import { TextList } from '../../base/text-list.ts';
import type { PackedBlockers, PackedParts, PathBlocker, PathPart } from '../../protocol/paths.ts';

export class PartPacker {
  #length = 0;
  readonly #texts = new TextList();
  readonly #columns = {
    worker: new Int32Array(0),
    value: new Int32Array(0),
    detail: new Int32Array(0),
    ns: new Float64Array(0),
    segments: new Int32Array(0),
  };
  readonly #blockers = new BlockerPacker(this.#texts);
  readonly #served = new BlockerPacker(this.#texts);

  add({ worker, value, detail, ns, segments, blockers, served }: PathPart): void {
    const c = this.#columns;
    if (this.#length === c.worker.length) widen(c);
    const at = this.#length++;
    c.worker[at] = worker;
    c.value[at] = value;
    c.detail[at] = this.#texts.indexOf(detail);
    c.ns[at] = ns;
    c.segments[at] = segments;
    this.#blockers.add(blockers);
    this.#served.add(served);
  }

  finish(): PackedParts {
    return {
      length: this.#length,
      texts: this.#texts.list,
      ...trimmed(this.#columns, this.#length),
      blockers: this.#blockers.finish(),
      served: this.#served.finish(),
    };
  }
}

class BlockerPacker {
  readonly #start: number[] = [0];
  readonly #text: number[] = [];
  readonly #ns: number[] = [];

  constructor(private readonly texts: TextList) {}

  add(blockers: readonly PathBlocker[]): void {
    for (const { text, ns } of blockers) {
      this.#text.push(this.texts.indexOf(text));
      this.#ns.push(ns);
    }
    this.#start.push(this.#text.length);
  }

  finish(): PackedBlockers {
    return {
      start: Int32Array.from(this.#start),
      text: Int32Array.from(this.#text),
      ns: Float64Array.from(this.#ns),
    };
  }
}

/** Shared by the parts without blockers, which are most. */
const NO_BLOCKERS: readonly PathBlocker[] = [];

export function unpackParts(packed: PackedParts): PathPart[] {
  const { texts, worker, value, detail, ns, segments, blockers, served } = packed;
  const listed = ({ start, text, ns: time }: PackedBlockers, part: number): readonly PathBlocker[] => {
    const length = start[part + 1] - start[part];
    if (length === 0) return NO_BLOCKERS;
    return Array.from({ length }, (_, i) => {
      return { text: texts[text[start[part] + i]], ns: time[start[part] + i] };
    });
  };
  return Array.from({ length: packed.length }, (_, i) => ({
    worker: worker[i],
    value: value[i],
    detail: texts[detail[i]],
    ns: ns[i],
    segments: segments[i],
    blockers: listed(blockers, i),
    served: listed(served, i),
  }));
}
