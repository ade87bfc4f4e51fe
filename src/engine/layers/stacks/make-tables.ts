/** Tables of a log of call stacks when all modules are known: each address is in the one that was there at its time. */
import { packTexts } from '../../base/text-column.ts';
import { TupleIndex } from '../../base/tuple-index.ts';
import { ModuleFinder } from './module-finder.ts';
import { EMPTY } from './stack-forest.ts';
import type { StackLog } from './stack-log.ts';
import { type StackTables, type ThreadStacks, wideOf } from './stack-tables.ts';

/** Tables without stacks that no thread had in force. */
export function makeTables(log: StackLog): StackTables {
  const resolver = new StackResolver(log);
  const threads = log.threads.map(({ changes, ...thread }): ThreadStacks => {
    const stacks = changes.stacks.map((stack, i) => resolver.stack(stack, changes.times[i]));
    return { ...thread, times: changes.times, stacks };
  });
  return { ...resolver.tables(), threads, modules: log.modules, names: packTexts(log.names) };
}

/** Value in place of the number of loaded modules: what the stack's addresses are in depends on no time. */
const ALWAYS = -1;

class StackResolver {
  readonly #log: StackLog;
  readonly #finder: ModuleFinder;
  /** Modules that it may be in by frame of the log; undefined: not looked up yet. */
  readonly #covering: (readonly number[] | undefined)[] = [];
  /** Process whose modules decide by stack of the log; ALWAYS none. */
  readonly #decidedBy: Int32Array;
  /** Stack of the log, loaded modules: `#made` has the row. */
  readonly #known = new TupleIndex();
  readonly #made: (number | undefined)[] = [];
  /** Frame of the log, module. */
  readonly #frames = new TupleIndex();
  /** Parent, frame. */
  readonly #tree = new TupleIndex();

  constructor(log: StackLog) {
    this.#log = log;
    this.#finder = new ModuleFinder(log.modules);
    this.#decidedBy = this.#decided();
    this.#tree.place(-1, -1, 0, 0);
  }

  /** Row of the tables for a stack of the log that is recorded at `time` (HostNs). */
  stack(stack: number, time: number): number {
    if (stack === EMPTY) return EMPTY;
    const process = this.#decidedBy[stack];
    const loaded = process === ALWAYS ? ALWAYS : this.#finder.loadedAt(process, time);
    const at = this.#known.place(stack, loaded, 0, 0);
    const known = this.#made[at];
    if (known !== undefined) return known;
    const { parent, frame } = this.#log.tree;
    const below = this.stack(parent[stack], time);
    const module = this.#finder.at(this.#modulesOf(frame[stack]), time);
    const made = this.#tree.place(below, this.#frames.place(frame[stack], module, 0, 0), 0, 0);
    this.#made[at] = made;
    return made;
  }

  tables(): Pick<StackTables, 'frames' | 'tree'> {
    const { process, high, low, isReturn, name } = this.#log.frames;
    const logged = this.#frames.column(0);
    return {
      frames: {
        length: logged.length,
        process: logged.map((frame) => process[frame]),
        high: Uint32Array.from(logged, (frame) => high[frame]),
        low: Uint32Array.from(logged, (frame) => low[frame]),
        isReturn: Uint8Array.from(logged, (frame) => isReturn[frame]),
        module: this.#frames.column(1),
        name: logged.map((frame) => name[frame]),
      },
      tree: { length: this.#tree.length, parent: this.#tree.column(0), frame: this.#tree.column(1) },
    };
  }

  #modulesOf(frame: number): readonly number[] {
    const { process, high, low, name } = this.#log.frames;
    this.#covering[frame] ??=
      name[frame] >= 0 ? [] : this.#finder.covering(process[frame], wideOf(low[frame], high[frame]));
    return this.#covering[frame];
  }

  /** A stack comes behind that of its callers, and its addresses are of one process. */
  #decided(): Int32Array {
    const { parent, frame } = this.#log.tree;
    const decidedBy = new Int32Array(parent.length).fill(ALWAYS);
    for (let stack = EMPTY + 1; stack < parent.length; stack++) {
      const isOwn = this.#modulesOf(frame[stack]).length > 1;
      decidedBy[stack] = isOwn ? this.#log.frames.process[frame[stack]] : decidedBy[parent[stack]];
    }
    return decidedBy;
  }
}
