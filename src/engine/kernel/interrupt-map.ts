/** One chunk → its interrupts (`interrupt-leaf.ts`). */
import type { EventBatch, MeaningRequest, ProjectionPlan } from '../analysis/contract.ts';
import { oncePer } from '../base/once-per.ts';
import { DurationSums } from './duration-sums.ts';
import { createIntIndex, FEW, findInt, putInt } from './int-index.ts';
import * as leaf from './interrupt-leaf.ts';
import type { InterruptKey, InterruptLeaf, InterruptPiece, RunEnds } from './interrupt-leaf.ts';
import { losesBefore, losesWithin } from '../ctf/decode/rows.ts';
import type { EventClass } from '../ctf/model.ts';
import { kernelMeaning, subjectsOf, vectorStepsOf } from './meanings.ts';
import { placesOf, RowReader, ROWS_A_CALL } from './row-reader.ts';
import { TextTable } from './text-table.ts';

export const INTERRUPT_MEANINGS: readonly MeaningRequest[] = [
  kernelMeaning('irq-entry', 'irq', 'name'),
  kernelMeaning('irq-exit', 'irq'),
  kernelMeaning('softirq-raise', 'vec'),
  kernelMeaning('softirq-entry', 'vec'),
  kernelMeaning('softirq-exit', 'vec'),
  kernelMeaning('hrtimer-entry', 'hrtimer', 'function'),
  kernelMeaning('hrtimer-exit', 'hrtimer'),
  kernelMeaning('vector'),
];

export function mapInterrupts(batch: EventBatch): InterruptLeaf {
  if (batch.domain !== 'kernel' || batch.packets.length === 0) return [];
  return [mapperOf(batch.plan).map(batch)];
}

const mapperOf = oncePer((plan: ProjectionPlan) => new InterruptMapper(plan));

function layoutOf(plan: ProjectionPlan) {
  return {
    irqEntry: placesOf(plan, 'irq-entry', ['irq', 'name']),
    irqExit: placesOf(plan, 'irq-exit', ['irq']),
    raise: placesOf(plan, 'softirq-raise', ['vec']),
    softirqEntry: placesOf(plan, 'softirq-entry', ['vec']),
    softirqExit: placesOf(plan, 'softirq-exit', ['vec']),
    timerEntry: placesOf(plan, 'hrtimer-entry', ['hrtimer', 'function']),
    timerExit: placesOf(plan, 'hrtimer-exit', ['hrtimer']),
  };
}

/** More than the texts that a chunk can have. */
const MOST_TEXTS = 2 ** 21;

/** What a row is to this analysis. */
const ACTIONS = [
  'irq-entry',
  'irq-exit',
  'softirq-raise',
  'softirq-entry',
  'softirq-exit',
  'hrtimer-entry',
  'hrtimer-exit',
  'vector',
] as const;
const [IRQ_ENTRY, IRQ_EXIT, RAISE, SOFTIRQ_ENTRY, SOFTIRQ_EXIT, TIMER_ENTRY, TIMER_EXIT, VECTOR] =
  ACTIONS.keys();

/** By event class: the first one with the same subject, which entry and exit of a vector have in common. */
const firstOfSubject = oncePer((eventClasses: readonly EventClass[]) => {
  const firsts = new Map<string, number>();
  return Int32Array.from(subjectsOf(eventClasses), (subject, i) => {
    const first = firsts.get(subject) ?? i;
    firsts.set(subject, first);
    return first;
  });
});

/** Goes through the rows of one chunk after the other. */
class InterruptMapper {
  readonly #layout: ReturnType<typeof layoutOf>;
  /** By meaning: its place in ACTIONS, 255 none. */
  readonly #actions: Uint8Array;
  readonly #rows = new RowReader();
  #subjects: readonly string[] = [];
  #firstOfSubject = new Int32Array(0);
  #vectorSteps = new Int8Array(0);
  #texts = new TextTable();
  #sums = new DurationSums();
  #cpu = -1;
  /** By kind: group of an interrupt by its mark, of irqs the one seen last. */
  #groupOf = [0, 1, 2, 3].map(() => createIntIndex(FEW));
  /** Groups of irqs by number and name. */
  #irqGroups = new Map<number, number>();
  /** By group; names are indices of texts, -1 none. */
  #kinds: number[] = [];
  #ids: number[] = [];
  #names: number[] = [];

  // By kind.
  readonly #pendingGroup = new Int32Array(leaf.RUN_KINDS);
  readonly #pendingMark = new Float64Array(leaf.RUN_KINDS);
  readonly #pendingTime = new Float64Array(leaf.RUN_KINDS);
  readonly #headMark = new Float64Array(leaf.RUN_KINDS);
  readonly #headTime = new Float64Array(leaf.RUN_KINDS);
  readonly #closed = new Uint8Array(leaf.RUN_KINDS);
  // By softirq.
  readonly #firstRaise = new Float64Array(leaf.VECS);
  readonly #firstEntry = new Float64Array(leaf.VECS);
  readonly #raiseClosed = new Uint8Array(leaf.VECS);
  readonly #pendingRaise = new Float64Array(leaf.VECS);
  readonly #raisedGroup = new Int32Array(leaf.VECS);

