/** Log of a host's call stacks: a tree of all of them, each once, and stacks of chunks as its rows. */
import type { Growing } from '../../base/columns.ts';
import { TextList } from '../../base/text-list.ts';
import { TupleIndex } from '../../base/tuple-index.ts';
import { KERNEL_ADDRESS, NAME, type StackChunk } from './stack-chunk.ts';
import type { EventThread } from '../contract/event-threads.ts';
import type { FunctionEntries, LoadedModule, ProcessMemory } from './stack-tables.ts';

/** Process number for the kernel's memory. */
export const KERNEL = -1;

/** Stacks as recorded, or from entries and exits of functions; columns of equal length. */
export interface StackChanges {
  /** HostNs, ascending. */
  readonly times: Float64Array;
  /** Rows of the tree; -1: only the part in the kernel was recorded. */
  readonly stacks: Int32Array;
  /** Rows of the parts in the kernel. */
  readonly inside: Int32Array;
}

/** Columns of `StackChanges` without rows. */
export function noStackChanges(): Growing<StackChanges> {
  return { times: new Float64Array(0), stacks: new Int32Array(0), inside: new Int32Array(0) };
}

export interface LoggedThread extends EventThread {
  /** Whether entries or exits of its functions were recorded. */
  readonly isEntered: boolean;
  /** Changes from entries and exits of functions if the thread has any, else from samples and contexts. */
  readonly changes: StackChanges;
  /** Rows of the log's frames. */
  readonly entries: FunctionEntries | undefined;
  /** HostNs, ascending. */
  readonly samples: Float64Array;
}

export interface StackLog {
  readonly tree: {
    /** The stack of the callers, an earlier row; -1 for row 0, which has no frames. */
    readonly parent: Int32Array;
    /** Row of `frames`. */
    readonly frame: Int32Array;
  };
  readonly frames: {
    /** KERNEL: a kernel address. */
    readonly process: Int32Array;
    readonly high: Int32Array;
    readonly low: Int32Array;
    readonly isReturn: Int32Array;
    /** Row of `names`; -1: it is an address. */
    readonly name: Int32Array;
  };
  readonly names: readonly string[];
  /** Stack of a thread in a system call without a stack of its own. */
  readonly notRecorded: number;
  /** Threads in order of their first stack. */
  readonly threads: readonly LoggedThread[];
  /** Modules in order of their events. */
  readonly modules: readonly LoadedModule[];
  readonly memories: readonly ProcessMemory[];
  /** Numbers of processes in namespaces of their own, as in the tables. */
  readonly inside: readonly (readonly [process: number, number: number])[];
  /** Events that were not used, by reason. */
  readonly problems: Readonly<Record<string, number>>;
}

/** The stack without frames. */
export const EMPTY = 0;

/** Space of a named frame of process 0; that of process n is n less. */
const NAMED = -2;

export class StackForest {
  readonly #names = new TextList();
  /** Process, high, low, whether it is a return address; for a named one row of its file, row of its name, line. */
  readonly #frames = new TupleIndex();
  /** Parent, frame. */
  readonly #tree = new TupleIndex();

  constructor() {
    this.#tree.place(-1, -1, 0, 0);
  }

  /** Row of the stack `below` with one more frame. */
  on(below: number, frame: number): number {
    return this.#tree.place(below, frame, 0, 0);
  }

  parentOf(stack: number): number {
    return this.#tree.word(stack, 0);
  }

  frameOf(stack: number): number {
    return this.#tree.word(stack, 1);
  }

  /** Row of a frame of a chunk, whose addresses belong to a process. */
  frame({ stacks, texts }: StackChunk, row: number, process: number): number {
    const sort = stacks.sort[row];
    if (sort === NAME) {
      const file = stacks.high[row] < 0 ? -1 : this.#names.indexOf(texts[stacks.high[row]]);
      const name = this.#names.indexOf(texts[stacks.low[row]]);
      return this.#frames.place(NAMED - Math.max(process, 0), file, name, stacks.isReturn[row]);
    }
    const space = sort === KERNEL_ADDRESS ? KERNEL : process;
    return this.#frames.place(space, stacks.high[row], stacks.low[row], stacks.isReturn[row]);
  }

  /** Row of a stack with a single frame of this name. */
  named(text: string): number {
    return this.on(EMPTY, this.#frames.place(NAMED, -1, this.#names.indexOf(text), -1));
  }

  tables(): Pick<StackLog, 'tree' | 'frames' | 'names'> {
    const [space, high, low, isReturn] = [0, 1, 2, 3].map((word) => this.#frames.column(word));
    const isNamed = (frame: number) => space[frame] <= NAMED;
    return {
      tree: { parent: this.#tree.column(0), frame: this.#tree.column(1) },
      frames: {
        process: space.map((process) => (process <= NAMED ? NAMED - process : process)),
        // Named frames have file and line in place of an address.
        high: high.map((word, frame) => (isNamed(frame) ? word + 1 : word)),
        low: low.map((word, frame) => (isNamed(frame) ? Math.max(isReturn[frame], 0) : word)),
        isReturn: isReturn.map((word, frame) => (isNamed(frame) ? 0 : word)),
        name: low.map((row, frame) => (isNamed(frame) ? row : -1)),
      },
      names: [...this.#names.list],
    };
  }
}

/** The stacks of one chunk as rows of the forest. */
export class ChunkRows {
  /** Stack of the chunk, process. */
  readonly #index = new TupleIndex();
  /** Rows of the forest by row of `index`; missing: not known yet. */
  readonly #rows: (number | undefined)[] = [];

  constructor(
    private readonly forest: StackForest,
    private readonly chunk: StackChunk,
  ) {}

  /** Row of a stack of the chunk for a thread of this process. Recursive, as recorded stacks are not deep. */
  stack(stack: number, process: number): number {
    if (stack === EMPTY) return EMPTY;
    const at = this.#index.place(stack, process, 0, 0);
    const known = this.#rows[at];
    if (known !== undefined) return known;
    const { parent, frame } = this.chunk.stacks;
    const below = this.stack(parent[stack], process);
    const made = this.forest.on(below, this.frame(frame[stack], process));
    this.#rows[at] = made;
    return made;
  }

  frame(row: number, process: number): number {
    return this.forest.frame(this.chunk, row, process);
  }
}
