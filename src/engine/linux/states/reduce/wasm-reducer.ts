/**
 * Merging, and frequent changes of threads and CPUs, as compiled WebAssembly (`src/wasm/reduce`) on the tables of the
 * state reducer and the history. It goes through the transitions of several chunk results in total order until one
 * that it does not handle; the reducer handles that one, and the kernel continues after it.
 */
import reduceKernel from 'wasm:reduce';
import type { MergedChunk, MergeLimit } from '../../../analysis/contract.ts';
import { HASH_FACTORS } from '../../../base/hash.ts';
import { kernelModule } from '../../../base/kernel-module.ts';
import { f64, i32, type Table, type TableMemory, u32, u8 } from '../../../base/tables.ts';
import type { SharedHistory } from '../../../history/shared-history.ts';
import { findTexts } from '../map/kernel-texts.ts';
import { ARGUMENTS, EMPTY_CHUNK, type StateChunk } from '../map/transitions.ts';
import type { KernelModel } from './kernel-model.ts';
import { PACKET_KEY_WORDS } from './packet-rows.ts';

/**
 * Functions that the kernel exports: the work, circumstances, and for each subject the function that takes the
 * directories of its tables.
 */
interface ReduceKernel {
  placeHistory: PlaceTables;
  placeTids: PlaceTables;
  placeThreads: PlaceTables;
  placeCpuNumbers: PlaceTables;
  placeCpus: PlaceTables;
  placeDisks: PlaceTables;
  placeTexts: PlaceTables;
  placeCauses: PlaceTables;
  placeSignals: PlaceTables;
  placePackets: PlaceTables;
  placeSoftirqs: PlaceTables;
  placeChunkResults: PlaceTables;
  setTrace(
    isOldKernel: boolean,
    isRealTime: boolean,
    hasGuestExits: boolean,
    hasWaking: boolean,
    tellsQueues: boolean,
    recordsCalls: boolean,
    losesSwitches: boolean,
  ): void;
  setFamilies(state: number, cpu: number, call: number, name: number): void;
  setCircumstances(idleCause: number, lostUntil: number): void;
  setRecording(begin: number): void;
  begin(chunkResults: number): void;
  merge(limitTime: number, limitOrder: number, stopAt: number): number;
}

/** @param directories `TableMemory.directoryOf` */
type PlaceTables = (...directories: number[]) => void;

/** Module compiled once for all hosts and traces that this thread reads. */
let compiled: WebAssembly.Module | undefined;

/** Transitions that are handled in TypeScript. */
export interface SlowReducer {
  /** HostNs from which on it handles the transitions. */
  stopAt(): number;
  /** Handles transition `i` of a chunk result; `known` holds the history's indices of the chunk result's texts. */
  pass(chunkResult: StateChunk, i: number, known: Pick<StateChunk, 'historyText'>): void;
}

/** Transitions of a chunk result that are in the memory at a time: few, so that they stay in the cache. */
const WINDOW_ROWS = 2048;
const ROW = { time: f64(), kind: u8(), cpu: i32(), place: u32(), args: i32(0, ARGUMENTS) };
const TEXT = { historyText: i32(-1) };
/** Columns of `PacketKeys`. */
const PACKET = { kind: u8(), key: u32(0, PACKET_KEY_WORDS) };

/** Chunk results being merged, a row of words each; unnamed words, and the list, belong to the kernel. */
export const CHUNK_RESULT_WORDS = 16;
export const CHUNK_RESULT = { words: i32(0, CHUNK_RESULT_WORDS), list: i32() };

// Addresses of the window's columns, of the (virtual) first argument of the chunk result, and of the texts' indices.
export const TIME = 0;
export const KIND = 1;
export const CPU = 2;
export const PLACE = 3;
export const ARGS = 4;
export const TEXTS = 5;
export const PACKET_KIND = 6;
export const PACKET_KEY = 7;
// Rows of the window: the next one, and their number.
export const AT = 8;
export const TO = 9;
export const ORDER = 10;

/** The part of a chunk result that is in the memory. */
interface Window {
  readonly rows: Table<typeof ROW>;
  /** The history's index of each text, -1 not known yet. */
  readonly texts: Table<typeof TEXT>;
  readonly packets: Table<typeof PACKET>;
  chunkResult: StateChunk;
  /** Its transitions [from, to). */
  from: number;
  to: number;
}

/** Undefined if there is no WebAssembly, or the history does not share its columns. */
export function createWasmReducer(model: KernelModel, slow: SlowReducer): WasmReducer | undefined {
  const { shared } = model.sink;
  if (shared?.memory.wasm === undefined) return undefined;
  try {
    return new WasmReducer(model, slow, shared, shared.memory.wasm);
  } catch {
    return undefined;
  }
}

