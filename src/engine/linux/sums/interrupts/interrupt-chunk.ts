/**
 * Chunk results of the interrupt analysis: interrupts in chunks of one stream, with unknown parts left open: an entry
 * whose exit comes later, an exit whose entry came before, and the same for raises of softirqs. On one CPU interrupts
 * of a kind do not nest, so each kind has at most one pending entry.
 */
import { compare } from '../../../base/compare.ts';
import type { HostNs } from '../../../base/units.ts';
import { DurationSums, type DurationTable } from '../duration-sums.ts';
import type { StreamPart } from '../../../analysis/stream-merge.ts';

/** Kinds of interrupts (FRAME_* of `transitions.ts`), and the time from a softirq's raise to its entry. */
export const RUN_IRQ = 0;
export const RUN_SOFTIRQ = 1;
export const RUN_TIMER = 2;
export const RUN_VECTOR = 3;
export const RAISED = 4;
/** Kinds that have an entry and an exit. */
export const RUN_KINDS = 4;

/** Greatest number of softirqs in Linux, which has ten. */
export const VECS = 32;

/** Identity of an interrupt; devices that share an irq differ. */
export interface InterruptKey {
  /** RUN_* or RAISED. */
  readonly kind: number;
  /** Number of the irq or softirq, lower half of the address of the timer's function, -1 for vectors. */
  readonly id: number;
  /** Name of the device or vector, else ''. */
  readonly name: string;
}

/** An entry or exit that has no counterpart yet. */
interface LooseEnd {
  readonly time: number;
  /** Whether another thread was switched in since the entry, or before the exit. */
  readonly isCut: boolean;
  /** Number that entry and exit share: irq or softirq, address of the timer, or first event class of the vector. */
  readonly mark: number;
}

interface LooseEntry extends LooseEnd {
  readonly key: InterruptKey;
}

/** A kind of interrupt at the two ends of a part. */
export interface RunEnds {
  /** First event if an exit, whose entry lies before the part. */
  readonly head: LooseEnd | undefined;
  /** Last event if an entry. */
  readonly tail: LooseEntry | undefined;
  /** Whether anything happened or events were lost, so that an entry pending before the part no longer is after it. */
  readonly closed: boolean;
  /** Whether only another thread was switched in, which cuts an interrupt pending before. */
  readonly cuts: boolean;
}

/**
 * A softirq, or a timer function within it, during which another thread was switched in: with PREEMPT_RT it leaves
 * the CPU with its thread and returns with it. The state history tells how long it was away. HostNs.
 */
export interface CutRun {
  readonly key: InterruptKey;
  readonly begin: number;
  readonly end: number;
}

/** A softirq at the two ends of a part. HostNs, NaN none. */
interface RaiseEnds {
  /** First raise before the first entry. */
  readonly raise: number;
  /** First entry, unless events were lost before it. */
  readonly entry: number;
  /** Whether there was an entry, or events were lost. */
  readonly closed: boolean;
  /** First raise after the first entry that is not yet followed by an entry. */
  readonly pending: number;
}

/** Consecutive chunks of one stream. */
export interface InterruptStreamPart extends StreamPart {
  /** Keys of the interrupts, in order of kind, number, name; the rows of `sums`. */
  readonly keys: readonly InterruptKey[];
  readonly sums: DurationTable<HostNs>;
  /** Interrupts not in the sums. */
  readonly cutRuns: readonly CutRun[];
  /** Ends of the interrupts, by kind. */
  readonly runs: readonly RunEnds[];
  /** Ends of the raises, by number of the softirq. */
  readonly raises: readonly RaiseEnds[];
}

export type InterruptChunk = readonly InterruptStreamPart[];

/** Keys of interrupts, each once. */
export class KeyList {
  readonly keys: InterruptKey[] = [];
  /** Places by kind and number, one for each name, of which there is mostly one. */
  readonly #places = Array.from({ length: RAISED + 1 }, () => new Map<number, number[]>());

  placeOf(kind: number, id: number, name: string): number {
    const ofId = this.#places[kind].get(id) ?? [];
    for (const place of ofId) if (this.keys[place].name === name) return place;
    const place = this.keys.push({ kind, id, name }) - 1;
    ofId.push(place);
    this.#places[kind].set(id, ofId);
    return place;
  }
}

