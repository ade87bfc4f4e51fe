/**
 * Single interrupts, from entry to exit, and single waits of softirqs from raise to entry, by the rules of the sums
 * (`interrupt-chunk.ts`). They grow with the events, so they are read on demand and not while a trace is opened. A
 * chunk result has the events of its chunk; they are paired once those of a stream are there, in order.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../../../analysis/contract.ts';
import { readBy } from '../../../analysis/read-packets.ts';
import { GrowingTable, trimmed } from '../../../base/columns.ts';
import { f64, i32, noRows, type Table, u8 } from '../../../base/tables.ts';
import { type RowChunkReader, rowReaders } from '../../../analysis/compiled/chunk-reader.ts';
import { subjectsOf, vectorStepsOf } from '../../events/kernel-events.ts';
import { RowReader } from '../../events/row-reader.ts';
import { joinLists, mergeStreamParts, type StreamPart, streamPart } from '../../../analysis/stream-merge.ts';
import { TextTable } from '../../events/text-table.ts';
import { firstOfSubject } from './interrupt-ends.ts';
import * as chunkResult from './interrupt-chunk.ts';
import type { InterruptKey } from './interrupt-chunk.ts';
import * as rules from './interrupt-rules.ts';

const ENTER = 0;
const LEAVE = 1;
const RAISE = 2;
/** Another thread was switched in. */
const SWITCH = 3;
/** Events were lost. */
const LOSS = 4;

const STEPS = {
  /** HostNs. */
  time: f64(),
  step: u8(),
  /** RUN_*. */
  kind: u8(),
  /** Number that entry and exit share, like `LooseEnd.mark`; for a raise the softirq. */
  mark: f64(),
  /** Index of an entry in the keys; -1: the step is no entry. */
  key: i32(),
};

interface StepPart {
  readonly steps: Table<typeof STEPS>;
  readonly keys: readonly InterruptKey[];
}

/** Consecutive chunks of one stream. */
interface StepStreamPart extends StreamPart {
  readonly parts: readonly StepPart[];
}

const RUNS = {
  /** HostNs. */
  begin: f64(),
  end: f64(),
  /** Place in the keys. */
  key: i32(),
  /** 1: another thread was switched in meanwhile (`CutRun`). */
  isCut: u8(),
};

/** The interrupts of a stream, in order of their ends. */
export interface SingleInterrupts {
  readonly host: number;
  readonly cpu: number;
  readonly keys: readonly InterruptKey[];
  readonly length: number;
  readonly runs: Table<typeof RUNS>;
}

export const singleInterrupts: Analysis<readonly StepStreamPart[], readonly SingleInterrupts[]> = {
  id: 'interrupt-runs',
  version: 1,
  reads: { kinds: rules.INTERRUPT_KINDS },
  ...readBy((plan) =>
    rowReaders(new StepReader(plan), (batch, part) => streamPart(batch, { parts: [part] })),
  ),
  merge: (chunkResults) => mergeStreamParts(chunkResults, joinLists),
  empty: [],
  finish: (streamParts) => streamParts.map(runsOf),
};

class StepReader implements RowChunkReader<StepPart> {
  readonly #layout: rules.InterruptLayout;
  readonly #rows = new RowReader();
  // Data of the present chunk.
  #steps = new GrowingTable(noRows(STEPS));
  #keys = new chunkResult.KeyList();
  #texts = new TextTable();
  #subjects: readonly string[] = [];
  /** Steps and marks of vectors, by event class, as in `interrupts.ts`. */
  #ways = new Int8Array(0);
  #marks = new Int32Array(0);

  constructor(plan: ProjectionPlan) {
    this.#layout = rules.interruptLayout(plan);
  }

  start({ rows, eventClasses }: EventBatch): boolean {
    this.#rows.open(rows);
    this.#steps = new GrowingTable(noRows(STEPS));
    this.#keys = new chunkResult.KeyList();
    this.#texts = new TextTable();
    this.#subjects = subjectsOf(eventClasses);
    this.#ways = vectorStepsOf(eventClasses);
    this.#marks = firstOfSubject(eventClasses);
    return true;
  }

  read(from: number, to: number): boolean {
    for (let row = from; row < to; row++) this.#row(row);
    return true;
  }

  /** Notes a loss, without a time: what is open is given up in any case. */
  lose(): void {
    this.#add(NaN, LOSS, 0, 0, -1);
  }

