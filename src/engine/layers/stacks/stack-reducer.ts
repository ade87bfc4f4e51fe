/** Merges the call stacks of all streams of a host, in their total order, into one tree and columns of each thread. */
import { TupleIndex } from '../../base/tuple-index.ts';
import { wideOf } from '../../base/wide-integer.ts';
import { type KernelThreads, NO_THREAD } from '../contract/event-threads.ts';
import { ThreadReducer } from '../contract/layer-reducer.ts';
import { readModule } from './module-events.ts';
import { ModuleLog } from './module-log.ts';
import { ChunkRows, StackForest, type StackLog } from './stack-forest.ts';
import * as stackChunk from './stack-chunk.ts';
import type { StackChunk } from './stack-chunk.ts';
import { ThreadColumns } from './thread-columns.ts';
import { NOT_RECORDED_FRAME } from './profile.ts';

const NO_THREAD_KNOWN = 'call stack without thread';

export class StackReducer extends ThreadReducer<StackChunk, StackLog> {
  readonly #forest = new StackForest();
  readonly #modules = new ModuleLog();
  /** Build id of the next mapped file, by process. */
  readonly #builds = new Map<number, string>();
  /** Columns by thread, in order of their first event. */
  readonly #columns = new Map<number, ThreadColumns>();
  readonly #chunkRows = new WeakMap<StackChunk, ChunkRows>();
  /** Process, and a number that its events have. */
  readonly #numbers = new TupleIndex();
  readonly #kernel: KernelThreads | undefined;
  #withoutThread = 0;
  /** Whether perf records mapped files. */
  #tellsMaps = false;

  constructor(kernel: KernelThreads | undefined) {
    super(kernel);
    this.#kernel = kernel;
  }