/** Sums of several stream parts by interrupt. */
export class InterruptSums {
  readonly #list = new KeyList();
  readonly #sums = new DurationSums();

  /** `owner` of a duration is the CPU. */
  add(key: InterruptKey, begin: number, ns: number, cpu: number): void {
    this.#sums.add(this.#groupOf(key), begin, ns, cpu);
  }

  /** Adds the rows of a table that have any duration. */
  addTable(keys: readonly InterruptKey[], table: DurationTable): void {
    keys.forEach((key, i) => {
      if (table.count[i] > 0) this.#sums.addTable(this.#groupOf(key), table, i);
    });
  }

  /** Keys and their sums, in order of kind, number, name. */
  finish(): Pick<InterruptStreamPart, 'keys' | 'sums'> {
    const { keys } = this.#list;
    const order = [...keys.keys()].sort((a, b) => compareKeys(keys[a], keys[b]));
    return { keys: order.map((i) => keys[i]), sums: this.#sums.finish(order) };
  }

  #groupOf({ kind, id, name }: InterruptKey): number {
    const group = this.#list.placeOf(kind, id, name);
    return group < this.#sums.length ? group : this.#sums.addGroup();
  }
}

/** Compares keys by kind, number, name. */
export function compareKeys(a: InterruptKey, b: InterruptKey): number {
  return a.kind - b.kind || a.id - b.id || compare(a.name, b.name);
}

/** Joins consecutive parts of a stream. */
export function joinInterrupts(streamParts: readonly InterruptStreamPart[]): InterruptStreamPart {
  const [first, ...others] = streamParts;
  const sums = new InterruptSums();
  const cutRuns = streamParts.flatMap((part) => part.cutRuns);
  for (const { keys, sums: table } of streamParts) sums.addTable(keys, table);
  const runs = first.runs.map((ends, kind) =>
    others.reduce((earlier, later) => joinRuns(earlier, later.runs[kind], first.cpu, sums, cutRuns), ends),
  );
  const raises = first.raises.map((ends, vec) =>
    others.reduce((earlier, later) => joinRaises(earlier, later.raises[vec], vec, first.cpu, sums), ends),
  );
  return {
    ...first,
    last: streamParts[streamParts.length - 1].last,
    ...sums.finish(),
    cutRuns,
    runs,
    raises,
  };
}

function joinRuns(a: RunEnds, b: RunEnds, cpu: number, sums: InterruptSums, cutRuns: CutRun[]): RunEnds {
  if (!a.closed) return b.closed ? { ...b, head: cutEnd(b.head, a.cuts) } : { ...b, cuts: a.cuts || b.cuts };
  if (!b.closed) return { ...a, tail: cutEnd(a.tail, b.cuts) };
  if (a.tail !== undefined && b.head !== undefined && a.tail.mark === b.head.mark) {
    const { key, time: begin } = a.tail;
    const end = b.head.time;
    if (!a.tail.isCut && !b.head.isCut) sums.add(key, begin, end - begin, cpu);
    else if (outlivesSwitches(key.kind)) cutRuns.push({ key, begin, end });
  }
  return { head: a.head, tail: b.tail, closed: true, cuts: false };
}

function cutEnd<End extends LooseEnd>(end: End | undefined, isCut: boolean): End | undefined {
  return end && { ...end, isCut: end.isCut || isCut };
}

/** Whether an interrupt may last over a switch, unlike handlers and vectors. */
export function outlivesSwitches(kind: number): boolean {
  return kind === RUN_SOFTIRQ || kind === RUN_TIMER;
}

function joinRaises(a: RaiseEnds, b: RaiseEnds, vec: number, cpu: number, sums: InterruptSums): RaiseEnds {
  if (!a.closed) return { ...b, raise: Number.isNaN(a.raise) ? b.raise : a.raise };
  const raise = Number.isNaN(a.pending) ? b.raise : a.pending;
  addRaise(raise, b.entry, vec, cpu, sums);
  return { ...a, pending: b.closed ? b.pending : raise };
}

/** Adds the wait from raise to entry, if both are known. */
export function addRaise(raise: number, entry: number, vec: number, cpu: number, sums: InterruptSums): void {
  if (!Number.isNaN(raise) && !Number.isNaN(entry))
    sums.add({ kind: RAISED, id: vec, name: '' }, raise, entry - raise, cpu);
}