  constructor(plan: ProjectionPlan) {
    this.#layout = layoutOf(plan);
    this.#actions = new Uint8Array(plan.request.meanings.length).fill(255);
    ACTIONS.forEach((meaning, action) => (this.#actions[plan.meaning(meaning)] = action));
  }

  map(batch: EventBatch): InterruptPiece {
    const { packets, chunk, streamRank } = batch;
    this.#start(batch);
    for (let packet = 0; packet < packets.length; packet++) {
      if (losesBefore(packets, packet)) this.#lose();
      const end = packets.firstRow[packet + 1];
      for (let row = packets.firstRow[packet]; row < end; row += ROWS_A_CALL)
        this.#readRows(row, Math.min(row + ROWS_A_CALL, end));
      if (losesWithin(packets, packet)) this.#lose();
    }
    this.#rows.close();
    return {
      rank: streamRank,
      first: chunk.sequence,
      last: chunk.sequence,
      host: chunk.host,
      cpu: this.#cpu,
      ...this.#finishSums(),
      runs: Array.from({ length: leaf.RUN_KINDS }, (_, kind) => this.#runEnds(kind)),
      raises: Array.from({ length: leaf.VECS }, (_, vec) => ({
        raise: this.#firstRaise[vec],
        entry: this.#firstEntry[vec],
        closed: this.#raiseClosed[vec] === 1,
        pending: this.#pendingRaise[vec],
      })),
    };
  }

  #start({ rows, eventClasses, cpu }: EventBatch): void {
    this.#rows.open(rows);
    this.#subjects = subjectsOf(eventClasses);
    this.#firstOfSubject = firstOfSubject(eventClasses);
    this.#vectorSteps = vectorStepsOf(eventClasses);
    this.#texts = new TextTable();
    this.#sums = new DurationSums();
    this.#cpu = cpu;
    this.#groupOf = this.#groupOf.map(() => createIntIndex(FEW));
    this.#irqGroups = new Map();
    this.#kinds = [];
    this.#ids = [];
    this.#names = [];
    this.#pendingGroup.fill(-1);
    this.#headTime.fill(NaN);
    this.#closed.fill(0);
    this.#firstRaise.fill(NaN);
    this.#firstEntry.fill(NaN);
    this.#raiseClosed.fill(0);
    this.#pendingRaise.fill(NaN);
    this.#raisedGroup.fill(-1);
  }

  /** Rows [from, to). */
  #readRows(from: number, to: number): void {
    const { meaning } = this.#rows;
    const actions = this.#actions;
    for (let row = from; row < to; row++) {
      const action = actions[meaning[row]];
      if (action <= VECTOR) this.#step(action, row);
    }
  }

  #step(action: number, row: number): void {
    const rows = this.#rows;
    const layout = this.#layout;
    const time = rows.time[row];
    switch (action) {
      case IRQ_ENTRY: {
        const irq = rows.int(row, layout.irqEntry.irq);
        this.#enter(leaf.RUN_IRQ, this.#irqGroup(row, irq), irq, time);
        break;
      }
      case IRQ_EXIT:
        this.#leave(leaf.RUN_IRQ, rows.int(row, layout.irqExit.irq), time);
        break;
      case RAISE:
        this.#raise(rows.int(row, layout.raise.vec), time);
        break;
      case SOFTIRQ_ENTRY: {
        const vec = rows.int(row, layout.softirqEntry.vec);
        this.#enter(leaf.RUN_SOFTIRQ, this.#group(leaf.RUN_SOFTIRQ, vec, vec), vec, time);
        this.#enterRaised(vec, time);
        break;
      }
      case SOFTIRQ_EXIT:
        this.#leave(leaf.RUN_SOFTIRQ, rows.int(row, layout.softirqExit.vec), time);
        break;
      case TIMER_ENTRY: {
        // The lower half tells functions of the kernel apart: its code is smaller than 4 GiB.
        const id = rows.wide(row, layout.timerEntry.function, -1) | 0;
        const group = this.#group(leaf.RUN_TIMER, id, id);
        this.#enter(leaf.RUN_TIMER, group, rows.wide(row, layout.timerEntry.hrtimer, -1), time);
        break;
      }
      case TIMER_EXIT:
        this.#leave(leaf.RUN_TIMER, rows.wide(row, layout.timerExit.hrtimer, -1), time);
        break;
      default:
        this.#vector(rows.eventClass[row], time);
    }
  }

