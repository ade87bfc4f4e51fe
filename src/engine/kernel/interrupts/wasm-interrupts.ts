/** `InterruptTally` of `interrupt-tally.ts` as WebAssembly (`src/kernels/aggregates/interrupts.ts`). */
import type { EventBatch, ProjectionPlan } from '../../analysis/contract.ts';
import { i32, noRows } from '../../base/tables.ts';
import { aggregatesModule } from '../aggregates-kernel.ts';
import type { RowTally } from '../chunk-reader.ts';
import { DURATIONS, PAGE } from '../duration-sums.ts';
import { subjectsOf, vectorStepsOf } from '../meanings.ts';
import { INDEX } from '../int-index.ts';
import type { FieldPlace } from '../row-reader.ts';
import { packed, type RowExports, RowKernel } from '../row-kernel.ts';
import { clearEnds, endTables, firstOfSubject, interruptsOf, RAISES, RUNS } from './interrupt-ends.ts';
import type { InterruptsOfChunk } from './interrupt-ends.ts';
import { type InterruptKey, RUN_IRQ, RUN_KINDS, RUN_VECTOR, VECS } from './interrupt-leaf.ts';
import type { InterruptLayout } from './interrupt-tally.ts';

interface InterruptExports extends RowExports {
  beginInterrupts(fields: number, ...tables: number[]): void;
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

/** Fields that the kernel reads. */
export const INTERRUPT_FIELDS = [
  'irqOfEntry',
  'irqName',
  'irqOfExit',
  'vecOfRaise',
  'vecOfEntry',
  'vecOfExit',
  'timerOfEntry',
  'timerFunction',
  'timerOfExit',
] as const;

/** By group; the name is the index of a text, of vectors an event class, -1 none. */
export const GROUPS = { kind: i32(), id: i32(), name: i32() };

export class WasmInterruptTally implements RowTally<InterruptsOfChunk> {
  readonly #kernel: RowKernel<InterruptExports>;
  readonly #actions: Uint8Array;
  readonly #fields: Int32Array;
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
    const places: Readonly<Record<(typeof INTERRUPT_FIELDS)[number], FieldPlace>> = {
      irqOfEntry: irqEntry.irq,
      irqName: irqEntry.name,
      irqOfExit: irqExit.irq,
      vecOfRaise: raise.vec,
      vecOfEntry: softirqEntry.vec,
      vecOfExit: softirqExit.vec,
      timerOfEntry: timerEntry.hrtimer,
      timerFunction: timerEntry.function,
      timerOfExit: timerExit.hrtimer,
    };
    this.#fields = packed(INTERRUPT_FIELDS.map((field) => places[field]));
  }

  start({ rows, eventClasses, cpu }: EventBatch): boolean {
    const kernel = this.#kernel;
    if (!kernel.open(rows)) return false;
    kernel.openTexts(MOST_TEXTS);
    const runs = kernel.table(RUNS, RUN_KINDS);
    const raises = kernel.table(RAISES, VECS);
    const groups = kernel.table(GROUPS, MOST_GROUPS);
    const durations = kernel.table(DURATIONS, MOST_GROUPS);
    const pages = kernel.table(PAGE, MOST_PAGES);
    const index = kernel.table(INDEX, RUN_KINDS * SLOTS);
    const fields = kernel.copy(this.#fields);
    const actions = kernel.copy(this.#actions);
    const steps = kernel.copy(vectorStepsOf(eventClasses));
    const marks = kernel.copy(firstOfSubject(eventClasses));
    if (kernel.isFull) return false;
    this.#subjects = subjectsOf(eventClasses);
    this.#ends = { runs: runs.rows, raises: raises.rows };
    this.#groups = groups.rows;
    this.#durations = { ...durations.rows, ...pages.rows };
    index.rows.values.fill(-1);
    clearEnds(this.#ends);
    const tables = [runs, raises, groups, durations, pages, index].map(({ directory }) => directory);
    kernel.exports.beginInterrupts(fields, ...tables, actions, steps, marks, cpu);
    return true;
  }

  read(from: number, to: number, packet: number): boolean {
    const kernel = this.#kernel;
    return kernel.exports.readInterrupts(from, to, kernel.textBase(packet)) === 1;
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
