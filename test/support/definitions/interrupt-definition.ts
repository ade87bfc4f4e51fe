/** One chunk → its interrupts (`interrupt-chunk.ts`): the definition of what `interrupts.ts` has compiled code for. */
import type { EventBatch } from '../../../src/engine/analysis/contract.ts';
import { type RowChunkReader } from '../../../src/engine/analysis/compiled/chunk-reader.ts';
import { DurationSums } from '../../../src/engine/linux/sums/duration-sums.ts';
import { createIntIndex, findInt, putInt } from '../../../src/engine/analysis/compiled/int-index.ts';
import { subjectsOf, vectorStepsOf } from '../../../src/engine/linux/events/kernel-events.ts';
import { RowReader } from '../../../src/engine/linux/events/row-reader.ts';
import { TextTable } from '../../../src/engine/linux/events/text-table.ts';
import {
  clearEnds,
  endTables,
  firstOfSubject,
  interruptsOf,
  type InterruptsOfChunk,
} from '../../../src/engine/linux/sums/interrupts/interrupt-ends.ts';
import {
  type InterruptLayout,
  IRQ_ENTRY,
  IRQ_EXIT,
  NOTHING,
  RAISE,
  SOFTIRQ_ENTRY,
  SOFTIRQ_EXIT,
  TIMER_ENTRY,
  TIMER_EXIT,
  VECTOR,
} from '../../../src/engine/linux/sums/interrupts/interrupt-rules.ts';
import * as chunkResult from '../../../src/engine/linux/sums/interrupts/interrupt-chunk.ts';
import type { InterruptKey } from '../../../src/engine/linux/sums/interrupts/interrupt-chunk.ts';

/** More than the texts that a chunk can have. */
const MOST_TEXTS = 2 ** 21;

export class InterruptDefinition implements RowChunkReader<InterruptsOfChunk> {
  readonly #layout: InterruptLayout;
  readonly #rows = new RowReader();
  #subjects: readonly string[] = [];
  #firstOfSubject = new Int32Array(0);
  #vectorSteps = new Int8Array(0);
  #texts = new TextTable();
  #sums = new DurationSums();
  #cpu = -1;
  /** By kind: group of an interrupt by its mark, of irqs the one seen last. */
  #groupOf = [0, 1, 2, 3].map(() => createIntIndex(2));
  /** Groups of irqs by number and name. */
  #irqGroups = new Map<number, number>();
  /** By group; names are indices of texts, -1 none. */
  #kinds: number[] = [];
  #ids: number[] = [];
  #names: number[] = [];
  #cutRuns: { readonly group: number; readonly begin: number; readonly end: number }[] = [];
  readonly #ends = endTables();

  constructor(layout: InterruptLayout) {
    this.#layout = layout;
  }

  start({ rows, eventClasses, cpu }: EventBatch): boolean {
    this.#rows.open(rows);
    this.#subjects = subjectsOf(eventClasses);
    this.#firstOfSubject = firstOfSubject(eventClasses);
    this.#vectorSteps = vectorStepsOf(eventClasses);
    this.#texts = new TextTable();
    this.#sums = new DurationSums();
    this.#cpu = cpu;
    this.#groupOf = this.#groupOf.map(() => createIntIndex(2));
    this.#irqGroups = new Map();
    this.#kinds = [];
    this.#ids = [];
    this.#names = [];
    this.#cutRuns = [];
    clearEnds(this.#ends);
    return true;
  }

  read(from: number, to: number): boolean {
    this.#readRows(from, to);
    return true;
  }

  /** What is pending may have ended. */
  lose(): void {
    const { runs, raises } = this.#ends;
    runs.pendingGroup.fill(-1);
    runs.closed.fill(1);
    raises.closed.fill(1);
    raises.pending.fill(NaN);
  }

  finish(): InterruptsOfChunk {
    this.#rows.close();
    const keys = this.#kinds.map((kind, group): InterruptKey => {
      return { kind, id: this.#ids[group], name: this.#texts.texts[this.#names[group]] ?? '' };
    });
    const cutRuns = this.#cutRuns.map(({ group, begin, end }) => ({ key: keys[group], begin, end }));
    return interruptsOf(keys, this.#sums.columns, this.#ends, cutRuns);
  }

  #readRows(from: number, to: number): void {
    const { kind: eventKind } = this.#rows;
    const { actions } = this.#layout;
    for (let row = from; row < to; row++) {
      const action = actions[eventKind[row]];
      if (action !== NOTHING) this.#step(action, row);
    }
  }

