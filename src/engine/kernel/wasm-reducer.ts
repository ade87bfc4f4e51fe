/**
 * What happens often to threads and CPUs, as compiled WebAssembly (`src/kernels/reduce`) in the tables of the state
 * reducer and of the history. It goes on over the transitions of a leaf until one comes that it does not know: the
 * reducer does that one, which is what such transitions mean, and has the kernel go on behind it.
 */
import reduceKernel from 'kernel:reduce';
import { kernelModule } from '../base/kernel-module.ts';
import { f64, i32, u8, type Table, type TableMemory } from '../base/tables.ts';
import type { SharedHistory } from '../history/shared-history.ts';
import type { KernelModel } from './kernel-model.ts';
import { ARGUMENTS, EMPTY_LEAF } from './transitions.ts';
import type { StateLeaf } from './transitions.ts';

/** What the kernel exports: the places of the tables, circumstances, the work. */
interface ReduceKernel {
  placeHistory(...columns: number[]): void;
  placeTids(keys: number, values: number, mask: number): void;
  placeThreads(...columns: number[]): void;
  placeThreadCounts(...columns: number[]): void;
  placeCpuNumbers(keys: number, values: number, mask: number): void;
  placeCpus(...columns: number[]): void;
  placeTexts(bits: number): void;
  placeCauses(...columns: number[]): void;
  placeSignals(...columns: number[]): void;
  setTrace(isOldKernel: boolean, hasWaking: boolean): void;
  setCircumstances(idleCause: number, lostUntil: number): void;
  run(
    time: number,
    kind: number,
    cpu: number,
    args: number,
    texts: number,
    from: number,
    to: number,
    until: number,
  ): number;
}

/** Transitions of a leaf that are in the memory at a time: few, so that they stay in the cache. */
const WINDOW_ROWS = 2048;
const ROW = { time: f64(), kind: u8(), cpu: i32(), args: i32(0, ARGUMENTS) };
const TEXT = { historyText: i32(-1) };

/** A leaf as far as it is in the memory. */
interface Window {
  readonly rows: Table<typeof ROW>;
  /** The history's index of each text, -1 not asked for yet. */
  readonly texts: Table<typeof TEXT>;
  leaf: StateLeaf;
  /** Its transitions [from, to). */
  from: number;
  to: number;
}

/** Undefined where there is no WebAssembly, or the history keeps its columns to itself. */
export function createWasmReducer(model: KernelModel): WasmReducer | undefined {
  const { shared } = model.sink;
  if (shared?.memory.wasm === undefined) return undefined;
  try {
    return new WasmReducer(model, shared, shared.memory.wasm);
  } catch {
    return undefined;
  }
}

export class WasmReducer {
  readonly #model: KernelModel;
  readonly #history: SharedHistory;
  readonly #memory: TableMemory;
  readonly #kernel: ReduceKernel;
  readonly #windows = new Map<StateLeaf, Window>();
  readonly #spare: Window[] = [];
  #window: Window | undefined = undefined;
  /** The moves of the memory's columns that the kernel knows of. */
  #moves = -1;

  /** @throws where a policy forbids WebAssembly */
  constructor(model: KernelModel, history: SharedHistory, memory: WebAssembly.Memory) {
    this.#model = model;
    this.#history = history;
    this.#memory = history.memory;
    const instance = new WebAssembly.Instance(kernelModule(reduceKernel), { env: { memory } });
    this.#kernel = instance.exports as unknown as ReduceKernel;
    this.#kernel.setTrace(model.oldKernel, model.hasWaking);
  }

  /** Makes `leaf` the one of which transitions follow, and says where the history's indices of its texts are kept. */
  take(leaf: StateLeaf): Pick<StateLeaf, 'historyText'> {
    let window = this.#windows.get(leaf);
    if (window === undefined) {
      window = this.#open(leaf);
      this.#windows.set(leaf, window);
    }
    this.#window = window;
    return window.texts;
  }

  /** No transition of the leaf follows. */
  release(leaf: StateLeaf): void {
    const window = this.#windows.get(leaf);
    if (window === undefined) return;
    this.#windows.delete(leaf);
    window.leaf = EMPTY_LEAF;
    this.#spare.push(window);
  }

  /**
   * Does transitions [from, to) of the leaf taken last, and returns the first one that it did not do.
   * @param until TimeNs; it does none at or after this time
   */
  goOn(from: number, to: number, until: number): number {
    const window = this.#window;
    if (window === undefined) return from;
    this.#renew();
    let next = from;
    while (next < to) {
      if (next >= window.to) fill(window, next);
      const end = Math.min(to, window.to);
      const done = window.from + this.#run(window, next - window.from, end - window.from, until);
      next = done;
      if (done < end) break;
    }
    this.#model.now = this.#history.cursor.next[0];
    return next;
  }