  finish(): StepPart {
    this.#rows.close();
    return { steps: trimmed(this.#steps.rows, this.#steps.length), keys: this.#keys.keys };
  }

  #row(row: number): void {
    const rows = this.#rows;
    const layout = this.#layout;
    const time = rows.time[row];
    switch (layout.actions[rows.kind[row]]) {
      case rules.IRQ_ENTRY: {
        const irq = rows.int(row, layout.irqOfEntry);
        const name = this.#texts.texts[rows.text(row, layout.irqName, this.#texts)] ?? '';
        this.#add(time, ENTER, chunkResult.RUN_IRQ, irq, this.#keys.placeOf(chunkResult.RUN_IRQ, irq, name));
        break;
      }
      case rules.IRQ_EXIT:
        this.#add(time, LEAVE, chunkResult.RUN_IRQ, rows.int(row, layout.irqOfExit), -1);
        break;
      case rules.RAISE:
        this.#add(time, RAISE, chunkResult.RUN_SOFTIRQ, rows.int(row, layout.vecOfRaise), -1);
        break;
      case rules.SOFTIRQ_ENTRY: {
        const vec = rows.int(row, layout.vecOfEntry);
        this.#add(
          time,
          ENTER,
          chunkResult.RUN_SOFTIRQ,
          vec,
          this.#keys.placeOf(chunkResult.RUN_SOFTIRQ, vec, ''),
        );
        break;
      }
      case rules.SOFTIRQ_EXIT:
        this.#add(time, LEAVE, chunkResult.RUN_SOFTIRQ, rows.int(row, layout.vecOfExit), -1);
        break;
      case rules.TIMER_ENTRY: {
        const id = rows.int(row, layout.timerFunction);
        const mark = rows.wide(row, layout.timerOfEntry, -1);
        this.#add(
          time,
          ENTER,
          chunkResult.RUN_TIMER,
          mark,
          this.#keys.placeOf(chunkResult.RUN_TIMER, id, ''),
        );
        break;
      }
      case rules.TIMER_EXIT:
        this.#add(time, LEAVE, chunkResult.RUN_TIMER, rows.wide(row, layout.timerOfExit, -1), -1);
        break;
      case rules.VECTOR:
        this.#vector(time, rows.eventClass[row]);
        break;
      case rules.SWITCH:
        // Consecutive ones are redundant.
        if (this.#steps.rows.step[this.#steps.length - 1] !== SWITCH) this.#add(time, SWITCH, 0, 0, -1);
    }
  }

  #vector(time: number, eventClass: number): void {
    const way = this.#ways[eventClass];
    const mark = this.#marks[eventClass];
    if (way === 0) return;
    const key = way > 0 ? this.#keys.placeOf(chunkResult.RUN_VECTOR, -1, this.#subjects[mark]) : -1;
    this.#add(time, way > 0 ? ENTER : LEAVE, chunkResult.RUN_VECTOR, mark, key);
  }

  #add(time: number, step: number, kind: number, mark: number, key: number): void {
    const at = this.#steps.addRow();
    const { rows: steps } = this.#steps;
    steps.time[at] = time;
    steps.step[at] = step;
    steps.kind[at] = kind;
    steps.mark[at] = mark;
    steps.key[at] = key;
  }
}

function runsOf({ host, cpu, parts }: StepStreamPart): SingleInterrupts {
  const list = new RunList();
  for (const { steps, keys } of parts) {
    const places = Int32Array.from(keys, ({ kind, id, name }) => list.keys.placeOf(kind, id, name));
    for (let i = 0; i < steps.time.length; i++)
      list.step(steps.time[i], steps.step[i], steps.kind[i], steps.mark[i], places[steps.key[i]] ?? -1);
  }
  const { length, rows } = list.runs;
  return { host, cpu, keys: list.keys.keys, length, runs: trimmed(rows, length) };
}

/** Reads the steps of a stream. */
class RunList {
  readonly keys = new chunkResult.KeyList();
  readonly runs = new GrowingTable(noRows(RUNS));
  /** Running interrupt by kind (-1: none), the mark of its exit, its begin, and whether it is cut. */
  readonly #key = new Int32Array(chunkResult.RUN_KINDS).fill(-1);
  readonly #mark = new Float64Array(chunkResult.RUN_KINDS);
  readonly #since = new Float64Array(chunkResult.RUN_KINDS);
  readonly #isCut = new Uint8Array(chunkResult.RUN_KINDS);
  /** Times of pending raises, by softirq; NaN: not raised. */
  readonly #raised = new Float64Array(chunkResult.VECS).fill(NaN);

  step(time: number, step: number, kind: number, mark: number, key: number): void {
    if (step === ENTER) this.#enter(time, kind, mark, key);
    else if (step === LEAVE) this.#leave(time, kind, mark);
    else if (step === RAISE) {
      if (mark >= 0 && mark < chunkResult.VECS && Number.isNaN(this.#raised[mark])) this.#raised[mark] = time;
    } else if (step === SWITCH) this.#isCut.fill(1);
    else {
      this.#key.fill(-1);
      this.#raised.fill(NaN);
    }
  }

  #enter(time: number, kind: number, mark: number, key: number): void {
    this.#key[kind] = key;
    this.#mark[kind] = mark;
    this.#since[kind] = time;
    this.#isCut[kind] = 0;
    if (kind !== chunkResult.RUN_SOFTIRQ || !(mark >= 0 && mark < chunkResult.VECS)) return;
    const raised = this.#raised[mark];
    this.#raised[mark] = NaN;
    if (!Number.isNaN(raised)) this.#add(raised, time, this.keys.placeOf(chunkResult.RAISED, mark, ''), 0);
  }

  #leave(time: number, kind: number, mark: number): void {
    const key = this.#key[kind];
    this.#key[kind] = -1;
    if (key < 0 || this.#mark[kind] !== mark) return;
    const isCut = this.#isCut[kind];
    if (isCut === 0 || chunkResult.outlivesSwitches(kind)) this.#add(this.#since[kind], time, key, isCut);
  }

  #add(begin: number, end: number, key: number, isCut: number): void {
    const at = this.runs.addRow();
    const { rows: runs } = this.runs;
    runs.begin[at] = begin;
    runs.end[at] = end;
    runs.key[at] = key;
    runs.isCut[at] = isCut;
  }
}
