/** Heaps of programs as a layer, read unasked wherever allocator calls were recorded. */
import type { Layer, LayerRow, LayerTrace, Nothing } from '../contract/layer.ts';
import { switchesFor } from '../contract/switches.ts';
import { type EventKind, isKind } from '../../trace/event-kinds.ts';
import { plotInterval, plotScheme, plotValue } from '../plots/plot-values.ts';
import { type StackTables, type LoadedModule, type ProcessMemory } from '../stacks/stack-tables.ts';
import {
  HEAP,
  heapMap,
  heapKinds,
  type HeapSettings,
  H_ALLOC,
  H_FAILED,
  H_FREE,
  H_WITHOUT_ADDRESS,
  type HeapChunk,
  NOT_KNOWN,
} from './heap-map.ts';
import { packTexts } from '../../base/text-writer.ts';
import { ModuleFinder } from '../stacks/module-finder.ts';
import { GrowingTable, widened } from '../../base/columns.ts';
import { noRows } from '../../base/tables.ts';
import { TupleIndex } from '../../base/tuple-index.ts';
import { wideOf } from '../../base/wide-integer.ts';
import type { HistorySink } from '../../history/types.ts';
import { type KernelThreads, NO_THREAD } from '../contract/event-threads.ts';
import { ThreadReducer } from '../contract/layer-reducer.ts';
import { readModule } from '../stacks/module-events.ts';
import { ModuleLog } from '../stacks/module-log.ts';
import * as heapLog from './heap-log.ts';
import type { HeapLog, HeapProcess, HeapSite } from './heap-log.ts';

interface FoundHeap {
  readonly events: number;
}

export interface HeapTables {
  readonly log: HeapLog;
  /** Rows by process. */
  readonly tracks: readonly HeapTrack[];
  /** Sites of the log, row by row, as frames without callers. */
  readonly sites: StackTables;
}

const CALLS: readonly EventKind[] = ['heap-alloc', 'heap-realloc', 'heap-aligned', 'heap-free'];

const isCall = (name: string) => CALLS.some((kind) => isKind(kind, name));

function shownEvents({ events, countOf }: Pick<LayerTrace, 'events' | 'countOf'>): string[] {
  return events.map(({ name }) => name).filter((name) => isCall(name) && countOf(name) > 0);
}

export const heapLayer: Layer<FoundHeap, Nothing, HeapSettings, HeapTables, HeapEvents> = {
  id: HEAP,
  title: 'Heap',
  schemes: { [HEAP]: plotScheme },
  tables: [heapKinds({ switches: 'all' })],
  find: (trace) => ({ events: shownEvents(trace).reduce((sum, name) => sum + trace.countOf(name), 0) }),
  shows: shownEvents,
  first: ({ events }) => (events > 0 ? {} : undefined),
  settings: (trace) => ({
    switches: switchesFor(
      trace,
      ({ name = '' }) => isCall(name),
      () => false,
    ),
  }),
  analysis: (settings, kernelThreads = () => undefined) => ({
    ...heapMap.of(settings),
    version: 2,
    reducer: (sink, { index }) => new HeapReducer(sink, kernelThreads(index)),
  }),
  complete: (events) =>
    Promise.resolve({ log: events.log, tracks: events.tracks, sites: siteFrames(events) }),
  rows: (_, { log, tracks }) =>
    tracks.map((track, process) => layerRow(log.processes[process], track, processName(log, process))),
  interval: plotInterval,
};

function layerRow({ pid, ns }: HeapProcess, { attribute, first }: HeapTrack, name: string): LayerRow {
  return {
    key: `${pid}@${ns >>> 0}`,
    name: `${name || 'Process'} ${pid}`,
    attribute,
    subject: 'bytes in use, of what was allocated in the trace',
    below: 'Heap',
    first,
    isPlot: true,
  };
}

/** Name of a process: that of its main thread, else of the first named one; '': not known. */
export function processName({ threads, processes }: HeapLog, process: number): string {
  const own = threads.filter(({ of, process: name }) => of === process && name !== '');
  return (own.find(({ tid }) => tid === processes[process].pid) ?? own.at(0))?.process ?? '';
}

/** Frames of the sites. An address that several modules had in succession counts for the first of them. */
function siteFrames({ log: { sites, processes }, modules, memories }: HeapEvents): StackTables {
  const finder = new ModuleFinder(modules, memories);
  const moduleOf = ({ process, low, high }: HeapSite) =>
    finder.covering(processes[process].pid, wideOf(low, high)).at(0) ?? -1;
  const { length } = sites;
  return {
    frames: {
      length,
      process: Int32Array.from(sites, ({ process }) => processes[process].pid),
      high: Uint32Array.from(sites, ({ high }) => high),
      low: Uint32Array.from(sites, ({ low }) => low),
      isReturn: new Uint8Array(length).fill(1),
      module: Int32Array.from(sites, moduleOf),
      name: new Int32Array(length).fill(-1),
    },
    tree: { length: 0, parent: new Int32Array(0), frame: new Int32Array(0) },
    threads: [],
    modules,
    memories,
    inside: [],
    names: packTexts([]),
  };
}