class WasmReducer {
  readonly #model: KernelModel;
  readonly #slow: SlowReducer;
  readonly #history: SharedHistory;
  readonly #memory: TableMemory;
  readonly #kernel: ReduceKernel;
  readonly #chunkResults: Table<typeof CHUNK_RESULT>;
  readonly #windowOf = new Map<StateChunk, Window>();
  readonly #spare: Window[] = [];
  /** Windows of the present chunk results, in order. */
  #windows: readonly Window[] = [];
  /** Function of each subject that places its tables, and their directories. */
  readonly #places: readonly { readonly place: PlaceTables; readonly directories: readonly number[] }[];
  /** Number of moves of the memory's columns that the kernel knows of. */
  #moves = -1;

  /** @throws if a policy forbids WebAssembly */
  constructor(model: KernelModel, slow: SlowReducer, history: SharedHistory, memory: WebAssembly.Memory) {
    this.#model = model;
    this.#slow = slow;
    this.#history = history;
    this.#memory = history.memory;
    this.#chunkResults = this.#memory.table(CHUNK_RESULT, 8);
    compiled ??= kernelModule(reduceKernel);
    const instance = new WebAssembly.Instance(compiled, { env: { memory, ...HASH_FACTORS } });
    this.#kernel = instance.exports as unknown as ReduceKernel;
    this.#kernel.setTrace(
      model.oldKernel,
      model.realTime,
      model.hasGuestExits,
      model.hasWaking,
      model.tellsQueues,
      model.recordsCalls,
      model.threads.rules.losesSwitches,
    );
    const { state, cpu, call, name } = model.threads.families;
    this.#kernel.setFamilies(state, cpu, call, name);
    this.#places = this.#tables().map(([place, ...tables]) => {
      return { place, directories: tables.map((table) => this.#memory.directoryOf(table)) };
    });
  }

  /** Merges chunk results, see `Reducer.merge`. */
  merge(merged: readonly MergedChunk<StateChunk>[], limit: MergeLimit): void {
    this.#open(merged);
    this.#renew();
    this.#kernel.begin(merged.length);
    while (this.#goOn(merged, limit));
    for (const [row, one] of merged.entries()) {
      const window = this.#windows[row];
      one.at = window.from + this.#chunkResults.words[wordOf(row, AT)];
      if (one.at < one.chunkResult.length) continue;
      this.#windowOf.delete(one.chunkResult);
      window.chunkResult = EMPTY_CHUNK;
      this.#spare.push(window);
    }
  }

  /**
   * Continues to the next transition that only TypeScript handles, or to the end of a window; false: the limit, or a
   * chunk result's end.
   */
  #goOn(merged: readonly MergedChunk<StateChunk>[], limit: MergeLimit): boolean {
    this.#renew();
    const row = this.#kernel.merge(limit.time, limit.order, this.#slow.stopAt());
    this.#model.now = this.#history.cursor.next[0];
    if (row < 0) return false;
    const window = this.#windows[row];
    const { chunkResult } = merged[row];
    const at = window.from + this.#chunkResults.words[wordOf(row, AT)];
    if (at === chunkResult.length) return false;
    if (at === window.to) {
      this.#fill(row, at);
    } else {
      this.#slow.pass(chunkResult, at, window.texts);
      this.#chunkResults.words[wordOf(row, AT)]++;
    }
    return true;
  }

  #open(merged: readonly MergedChunk<StateChunk>[]): void {
    if (merged.length > this.#chunkResults.list.length)
      this.#memory.widen(this.#chunkResults, 2 * merged.length);
    this.#windows = merged.map(
      ({ chunkResult }) => this.#windowOf.get(chunkResult) ?? this.#newWindow(chunkResult),
    );
    for (const [row, { at, order }] of merged.entries()) {
      const { from, to } = this.#windows[row];
      const { words } = this.#chunkResults;
      words[wordOf(row, ORDER)] = order;
      words[wordOf(row, AT)] = at - from;
      words[wordOf(row, TO)] = to - from;
      if (at === to) this.#fill(row, at);
    }
    // The rows have changed.
    this.#moves = -1;
  }

  #newWindow(chunkResult: StateChunk): Window {
    const texts = chunkResult.texts.length;
    const packets = chunkResult.packets.kind.length;
    const window = this.#spare.pop() ?? {
      rows: this.#memory.table(ROW, WINDOW_ROWS),
      texts: this.#memory.table(TEXT, texts),
      packets: this.#memory.table(PACKET, packets),
      chunkResult,
      from: 0,
      to: 0,
    };
    window.chunkResult = chunkResult;
    window.from = window.to = 0;
    if (window.texts.historyText.length < texts) this.#memory.widen(window.texts, 2 * texts);
    if (window.packets.kind.length < packets) this.#memory.widen(window.packets, 2 * packets);
    // Each text that is not found ends a call of the kernel.
    findTexts(this.#model.texts, chunkResult, window.texts.historyText);
    window.packets.kind.set(chunkResult.packets.kind);
    window.packets.key.set(chunkResult.packets.key);
    this.#windowOf.set(chunkResult, window);
    return window;
  }

  /** Copies transitions of a chunk result from `from` on into the memory, as many as its window holds. */
  #fill(row: number, from: number): void {
    const window = this.#windows[row];
    const { rows, chunkResult } = window;
    const to = Math.min(chunkResult.length, from + WINDOW_ROWS);
    rows.time.set(chunkResult.time.subarray(from, to));
    rows.kind.set(chunkResult.kind.subarray(from, to));
    rows.cpu.set(chunkResult.cpu.subarray(from, to));
    rows.place.set(chunkResult.place.subarray(from, to));
    const end = to < chunkResult.length ? chunkResult.place[to] : chunkResult.args.length;
    rows.args.set(chunkResult.args.subarray(chunkResult.place[from], end));
    window.from = from;
    window.to = to;
    this.#chunkResults.words[wordOf(row, ARGS)] = argumentsOf(window);
    this.#chunkResults.words[wordOf(row, AT)] = 0;
    this.#chunkResults.words[wordOf(row, TO)] = to - from;
  }

  /** Tells the kernel what may have changed since its last call. */
  #renew(): void {
    const { losses, recordings, texts } = this.#model;
    this.#kernel.setCircumstances(texts.idleCause, Math.max(losses.earlierEnd, losses.lastEnd));
    this.#kernel.setRecording(recordings.gaps.at(-1)?.to ?? -Infinity);
    if (this.#moves === this.#memory.moves) return;
    this.#moves = this.#memory.moves;
    for (const { place, directories } of this.#places) place(...directories);
    this.#placeWindows();
  }

  #placeWindows(): void {
    const { words } = this.#chunkResults;
    for (const [row, window] of this.#windows.entries()) {
      const { rows, texts, packets } = window;
      words[wordOf(row, TIME)] = rows.time.byteOffset;
      words[wordOf(row, KIND)] = rows.kind.byteOffset;
      words[wordOf(row, CPU)] = rows.cpu.byteOffset;
      words[wordOf(row, PLACE)] = rows.place.byteOffset;
      words[wordOf(row, ARGS)] = argumentsOf(window);
      words[wordOf(row, TEXTS)] = texts.historyText.byteOffset;
      words[wordOf(row, PACKET_KIND)] = packets.kind.byteOffset;
      words[wordOf(row, PACKET_KEY)] = packets.key.byteOffset;
    }
  }

  /** Tables that the kernel uses, by subject; it takes columns by their index in the forms of the tables. */
  #tables(): [PlaceTables, ...object[]][] {
    const { cursor, attributes, emitted, families } = this.#history;
    const { threads, cpus, disks, texts, signals, packets, softirqs } = this.#model;
    const { byTid } = threads;
    const kernel = this.#kernel;
    return [
      [kernel.placeHistory, cursor, attributes, emitted, families],
      [kernel.placeTids, byTid, byTid.size],
      [kernel.placeThreads, threads, threads.count],
      [kernel.placeCpuNumbers, cpus.byNumber],
      [kernel.placeCpus, cpus, cpus.seen],
      [kernel.placeDisks, disks.byDevice, disks, disks.slot],
      [kernel.placeTexts, texts.kind],
      [kernel.placeCauses, texts.causes, texts.causes.byInterrupt],
      [kernel.placeSignals, signals.rows, signals.count],
      [kernel.placePackets, packets.log.rows, packets.log.count],
      [kernel.placeSoftirqs, softirqs.rows, softirqs.count],
      [kernel.placeChunkResults, this.#chunkResults],
    ];
  }
}

/** Address at which the chunk result's first argument would be, relative to which transitions have their places. */
function argumentsOf({ rows, chunkResult, from }: Window): number {
  return rows.args.byteOffset - rows.args.BYTES_PER_ELEMENT * (chunkResult.place[from] ?? 0);
}

/** Address of one of a chunk result's words. */
function wordOf(row: number, word: number): number {
  return row * CHUNK_RESULT_WORDS + word;
}
