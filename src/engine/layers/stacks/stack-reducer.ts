/** Merges the call stacks of all streams of a host, in their total order, into one tree and columns of each thread. */
import { NO_THREAD } from '../contract/event-threads.ts';
import { ThreadReducer } from '../contract/layer-reducer.ts';
import { readModule } from './module-events.ts';
import { ModuleLog } from './module-log.ts';
import { ChunkRows, StackForest } from './stack-forest.ts';
import * as l from './stack-chunk.ts';
import type { StackChunk } from './stack-chunk.ts';
import type { StackLog } from './stack-log.ts';
import { ThreadColumns } from './thread-columns.ts';
import { wideOf } from './stack-tables.ts';

/** Reason why events were not used. */
const NO_THREAD_KNOWN = 'call stack without thread';

export class StackReducer extends ThreadReducer<StackChunk, StackLog> {
  readonly #forest = new StackForest();
  readonly #modules = new ModuleLog();
  /** Columns by thread, in order of their first event. */
  readonly #columns = new Map<number, ThreadColumns>();
  readonly #chunkRows = new WeakMap<StackChunk, ChunkRows>();
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

  protected event(chunk: StackChunk, i: number, at: number): void {
    switch (chunk.kind[i]) {
      case l.S_STACK:
      case l.S_CALL:
      case l.S_ENTER:
      case l.S_LEAVE:
        this.#inThread(chunk, i, at);
        break;
      case l.S_EMPTY:
        this.#empty(chunk.args[at], chunk.cpu[i]);
        break;
      case l.S_OPEN:
      case l.S_MAP:
      case l.S_RETURN:
        this.#call(chunk, i, at);
        break;
      default:
        readModule(chunk, i, this.threads, this.#modules);
    }
  }

  #rowsOf(chunk: StackChunk): ChunkRows {
    let rows = this.#chunkRows.get(chunk);
    if (rows === undefined) this.#chunkRows.set(chunk, (rows = new ChunkRows(this.#forest, chunk)));
    return rows;
  }

  /** A stack, the end of a call, or an entry or exit of a function. */
  #inThread(chunk: StackChunk, i: number, at: number): void {
    const { kind, cpu, args } = chunk;
    const { now } = this;
    const context = args[at];
    const thread =
      context < 0
        ? this.threads.ofKernel(args[at + 1], cpu[i], now)
        : this.threads.ofContext(chunk, context, cpu[i], now);
    if (thread === NO_THREAD) {
      this.#withoutThread++;
      return;
    }
    const process = this.threads.processOf(thread);
    const columns = this.#columnsOf(thread);
    const rows = this.#rowsOf(chunk);
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

  #call({ kind, cpu, args, texts }: StackChunk, i: number, at: number): void {
    const thread = this.threads.ofKernel(args[at], cpu[i], this.now);
    if (thread === NO_THREAD) return;
    const wide = (word: number) => wideOf(args[at + word], args[at + word + 1]);
    if (kind[i] === l.S_OPEN) this.#modules.open(thread, texts[args[at + 1]] ?? '');
    else if (kind[i] === l.S_MAP) this.#modules.map(thread, args[at + 1], wide(2), wide(4));
    else this.#modules.return(thread, this.threads.processOf(thread), args[at + 1] === 1, wide(2), this.now);
  }
}