const UNPLACED = -1;

/** A process's row: the bytes that it has in use. */
interface HeapTrack {
  readonly attribute: number;
  /** HostNs of its first event. */
  readonly first: number;
}

interface HeapEvents {
  readonly log: HeapLog;
  /** Rows by process. */
  readonly tracks: readonly HeapTrack[];
  readonly modules: readonly LoadedModule[];
  readonly memories: readonly ProcessMemory[];
}

class HeapReducer extends ThreadReducer<HeapChunk, HeapEvents> {
  readonly #sink: HistorySink;
  readonly #modules = new ModuleLog();
  readonly #blocks = new GrowingTable(noRows(heapLog.BLOCKS));
  readonly #steps = new GrowingTable(noRows(heapLog.STEPS));
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
  /** Process, address: addresses that have or had a block. */
  readonly #addresses = new TupleIndex();
  /** Row of its last block by address; -1: it has ended. */
  #blockAt = new Int32Array(0);
  /** Blocks before this one may have been freed during a loss of events. */
  #firstSure = 0;
  #hasLost = false;
  #unplaced = 0;

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
      log: {
        ...{ blocks: this.#blocks.toTable(), steps: this.#steps.toTable() },
        ...{ threads, processes, sites, unplaced: this.#unplaced },
      },
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
      case H_ALLOC:
      case H_FREE:
      case H_FAILED:
        this.#call(chunk, i, at);
        break;
      case H_WITHOUT_ADDRESS:
        this.#unplaced++;
        break;
      default:
        readModule(chunk, i, this.threads, this.#modules);
    }
  }

  #call(chunk: HeapChunk, i: number, at: number): void {
    const { kind, cpu, args, sites } = chunk;
    const thread = this.threads.ofContext(chunk, args[at], cpu[i], this.now);
    const row = thread === NO_THREAD ? UNPLACED : this.#rowOf(thread);
    if (row === UNPLACED) {
      this.#unplaced++;
      return;
    }
    if (kind[i] === H_FAILED) this.#step(heapLog.FAILED, row);
    else if (kind[i] === H_FREE) this.#free(row, args[at + 1], args[at + 2]);
    else {
      const site = args[at + 5];
      const size = args[at + 4] === NOT_KNOWN ? NaN : args[at + 4] * 2 ** 32 + (args[at + 3] >>> 0);
      const address = this.#addressAt(row, args[at + 1], args[at + 2]);
      this.#allocate(row, address, size, sites.low[site], sites.high[site]);
    }
  }

  #allocate(row: number, address: number, size: number, low: number, high: number): void {
    const process = this.#processOfRow[row];
    // The freeing thread was not recorded.
    const before = this.#blockAt[address];
    if (before >= this.#firstSure) this.#end(before, -1);
    const site = this.#sites.place(process, low, high, 0);
    const block = this.#blocks.addRow();
    const { rows } = this.#blocks;
    rows.time[block] = this.now;
    rows.end[block] = NaN;
    rows.size[block] = size;
    rows.thread[block] = row;
    rows.freedBy[block] = -1;
    rows.site[block] = site;
    this.#step(heapLog.ALLOCATED, block);
    this.#blockAt[address] = block;
    this.#use(process, this.#inUse[process] + size);
  }

  #free(row: number, low: number, high: number): void {
    const address = this.#addressAt(row, low, high);
    const block = this.#blockAt[address];
    this.#blockAt[address] = -1;
    if (block >= this.#firstSure) this.#end(block, row);
    else this.#step(heapLog.FREED_UNKNOWN, row);
  }

  /** @param row of the thread that freed it, -1 unknown */
  #end(block: number, row: number): void {
    const { end, freedBy, thread, size } = this.#blocks.rows;
    end[block] = this.now;
    freedBy[block] = row;
    this.#step(heapLog.ENDED, block);
    const process = this.#processOfRow[thread[block]];
    this.#use(process, this.#inUse[process] - size[block]);
  }

  /** Marks all blocks so far as uncertain: they may have been freed, so memory in use is not known any more. */
  protected override lose(_cpu: number, isOfPrograms: boolean): void {
    if (!isOfPrograms) return;
    this.#step(heapLog.LOST, -1);
    this.#firstSure = this.#blocks.length;
    if (this.#hasLost) return;
    this.#hasLost = true;
    const notKnown = plotValue('bytes', NaN);
    for (const { attribute } of this.#tracks) this.#sink.settle(attribute, notKnown, notKnown);
  }

  /** @param of row of blocks or threads, depending on the kind */
  #step(kind: number, of: number): void {
    const step = this.#steps.addRow();
    const { rows } = this.#steps;
    rows.time[step] = this.now;
    rows.kind[step] = kind;
    rows.of[step] = of;
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

  /** Row of the log's threads; UNPLACED if the thread's process is not known, as addresses belong to a process. */
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