  #run({ rows, texts }: Window, from: number, to: number, until: number): number {
    const { time, kind, cpu, args } = rows;
    return this.#kernel.run(
      time.byteOffset,
      kind.byteOffset,
      cpu.byteOffset,
      args.byteOffset,
      texts.historyText.byteOffset,
      from,
      to,
      until,
    );
  }

  #open(leaf: StateLeaf): Window {
    const { length } = leaf.texts;
    const window = this.#spare.pop() ?? this.#newWindow(leaf);
    window.leaf = leaf;
    window.from = window.to = 0;
    if (window.texts.historyText.length < length) this.#memory.widen(window.texts, 2 * length);
    window.texts.historyText.set(leaf.historyText);
    return window;
  }

  #newWindow(leaf: StateLeaf): Window {
    const rows = this.#memory.table(ROW, WINDOW_ROWS);
    return { rows, texts: this.#memory.table(TEXT, leaf.texts.length), leaf, from: 0, to: 0 };
  }

  /** Tells the kernel what may have changed since it was last called. */
  #renew(): void {
    const { losses, texts } = this.#model;
    this.#kernel.setCircumstances(texts.idleCause, Math.max(losses.earlierEnd, losses.lastEnd));
    if (this.#moves === this.#memory.moves) return;
    this.#moves = this.#memory.moves;
    this.#placeThreads();
    this.#placeCpus();
    this.#placeOthers();
  }

  #placeThreads(): void {
    const { threads } = this.#model;
    const { byTid } = threads;
    this.#kernel.placeTids(byTid.keys.byteOffset, byTid.values.byteOffset, byTid.mask);
    this.#kernel.placeThreads(
      threads.tid.byteOffset,
      threads.pid.byteOffset,
      threads.name.byteOffset,
      threads.kind.byteOffset,
      threads.state.byteOffset,
      threads.exited.byteOffset,
      threads.onCpu.byteOffset,
      threads.lastCpu.byteOffset,
      threads.call.byteOffset,
      threads.ran.byteOffset,
      threads.wasBlocked.byteOffset,
      threads.blockedSince.byteOffset,
      threads.remembered.byteOffset,
      threads.rememberedAt.byteOffset,
    );
    this.#kernel.placeThreadCounts(
      threads.runs.byteOffset,
      threads.wakeups.byteOffset,
      threads.migrations.byteOffset,
      threads.voluntary.byteOffset,
      threads.preemptions.byteOffset,
      threads.stateAttribute.byteOffset,
      threads.cpuAttribute.byteOffset,
      threads.callAttribute.byteOffset,
      threads.nameAttribute.byteOffset,
    );
  }

  #placeCpus(): void {
    const { cpus } = this.#model;
    const { byNumber, entered } = cpus;
    this.#kernel.placeCpuNumbers(byNumber.keys.byteOffset, byNumber.values.byteOffset, byNumber.mask);
    this.#kernel.placeCpus(
      cpus.number.byteOffset,
      cpus.current.byteOffset,
      cpus.idle.byteOffset,
      cpus.depth.byteOffset,
      cpus.frames.byteOffset,
      cpus.serials.byteOffset,
      cpus.exempt.byteOffset,
      cpus.interrupting.byteOffset,
      cpus.value.byteOffset,
      cpus.firstSwitch.byteOffset,
      cpus.switches.byteOffset,
      cpus.stateAttribute.byteOffset,
      cpus.threadAttribute.byteOffset,
      entered.frames.byteOffset,
    );
  }

  #placeOthers(): void {
    const { cursor, attributes, emitted } = this.#history;
    const { texts, signals } = this.#model;
    const { causes } = texts;
    const { rows, count } = signals;
    this.#kernel.placeHistory(
      cursor.now.byteOffset,
      attributes.state.byteOffset,
      attributes.isLive.byteOffset,
      attributes.live.byteOffset,
      emitted.attribute.byteOffset,
      emitted.end.byteOffset,
      emitted.value.byteOffset,
      emitted.attribute.length,
    );
    this.#kernel.placeTexts(texts.meaning.bits.byteOffset);
    this.#kernel.placeCauses(
      causes.kind.byteOffset,
      causes.id.byteOffset,
      causes.name.byteOffset,
      causes.value.byteOffset,
      causes.byInterrupt.keys.byteOffset,
      causes.byInterrupt.values.byteOffset,
      causes.byInterrupt.mask,
    );
    this.#kernel.placeSignals(
      rows.thread.byteOffset,
      rows.end.byteOffset,
      rows.signal.byteOffset,
      rows.cpu.byteOffset,
      rows.frame.byteOffset,
      count.length.byteOffset,
      rows.thread.length,
    );
  }
}

/** Takes the transitions of the window's leaf from `from` on into the memory, as many as it has room for. */
function fill(window: Window, from: number): void {
  const { rows, leaf } = window;
  const to = Math.min(leaf.length, from + WINDOW_ROWS);
  rows.time.set(leaf.time.subarray(from, to));
  rows.kind.set(leaf.kind.subarray(from, to));
  rows.cpu.set(leaf.cpu.subarray(from, to));
  rows.args.set(leaf.args.subarray(from * ARGUMENTS, to * ARGUMENTS));
  window.from = from;
  window.to = to;
}
