/** `InterruptReader` of `interrupt-map.ts` as WebAssembly (`src/kernels/aggregates/interrupts.ts`). */
import type { EventBatch, ProjectionPlan } from '../analysis/contract.ts';
import { i32, noRows } from '../base/tables.ts';
import { aggregatesModule, INDEX } from './aggregates-kernel.ts';
import type { ChunkReader } from './chunk-reader.ts';
import { DURATIONS, PAGE } from './duration-sums.ts';
import { clearEnds, endTables, firstOfSubject, interruptsOf, RAISES, RUNS } from './interrupt-ends.ts';
import type { InterruptsOfChunk } from './interrupt-ends.ts';
import { RUN_IRQ, RUN_KINDS, RUN_VECTOR, VECS, type InterruptKey } from './interrupt-leaf.ts';
import type { InterruptLayout } from './interrupt-map.ts';
import { subjectsOf, vectorStepsOf } from './meanings.ts';
import { addressesOf, packed, RowKernel, type RowExports } from './row-kernel.ts';

interface InterruptExports extends RowExports {
  placeInterruptFields(...fields: number[]): void;
  placeRuns(...columns: number[]): void;
  placeRaises(...columns: number[]): void;
  placeGroups(...columnsAndMost: number[]): void;
  placeDurations(...columnsAndPages: number[]): void;
  beginInterrupts(...tables: number[]): void;
  readInterrupts(from: number, to: number, textBase: number): number;
  loseInterrupts(): void;
  readonly groups: WebAssembly.Global;
}

/** Interrupts of a chunk for which there is room, pages of bins, and texts. */
const MOST_GROUPS = 2 ** 8;
const MOST_PAGES = 2 ** 10;
const MOST_TEXTS = 2 ** 9;
/** Slots of an index of groups. */
const SLOTS = 2 * MOST_GROUPS;

/** By group; the name is the index of a text, of vectors an event class, -1 none. */
const GROUPS = { kind: i32(), id: i32(), name: i32() };

export class WasmInterruptReader implements ChunkReader<InterruptsOfChunk> {
  readonly #kernel: RowKernel<InterruptExports>;
  readonly #actions: Uint8Array;
  readonly #fields: readonly number[];
  // Of the chunk at hand.
  #subjects: readonly string[] = [];
  #ends = endTables();
  #groups = noRows(GROUPS);
  #durations = { ...noRows(DURATIONS), ...noRows(PAGE) };

  /** Throws where there is no WebAssembly. */
  constructor(plan: ProjectionPlan, layout: InterruptLayout) {
    this.#kernel = new RowKernel(aggregatesModule(plan));
    this.#actions = layout.actions;
    const { irqEntry, irqExit, raise, softirqEntry, softirqExit, timerEntry, timerExit } = layout;
    this.#fields = [
      irqEntry.irq,
      irqEntry.name,
      irqExit.irq,
      raise.vec,
      softirqEntry.vec,
      softirqExit.vec,
      timerEntry.hrtimer,
      timerEntry.function,
      timerExit.hrtimer,
    ].map(packed);
  }

  start({ rows, eventClasses, cpu }: EventBatch): boolean {
    const kernel = this.#kernel;
    if (!kernel.open(rows)) return false;
    kernel.openTexts(MOST_TEXTS);
    const index = kernel.table(INDEX, RUN_KINDS * SLOTS);
    const durations = kernel.table(DURATIONS, MOST_GROUPS);
    const pages = kernel.table(PAGE, MOST_PAGES);
    this.#groups = kernel.table(GROUPS, MOST_GROUPS);
    this.#ends = { runs: kernel.table(RUNS, RUN_KINDS), raises: kernel.table(RAISES, VECS) };
    const actions = kernel.copy(this.#actions);
    const steps = kernel.copy(vectorStepsOf(eventClasses));
    const marks = kernel.copy(firstOfSubject(eventClasses));
    if (kernel.isFull) return false;
    this.#subjects = subjectsOf(eventClasses);
    this.#durations = { ...durations, ...pages };
    index.values.fill(-1);
    clearEnds(this.#ends);
    const { exports } = kernel;
    exports.placeInterruptFields(...this.#fields);
    exports.placeRuns(...addressesOf(this.#ends.runs));
    exports.placeRaises(...addressesOf(this.#ends.raises));
    exports.placeGroups(...addressesOf(this.#groups), MOST_GROUPS);
    exports.placeDurations(...addressesOf(this.#durations), MOST_PAGES);
    exports.beginInterrupts(actions, steps, marks, ...addressesOf(index), SLOTS, cpu);
    return true;
  }

  read(from: number, to: number, textBase: number): boolean {
    return this.#kernel.exports.readInterrupts(from, to, textBase) === 1;
  }

  lose(): void {
    this.#kernel.exports.loseInterrupts();
  }

  finish(): InterruptsOfChunk {
    const length = this.#kernel.exports.groups.value as number;
    const texts = this.#kernel.texts();
    const keys = Array.from({ length }, (_, group) => this.#keyOf(group, texts));
    return interruptsOf(keys, this.#durations, this.#ends);
  }

  #keyOf(group: number, texts: readonly string[]): InterruptKey {
    const kind = this.#groups.kind[group];
    const name = this.#groups.name[group];
    const names = kind === RUN_IRQ ? texts : kind === RUN_VECTOR ? this.#subjects : [];
    return { kind, id: this.#groups.id[group], name: names[name] ?? '' };
  }
}
