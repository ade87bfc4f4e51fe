/** Merges the call stacks of all streams of a host, in their total order, into one tree and columns of each thread. */
import type { Reducer } from '../../analysis/contract.ts';
import { E_LOSS, E_SWITCH } from '../contract/event-chunk.ts';
import { EventThreads, NO_THREAD } from '../contract/event-threads.ts';
import type { KernelThreads } from '../contract/threads.ts';
import { readModule } from './module-events.ts';
import { ModuleLog, wideOf } from './module-log.ts';
import { LeafRows, StackForest } from './stack-forest.ts';
import * as l from './stack-chunk.ts';
import type { StackLeaf } from './stack-chunk.ts';
import type { StackLog } from './stack-log.ts';
import { ThreadColumns } from './thread-columns.ts';

/** Why events were not used. */
const NO_THREAD_KNOWN = 'call stack without thread';

export class StackReducer implements Reducer<StackLeaf, StackLog> {
  readonly #threads: EventThreads;
  readonly #forest = new StackForest();
  readonly #modules = new ModuleLog();
  /** By thread, in order of their first event. */
  readonly #columns = new Map<number, ThreadColumns>();
  readonly #leafRows = new WeakMap<StackLeaf, LeafRows>();
  #withoutThread = 0;

  /** @param kernel undefined: there is no kernel's trace of the host */
  constructor(kernel: KernelThreads | undefined) {
    this.#threads = new EventThreads(kernel);
  }

  run(leaf: StackLeaf, from: number, to: number): void {
    const rows = this.#rowsOf(leaf);
    const { kind, cpu, time, place, args } = leaf;
    for (let i = from; i < to; i++) {
      const at = place[i];
      switch (kind[i]) {
        case E_SWITCH:
          this.#threads.switchTo(cpu[i], args[at]);
          break;
        case E_LOSS:
          if (args[at] === 0) this.#threads.switchTo(cpu[i], -1);
          break;
        case l.S_STACK:
        case l.S_CALL:
        case l.S_ENTER:
        case l.S_LEAVE:
          this.#inThread(leaf, i, rows);
          break;
        case l.S_EMPTY:
          this.#empty(args[at], cpu[i], time[i]);
          break;
        case l.S_OPEN:
        case l.S_MAP:
        case l.S_RETURN:
          this.#call(leaf, i);
          break;
        default:
          readModule(leaf, i, this.#threads, this.#modules);
      }
    }
  }

  advance(): void {}

  soFar(): StackLog {
    return this.finish();
  }

  finish(): StackLog {
    return {
      ...this.#forest.tables(),
      threads: Array.from(this.#columns, ([thread, columns]) => ({
        ...this.#threads.list[thread],
        ...columns.columns(),
      })),
      modules: this.#modules.modules(),
      problems: this.#withoutThread === 0 ? {} : { [NO_THREAD_KNOWN]: this.#withoutThread },
    };
  }

  #rowsOf(leaf: StackLeaf): LeafRows {
    const known = this.#leafRows.get(leaf) ?? new LeafRows(this.#forest, leaf);
    this.#leafRows.set(leaf, known);
    return known;
  }

  /** A stack, the end of a call, or an entry or exit of a function. */
  #inThread(leaf: StackLeaf, i: number, rows: LeafRows): void {
    const { kind, cpu, time, args, place } = leaf;
    const at = place[i];
    const context = args[at];
    const thread =
      context < 0
        ? this.#threads.ofKernel(args[at + 1], cpu[i], time[i])
        : this.#threads.ofContext(leaf, context, cpu[i], time[i]);
    if (thread === NO_THREAD) {
      this.#withoutThread++;
      return;
    }
    const process = this.#threads.processOf(thread);
    const columns = this.#columnsOf(thread);
    const what = args[at + 2];
    if (kind[i] === l.S_STACK) columns.record(time[i], rows.stack(what, process), args[at + 3] === 1);
    else if (kind[i] === l.S_CALL)
      columns.recordCall(time[i], Number(wideOf(args[at + 3], args[at + 4])), rows.stack(what, process));
    else if (kind[i] === l.S_ENTER) columns.enter(time[i], rows.frame(what, process));
    else columns.leave(time[i], what < 0 ? what : rows.frame(what, process));
  }

  #columnsOf(thread: number): ThreadColumns {
    const known = this.#columns.get(thread) ?? new ThreadColumns(this.#forest);
    this.#columns.set(thread, known);
    return known;
  }

  #empty(tid: number, cpu: number, time: number): void {
    const thread = tid > 0 ? this.#threads.ofKernel(tid, cpu, time) : NO_THREAD;
    this.#columns.get(thread)?.empty(time);
  }

  #call({ kind, cpu, time, args, place, texts }: StackLeaf, i: number): void {
    const at = place[i];
    const thread = this.#threads.ofKernel(args[at], cpu[i], time[i]);
    if (thread === NO_THREAD) return;
    const wide = (word: number) => wideOf(args[at + word], args[at + word + 1]);
    if (kind[i] === l.S_OPEN) this.#modules.open(thread, texts[args[at + 1]] ?? '');
    else if (kind[i] === l.S_MAP) this.#modules.map(thread, args[at + 1], wide(2), wide(4));
    else this.#modules.return(thread, this.#threads.processOf(thread), args[at + 1] === 1, wide(2), time[i]);
  }
}
