/** The call stacks of a host, each once, and those of chunks in terms of them. */
import { TupleIndex } from '../../base/tuple-index.ts';
import { KERNEL_ADDRESS, NAME, type StackChunk } from './stack-chunk.ts';
import { KERNEL, type StackLog } from './stack-log.ts';

/** The stack without frames. */
export const EMPTY = 0;

/** Space of a frame that has a name instead of an address. */
const NAMED = -2;

export class StackForest {
  readonly names: string[] = [];
  readonly #nameRow = new Map<string, number>();
  /** Process, high, low, whether it is a return address; NAMED: row of the name. */
  readonly #frames = new TupleIndex();
  /** Parent, frame. */
  readonly #tree = new TupleIndex();

  constructor() {
    this.#tree.place(-1, -1, 0, 0);
  }

  /** Row of the stack `below` with a frame more. */
  on(below: number, frame: number): number {
    return this.#tree.place(below, frame, 0, 0);
  }

  parentOf(stack: number): number {
    return this.#tree.word(stack, 0);
  }

  frameOf(stack: number): number {
    return this.#tree.word(stack, 1);
  }

  /** Row of a frame of a chunk, whose addresses are of a process. */
  frame({ stacks, texts }: StackChunk, row: number, process: number): number {
    const sort = stacks.sort[row];
    if (sort === NAME) return this.#frames.place(NAMED, 0, this.#name(texts[stacks.low[row]]), 0);
    const space = sort === KERNEL_ADDRESS ? KERNEL : process;
    return this.#frames.place(space, stacks.high[row], stacks.low[row], stacks.isReturn[row]);
  }

  /** Row of the stack of one frame that is called so. */
  named(text: string): number {
    return this.on(EMPTY, this.#frames.place(NAMED, 0, this.#name(text), 0));
  }

  tables(): Pick<StackLog, 'tree' | 'frames' | 'names'> {
    const space = this.#frames.column(0);
    const low = this.#frames.column(2);
    return {
      tree: { parent: this.#tree.column(0), frame: this.#tree.column(1) },
      frames: {
        process: space.map((process) => (process === NAMED ? KERNEL : process)),
        high: this.#frames.column(1),
        low,
        isReturn: this.#frames.column(3),
        name: low.map((row, frame) => (space[frame] === NAMED ? row : -1)),
      },
      names: [...this.names],
    };
  }

  #name(text: string): number {
    const row = this.#nameRow.get(text) ?? this.names.push(text) - 1;
    this.#nameRow.set(text, row);
    return row;
  }
}

/** The stacks of one chunk as rows of the forest. */
export class ChunkRows {
  readonly #forest: StackForest;
  readonly #chunk: StackChunk;
  /** Stack of the chunk, process. */
  readonly #index = new TupleIndex();
  /** Rows of the forest by row of `index`; missing: not known yet. */
  readonly #rows: (number | undefined)[] = [];

  constructor(forest: StackForest, chunk: StackChunk) {
    this.#forest = forest;
    this.#chunk = chunk;
  }

  /** A stack of the chunk, of a thread of this process. Recorded stacks are not deep. */
  stack(stack: number, process: number): number {
    if (stack === EMPTY) return EMPTY;
    const at = this.#index.place(stack, process, 0, 0);
    const known = this.#rows[at];
    if (known !== undefined) return known;
    const { parent, frame } = this.#chunk.stacks;
    const below = this.stack(parent[stack], process);
    const made = this.#forest.on(below, this.frame(frame[stack], process));
    this.#rows[at] = made;
    return made;
  }

  frame(row: number, process: number): number {
    return this.#forest.frame(this.#chunk, row, process);
  }
}
