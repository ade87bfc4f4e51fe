/** Merges the call stacks of all streams of a host, in their total order, into one tree and columns of each thread. */
import { NO_THREAD } from '../contract/event-threads.ts';
import { ThreadReducer } from '../contract/layer-reducer.ts';
import { readModule } from './module-events.ts';
import { ModuleLog } from './module-log.ts';
import { LeafRows, StackForest } from './stack-forest.ts';
import * as l from './stack-chunk.ts';
import type { StackLeaf } from './stack-chunk.ts';
import type { StackLog } from './stack-log.ts';
import { ThreadColumns } from './thread-columns.ts';
import { wideOf } from './stack-tables.ts';

/** Reason why events were not used. */
const NO_THREAD_KNOWN = 'call stack without thread';

export class StackReducer extends ThreadReducer<StackLeaf, StackLog> {
  readonly #forest = new StackForest();
  readonly #modules = new ModuleLog();
  /** Columns by thread, in order of their first event. */
  readonly #columns = new Map<number, ThreadColumns>();
  readonly #leafRows = new WeakMap<StackLeaf, LeafRows>();
  #withoutThread = 0;

  soFar(): StackLog {
    return {
      ...this.#forest.tables(),
      threads: Array.from(this.#columns, ([thread, columns]) => ({
        ...this.threads.list[thread],
        ...columns.columns(),
      })),
      modules: this.#modules.modules(),
      problems: this.#withoutThread === 0 ? {} : { [NO_THREAD_KNOWN]: this.#withoutThread },
    };
  }

  protected event(leaf: StackLeaf, i: number, at: number): void {
    switch (leaf.kind[i]) {
      case l.S_STACK:
      case l.S_CALL:
      case l.S_ENTER:
      case l.S_LEAVE:
        this.#inThread(leaf, i, at);
        break;
      case l.S_EMPTY:
        this.#empty(leaf.args[at], leaf.cpu[i]);
        break;
      case l.S_OPEN:
      case l.S_MAP:
      case l.S_RETURN:
        this.#call(leaf, i, at);
        break;
      default:
        readModule(leaf, i, this.threads, this.#modules);
    }
  }

  #rowsOf(leaf: StackLeaf): LeafRows {
    let rows = this.#leafRows.get(leaf);
    if (rows === undefined) this.#leafRows.set(leaf, (rows = new LeafRows(this.#forest, leaf)));
    return rows;
  }

  /** A stack, the end of a call, or an entry or exit of a function. */
  #inThread(leaf: StackLeaf, i: number, at: number): void {
    const { kind, cpu, args } = leaf;
    const { now } = this;
    const context = args[at];
    const thread =
      context < 0
        ? this.threads.ofKernel(args[at + 1], cpu[i], now)
        : this.threads.ofContext(leaf, context, cpu[i], now);
    if (thread === NO_THREAD) {
      this.#withoutThread++;
      return;
    }
    const process = this.threads.processOf(thread);
    const columns = this.#columnsOf(thread);
    const rows = this.#rowsOf(leaf);
    const what = args[at + 2];
    if (kind[i] === l.S_STACK) columns.record(now, rows.stack(what, process), args[at + 3] === 1);
    else if (kind[i] === l.S_CALL)
      columns.recordCall(now, Number(wideOf(args[at + 3], args[at + 4])), rows.stack(what, process));
    else if (kind[i] === l.S_ENTER) columns.enter(now, rows.frame(what, process));
    else columns.leave(now, what < 0 ? what : rows.frame(what, process));
  }

  #columnsOf(thread: number): ThreadColumns {
    const known = this.#columns.get(thread) ?? new ThreadColumns(this.#forest);
    this.#columns.set(thread, known);
    return known;
  }

  #empty(tid: number, cpu: number): void {
    const thread = tid > 0 ? this.threads.ofKernel(tid, cpu, this.now) : NO_THREAD;
    this.#columns.get(thread)?.empty(this.now);
  }

  #call({ kind, cpu, args, texts }: StackLeaf, i: number, at: number): void {
    const thread = this.threads.ofKernel(args[at], cpu[i], this.now);
    if (thread === NO_THREAD) return;
    const wide = (word: number) => wideOf(args[at + word], args[at + word + 1]);
    if (kind[i] === l.S_OPEN) this.#modules.open(thread, texts[args[at + 1]] ?? '');
    else if (kind[i] === l.S_MAP) this.#modules.map(thread, args[at + 1], wide(2), wide(4));
    else this.#modules.return(thread, this.threads.processOf(thread), args[at + 1] === 1, wide(2), this.now);
  }
}
