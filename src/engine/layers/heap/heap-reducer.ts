/** The calls of the allocator of all streams of a host, in their total order → which blocks there were, and bytes in use. */
import { widened } from '../../base/columns.ts';
import { TupleIndex } from '../../base/tuple-index.ts';
import type { HistorySink } from '../../history/types.ts';
import { type KernelThreads, NO_THREAD } from '../contract/event-threads.ts';
import { ThreadReducer } from '../contract/layer-reducer.ts';
import { plotValue } from '../plots/plot-values.ts';
import { readModule } from '../stacks/module-events.ts';
import { ModuleLog } from '../stacks/module-log.ts';
import type { LoadedModule, ProcessMemory } from '../stacks/stack-tables.ts';
import * as heapMap from './heap-map.ts';
import { HEAP, type HeapChunk } from './heap-map.ts';
import { FAILED, FREED_UNKNOWN, type HeapLog, type HeapProcess, HeapWriter, LOST } from './heap-log.ts';

const UNPLACED = -1;

/** A process's row: the bytes that it has in use. */
export interface HeapTrack {
  readonly attribute: number;
  /** HostNs of its first event. */
  readonly first: number;
}

/** Result of the events of a host. */
export interface HeapEvents {
  readonly log: HeapLog;
  /** Rows by process. */
  readonly tracks: readonly HeapTrack[];
  readonly modules: readonly LoadedModule[];
  readonly memories: readonly ProcessMemory[];
}

export class HeapReducer extends ThreadReducer<HeapChunk, HeapEvents> {
  readonly #sink: HistorySink;
  readonly #modules = new ModuleLog();
  readonly #log = new HeapWriter();
  /** Row of the log's threads by thread of `threads`; UNPLACED; undefined: not seen yet. */
  readonly #rowOfThread: (number | undefined)[] = [];
  /** Thread of `threads`, and row of `#processes`, by row of the log. */
  readonly #threadOfRow: number[] = [];
  readonly #processOfRow: number[] = [];
  /** Pid, namespace. */
  readonly #processes = new TupleIndex();
  readonly #tracks: HeapTrack[] = [];
  readonly #inUse: number[] = [];
  /** Process, address of the call. */
  readonly #sites = new TupleIndex();
  /** Process, address: what has a block now, or had one. */
  readonly #addresses = new TupleIndex();
  /** Row of its last block by address; -1: it has ended. */
  #blockAt = new Int32Array(0);
  /** Blocks before this one may have been freed where events were lost. */
  #firstSure = 0;
  #hasLost = false;
  #unplaced = 0;

  /** @param kernel undefined: there is no kernel's trace of the host */
  constructor(sink: HistorySink, kernel: KernelThreads | undefined) {
    super(kernel);
    this.#sink = sink;
  }