  soFar(): StackLog {
    return {
      notRecorded: this.#forest.named(NOT_RECORDED_FRAME),
      ...this.#forest.tables(),
      threads: Array.from(this.#columns, ([thread, columns]) => ({
        ...this.threads.list[thread],
        ...columns.columns(),
      })),
      modules: this.#modules.modules(),
      memories: this.#modules.memories(),
      inside: this.#inside(),
      problems: this.#withoutThread === 0 ? {} : { [NO_THREAD_KNOWN]: this.#withoutThread },
    };
  }

  protected event(chunk: StackChunk, i: number, at: number): void {
    switch (chunk.kind[i]) {
      case stackChunk.S_STACK:
      case stackChunk.S_CALL:
      case stackChunk.S_ENTER:
      case stackChunk.S_LEAVE:
        this.#inThread(chunk, i, at);
        break;
      case stackChunk.S_EXIT:
      case stackChunk.S_EXEC:
        this.#empty(chunk.args[at], chunk.cpu[i]);
        if (chunk.kind[i] === stackChunk.S_EXEC)
          this.#execute(chunk.args[at], chunk.cpu[i], chunk.args[at + 1] === 1);
        break;
      case stackChunk.S_BUILD:
        this.#builds.set(chunk.args[at], chunk.texts[chunk.args[at + 1]]);
        break;
      case stackChunk.S_MAPPED:
        this.#mapped(chunk, at);
        break;
      case stackChunk.S_FORK:
        this.#modules.begin(chunk.args[at], this.now, chunk.args[at + 1]);
        break;
      case stackChunk.S_OPEN:
      case stackChunk.S_CLOSE:
      case stackChunk.S_MAP:
      case stackChunk.S_RETURN:
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

  /** Takes a stack, the end of a call, or an entry or exit of a function. */
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
    if (context >= 0) this.#numbers.place(process, chunk.contexts.vpid[context], 0, 0);
    const columns = this.#columnsOf(thread);
    const rows = this.#rowsOf(chunk);
    const what = args[at + 2];
    if (kind[i] === stackChunk.S_STACK) {
      const stack = what < 0 ? what : rows.stack(what, process);
      columns.record(now, stack, args[at + 3] === 1, rows.stack(args[at + 4], process));
    } else if (kind[i] === stackChunk.S_CALL)
      columns.recordCall(now, Number(wideOf(args[at + 3], args[at + 4])), rows.stack(what, process));
    else {
      const [frame, site] = [what, args[at + 3]].map((row) => (row < 0 ? row : rows.frame(row, process)));
      if (kind[i] === stackChunk.S_ENTER) columns.enter(now, frame, site);
      else columns.leave(now, frame, site);
    }
  }

  #columnsOf(thread: number): ThreadColumns {
    const known = this.#columns.get(thread) ?? new ThreadColumns(this.#forest);
    this.#columns.set(thread, known);
    return known;
  }

  /** Empties the stacks of a thread that ends or executes another program. */
  #empty(tid: number, cpu: number): void {
    const thread = tid > 0 ? this.threads.ofKernel(tid, cpu, this.now) : NO_THREAD;
    this.#columns.get(thread)?.empty(this.now);
  }

  /** Begins another memory of a process. perf's record precedes the mappings of the program, the kernel's event follows them. */
  #execute(tid: number, cpu: number, isToldByPerf: boolean): void {
    const thread = tid > 0 ? this.threads.ofKernel(tid, cpu, this.now) : NO_THREAD;
    if (thread === NO_THREAD || (this.#tellsMaps && !isToldByPerf)) return;
    this.#modules.begin(this.threads.processOf(thread), this.now);
  }

  #mapped({ args, texts }: StackChunk, at: number): void {
    this.#tellsMaps = true;
    const wide = (word: number) => wideOf(args[at + word], args[at + word + 1]);
    const path = texts[args[at + 1]] ?? '';
    const buildId = this.#builds.get(args[at]);
    this.#builds.delete(args[at]);
    // Memory without file.
    if (!path.startsWith('/') || path.startsWith('//')) return;
    const mapping = { offset: wide(4), length: BigInt(args[at + 6] >>> 0) };
    this.#modules.mapped(args[at], path, wide(2), mapping, this.now, buildId);
  }

  /** Numbers of processes in their own namespaces, by their events and by the kernel. */
  #inside(): [process: number, number: number][] {
    const numbers = this.#numbers;
    const found = Array.from({ length: numbers.length }, (_, row): [number, number] => [
      numbers.word(row, 0),
      numbers.word(row, 1),
    ]);
    const { namespaces, threads } = this.#kernel ?? {};
    if (namespaces?.isNested !== true || threads === undefined) return found.filter(isInside);
    const processes = new Set(found.map(([process]) => process));
    for (const thread of this.#columns.keys()) processes.add(this.threads.processOf(thread));
    const { vtid } = namespaces.insideNumbers(threads.tid, threads.first);
    for (let row = 0; row < threads.length; row++) {
      const process = threads.pid[row];
      if (threads.tid[row] === process && processes.has(process)) found.push([process, vtid[row]]);
    }
    return found.filter(isInside);
  }

  #call({ kind, cpu, args, texts }: StackChunk, i: number, at: number): void {
    const thread = this.threads.ofKernel(args[at], cpu[i], this.now);
    if (thread === NO_THREAD) return;
    const wide = (word: number) => wideOf(args[at + word], args[at + word + 1]);
    if (kind[i] === stackChunk.S_CLOSE) this.#modules.close(thread, args[at + 1]);
    else if (kind[i] === stackChunk.S_OPEN) this.#modules.open(thread, texts[args[at + 1]] ?? '');
    else if (kind[i] === stackChunk.S_MAP) this.#modules.map(thread, args[at + 1], wide(2), wide(4));
    else this.#modules.return(thread, this.threads.processOf(thread), args[at + 1] === 1, wide(2), this.now);
  }
}

/** Whether a process has this number in its own namespace. */
function isInside([process, number]: readonly [number, number]): boolean {
  return number > 0 && number !== process;
}