  /** Entry and exit of a vector are event classes of their own, which have its name in common. */
  #vector(eventClass: number, time: number): void {
    const step = this.#vectorSteps[eventClass];
    if (step === 0) return;
    const mark = this.#firstOfSubject[eventClass];
    if (step > 0) this.#enter(leaf.RUN_VECTOR, this.#vectorGroup(mark), mark, time);
    else this.#leave(leaf.RUN_VECTOR, mark, time);
  }

  #group(kind: number, mark: number, id: number): number {
    const known = findInt(this.#groupOf[kind], mark);
    return known < 0 ? this.#addGroup(kind, mark, id, -1) : known;
  }

  #vectorGroup(mark: number): number {
    const known = findInt(this.#groupOf[leaf.RUN_VECTOR], mark);
    if (known >= 0) return known;
    return this.#addGroup(leaf.RUN_VECTOR, mark, -1, this.#texts.ofText(this.#subjects[mark]));
  }

  /** Mostly that of the same irq before. */
  #irqGroup(row: number, irq: number): number {
    const last = findInt(this.#groupOf[leaf.RUN_IRQ], irq);
    const guess = last < 0 ? -1 : this.#names[last];
    const text = this.#rows.text(row, this.#layout.irqEntry.name, this.#texts, guess);
    if (last >= 0 && text === guess) return last;
    const key = irq * MOST_TEXTS + text + 1;
    const group = this.#irqGroups.get(key) ?? this.#addGroup(leaf.RUN_IRQ, irq, irq, text);
    putInt(this.#groupOf[leaf.RUN_IRQ], irq, group);
    this.#irqGroups.set(key, group);
    return group;
  }

  #addGroup(kind: number, mark: number, id: number, name: number): number {
    const group = this.#sums.addGroup();
    this.#kinds[group] = kind;
    this.#ids[group] = id;
    this.#names[group] = name;
    if (kind < leaf.RUN_KINDS) putInt(this.#groupOf[kind], mark, group);
    return group;
  }

  #enter(kind: number, group: number, mark: number, time: number): void {
    this.#pendingGroup[kind] = group;
    this.#pendingMark[kind] = mark;
    this.#pendingTime[kind] = time;
    this.#closed[kind] = 1;
  }

  #leave(kind: number, mark: number, time: number): void {
    const group = this.#pendingGroup[kind];
    if (group >= 0) {
      if (this.#pendingMark[kind] === mark) {
        const begin = this.#pendingTime[kind];
        this.#sums.add(group, begin, time - begin, this.#cpu);
      }
      this.#pendingGroup[kind] = -1;
    } else if (this.#closed[kind] === 0) {
      this.#headMark[kind] = mark;
      this.#headTime[kind] = time;
    }
    this.#closed[kind] = 1;
  }

  /** Raised twice is raised once, until it begins. */
  #raise(vec: number, time: number): void {
    if (vec < 0 || vec >= leaf.VECS) return;
    const first = this.#raiseClosed[vec] === 0 ? this.#firstRaise : this.#pendingRaise;
    if (Number.isNaN(first[vec])) first[vec] = time;
  }

  #enterRaised(vec: number, time: number): void {
    if (vec < 0 || vec >= leaf.VECS) return;
    if (this.#raiseClosed[vec] === 0) {
      // Perhaps it was raised before this chunk: joining tells.
      this.#firstEntry[vec] = time;
      this.#raiseClosed[vec] = 1;
      return;
    }
    const raise = this.#pendingRaise[vec];
    if (Number.isNaN(raise)) return;
    if (this.#raisedGroup[vec] < 0) this.#raisedGroup[vec] = this.#addGroup(leaf.RAISED, vec, vec, -1);
    this.#sums.add(this.#raisedGroup[vec], raise, time - raise, this.#cpu);
    this.#pendingRaise[vec] = NaN;
  }

  /** Events were lost: what is pending may have ended. */
  #lose(): void {
    this.#pendingGroup.fill(-1);
    this.#closed.fill(1);
    this.#raiseClosed.fill(1);
    this.#pendingRaise.fill(NaN);
  }

  #keyOf(group: number): InterruptKey {
    const name = this.#texts.texts[this.#names[group]] ?? '';
    return { kind: this.#kinds[group], id: this.#ids[group], name };
  }

  #runEnds(kind: number): RunEnds {
    const time = this.#headTime[kind];
    const group = this.#pendingGroup[kind];
    return {
      head: Number.isNaN(time) ? undefined : { time, mark: this.#headMark[kind] },
      tail:
        group < 0
          ? undefined
          : { time: this.#pendingTime[kind], mark: this.#pendingMark[kind], key: this.#keyOf(group) },
      closed: this.#closed[kind] === 1,
    };
  }

  /** Those that ended in the chunk. */
  #finishSums(): Pick<InterruptPiece, 'keys' | 'sums'> {
    const sums = new leaf.InterruptSums();
    const table = this.#sums.finish();
    const keys = this.#kinds.map((_, group) => this.#keyOf(group));
    sums.addTable(keys, table);
    return sums.finish();
  }
}