  soFar(): HeapEvents {
    const { list } = this.threads;
    const processes = Array.from({ length: this.#processes.length }, (_, row): HeapProcess => {
      return { pid: this.#processes.word(row, 0), ns: this.#processes.word(row, 1) };
    });
    const sites = Array.from({ length: this.#sites.length }, (_, row) => {
      const word = (at: number) => this.#sites.word(row, at);
      return { process: word(0), low: word(1), high: word(2) };
    });
    const threads = this.#threadOfRow.map((thread, row) => ({
      ...list[thread],
      of: this.#processOfRow[row],
    }));
    return {
      log: { ...this.#log.tables(), threads, processes, sites, unplaced: this.#unplaced },
      tracks: [...this.#tracks],
      modules: this.#modules.modules(),
      memories: this.#modules.memories(),
    };
  }

  protected override take(chunk: HeapChunk, i: number): void {
    this.#sink.moveTo(this.now);
    super.take(chunk, i);
  }

  protected event(chunk: HeapChunk, i: number, at: number): void {
    switch (chunk.kind[i]) {
      case heapMap.H_ALLOC:
      case heapMap.H_FREE:
      case heapMap.H_FAILED:
        this.#call(chunk, i, at);
        break;
      case heapMap.H_WITHOUT_ADDRESS:
        this.#unplaced++;
        break;
      default:
        readModule(chunk, i, this.threads, this.#modules);
    }
  }

  #call(chunk: HeapChunk, i: number, at: number): void {
    const { kind, cpu, args, sites } = chunk;
    const { now } = this;
    const thread = this.threads.ofContext(chunk, args[at], cpu[i], now);
    const row = thread === NO_THREAD ? UNPLACED : this.#rowOf(thread);
    if (row === UNPLACED) {
      this.#unplaced++;
      return;
    }
    if (kind[i] === heapMap.H_FAILED) this.#log.step(now, FAILED, row);
    else if (kind[i] === heapMap.H_FREE) this.#free(row, args[at + 1], args[at + 2]);
    else {
      const site = args[at + 5];
      const size = args[at + 4] === heapMap.NOT_KNOWN ? NaN : args[at + 4] * 2 ** 32 + (args[at + 3] >>> 0);
      const address = this.#addressAt(row, args[at + 1], args[at + 2]);
      this.#allocate(row, address, size, sites.low[site], sites.high[site]);
    }
  }

  #allocate(row: number, address: number, size: number, low: number, high: number): void {
    const process = this.#processOfRow[row];
    // Whoever freed it was not recorded.
    const before = this.#blockAt[address];
    if (before >= this.#firstSure) this.#end(before, -1);
    const site = this.#sites.place(process, low, high, 0);
    this.#blockAt[address] = this.#log.allocate(this.now, row, size, site);
    this.#use(process, this.#inUse[process] + size);
  }

  #free(row: number, low: number, high: number): void {
    const address = this.#addressAt(row, low, high);
    const block = this.#blockAt[address];
    this.#blockAt[address] = -1;
    if (block >= this.#firstSure) this.#end(block, row);
    else this.#log.step(this.now, FREED_UNKNOWN, row);
  }

  /** @param row of the thread that freed it, -1 unknown */
  #end(block: number, row: number): void {
    this.#log.end(this.now, block, row);
    const process = this.#processOfRow[this.#log.threadOf(block)];
    this.#use(process, this.#inUse[process] - this.#log.sizeOf(block));
  }

  /** Marks all blocks so far as unsure: they may have been freed, and what is in use is not known any more. */
  protected override lose(_cpu: number, isOfPrograms: boolean): void {
    if (!isOfPrograms) return;
    this.#log.step(this.now, LOST, -1);
    this.#firstSure = this.#log.blockCount;
    if (this.#hasLost) return;
    this.#hasLost = true;
    const notKnown = plotValue('bytes', NaN);
    for (const { attribute } of this.#tracks) this.#sink.settle(attribute, notKnown, notKnown);
  }

  #use(process: number, bytes: number): void {
    this.#inUse[process] = bytes;
    this.#sink.set(this.#tracks[process].attribute, plotValue('bytes', this.#hasLost ? NaN : bytes));
  }

  #addressAt(row: number, low: number, high: number): number {
    const address = this.#addresses.place(this.#processOfRow[row], low, high, 0);
    if (address >= this.#blockAt.length) {
      const { length } = this.#blockAt;
      this.#blockAt = widened(this.#blockAt, Math.max(256, 2 * length)).fill(-1, length);
    }
    return address;
  }

  /** UNPLACED where the process of the thread is not known: addresses are those of a process. */
  #rowOf(thread: number): number {
    const known = this.#rowOfThread[thread];
    if (known !== undefined && known !== UNPLACED) return known;
    const { pid, row, ns } = this.threads.list[thread];
    if (pid < 0) return (this.#rowOfThread[thread] = UNPLACED);
    const process = this.#processes.place(pid, row >= 0 ? 0 : ns, 0, 0);
    if (process === this.#tracks.length) {
      const attribute = this.#sink.attribute([HEAP, String(pid), String(ns >>> 0)], 'state');
      this.#tracks.push({ attribute, first: this.now });
      this.#inUse.push(0);
    }
    this.#processOfRow.push(process);
    return (this.#rowOfThread[thread] = this.#threadOfRow.push(thread) - 1);
  }
}