  #step(action: number, row: number): void {
    const rows = this.#rows;
    const layout = this.#layout;
    const time = rows.time[row];
    switch (action) {
      case IRQ_ENTRY: {
        const irq = rows.int(row, layout.irqOfEntry);
        this.#enter(chunkResult.RUN_IRQ, this.#irqGroup(row, irq), irq, time);
        break;
      }
      case IRQ_EXIT:
        this.#leave(chunkResult.RUN_IRQ, rows.int(row, layout.irqOfExit), time);
        break;
      case RAISE:
        this.#raise(rows.int(row, layout.vecOfRaise), time);
        break;
      case SOFTIRQ_ENTRY: {
        const vec = rows.int(row, layout.vecOfEntry);
        this.#enter(chunkResult.RUN_SOFTIRQ, this.#group(chunkResult.RUN_SOFTIRQ, vec, vec), vec, time);
        this.#enterRaised(vec, time);
        break;
      }
      case SOFTIRQ_EXIT:
        this.#leave(chunkResult.RUN_SOFTIRQ, rows.int(row, layout.vecOfExit), time);
        break;
      case TIMER_ENTRY: {
        // The lower half tells functions of the kernel apart: its code is smaller than 4 GiB.
        const id = rows.wide(row, layout.timerFunction, -1) | 0;
        const group = this.#group(chunkResult.RUN_TIMER, id, id);
        this.#enter(chunkResult.RUN_TIMER, group, rows.wide(row, layout.timerOfEntry, -1), time);
        break;
      }
      case TIMER_EXIT:
        this.#leave(chunkResult.RUN_TIMER, rows.wide(row, layout.timerOfExit, -1), time);
        break;
      case VECTOR:
        this.#vector(rows.eventClass[row], time);
        break;
      default:
        this.#ends.runs.isCut.fill(1);
    }
  }

  /** Entry and exit of a vector are event classes of their own, which have its name in common. */
  #vector(eventClass: number, time: number): void {
    const step = this.#vectorSteps[eventClass];
    if (step === 0) return;
    const mark = this.#firstOfSubject[eventClass];
    if (step > 0) this.#enter(chunkResult.RUN_VECTOR, this.#vectorGroup(mark), mark, time);
    else this.#leave(chunkResult.RUN_VECTOR, mark, time);
  }

  #group(kind: number, mark: number, id: number): number {
    const known = findInt(this.#groupOf[kind], mark);
    return known < 0 ? this.#addGroup(kind, mark, id, -1) : known;
  }

  #vectorGroup(mark: number): number {
    const known = findInt(this.#groupOf[chunkResult.RUN_VECTOR], mark);
    if (known >= 0) return known;
    return this.#addGroup(chunkResult.RUN_VECTOR, mark, -1, this.#texts.ofText(this.#subjects[mark]));
  }

  /** Mostly that of the same irq before. */
  #irqGroup(row: number, irq: number): number {
    const last = findInt(this.#groupOf[chunkResult.RUN_IRQ], irq);
    const guess = last < 0 ? -1 : this.#names[last];
    const text = this.#rows.text(row, this.#layout.irqName, this.#texts, guess);
    if (last >= 0 && text === guess) return last;
    const key = irq * MOST_TEXTS + text + 1;
    const group = this.#irqGroups.get(key) ?? this.#addGroup(chunkResult.RUN_IRQ, irq, irq, text);
    putInt(this.#groupOf[chunkResult.RUN_IRQ], irq, group);
    this.#irqGroups.set(key, group);
    return group;
  }

  #addGroup(kind: number, mark: number, id: number, name: number): number {
    const group = this.#sums.addGroup();
    this.#kinds[group] = kind;
    this.#ids[group] = id;
    this.#names[group] = name;
    if (kind < chunkResult.RUN_KINDS) putInt(this.#groupOf[kind], mark, group);
    return group;
  }

  #enter(kind: number, group: number, mark: number, time: number): void {
    const { runs } = this.#ends;
    runs.pendingGroup[kind] = group;
    runs.pendingMark[kind] = mark;
    runs.pendingTime[kind] = time;
    runs.closed[kind] = 1;
    runs.isCut[kind] = 0;
  }

  #leave(kind: number, mark: number, time: number): void {
    const { runs } = this.#ends;
    const group = runs.pendingGroup[kind];
    if (group >= 0) {
      if (runs.pendingMark[kind] === mark) {
        const begin = runs.pendingTime[kind];
        if (runs.isCut[kind] === 0) this.#sums.add(group, begin, time - begin, this.#cpu);
        else if (chunkResult.outlivesSwitches(kind)) this.#cutRuns.push({ group, begin, end: time });
      }
      runs.pendingGroup[kind] = -1;
    } else if (runs.closed[kind] === 0) {
      runs.headMark[kind] = mark;
      runs.headTime[kind] = time;
      runs.isHeadCut[kind] = runs.isCut[kind];
    }
    runs.closed[kind] = 1;
  }

  /** Raised twice is raised once, until it begins. */
  #raise(vec: number, time: number): void {
    if (vec < 0 || vec >= chunkResult.VECS) return;
    const { raises } = this.#ends;
    const first = raises.closed[vec] === 0 ? raises.first : raises.pending;
    if (Number.isNaN(first[vec])) first[vec] = time;
  }

  #enterRaised(vec: number, time: number): void {
    if (vec < 0 || vec >= chunkResult.VECS) return;
    const { raises } = this.#ends;
    if (raises.closed[vec] === 0) {
      // Perhaps it was raised before this chunk: joining tells.
      raises.entry[vec] = time;
      raises.closed[vec] = 1;
      return;
    }
    const raise = raises.pending[vec];
    if (Number.isNaN(raise)) return;
    if (raises.group[vec] < 0) raises.group[vec] = this.#addGroup(chunkResult.RAISED, vec, vec, -1);
    this.#sums.add(raises.group[vec], raise, time - raise, this.#cpu);
    raises.pending[vec] = NaN;
  }
}
