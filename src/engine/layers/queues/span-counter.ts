/** Counter of how many spans of a row cover each time, as intervals of a history. */
import { type Growing, widen } from '../../base/columns.ts';
import { stableOrder } from '../../base/stable-order.ts';
import type { AttributeId, HistorySink } from '../../history/types.ts';
import { plotValue } from '../plots/plot-values.ts';

/** Kinds of spans: one more is counted, the number is not known, there is a number. */
export const COUNTED = 0;
export const LOST = 1;
export const RECORDED = 2;
const KINDS = 3;

const STEPS = {
  /** HostNs. */
  time: new Float64Array(0),
  /** Row and kind. */
  what: new Int32Array(0),
  /** 1: a span begins; -1: it ends. */
  change: new Int32Array(0),
};

/** Spans are added in any order; then all are written in order of time. */
export class SpanCounter {
  readonly #steps: Growing<typeof STEPS> = { ...STEPS };
  #length = 0;

  /** @param to HostNs, as `from`; Infinity: it does not end */
  add(row: number, kind: number, from: number, to: number): void {
    if (!(from < to)) return;
    this.#step(row, kind, from, 1);
    if (to < Infinity) this.#step(row, kind, to, -1);
  }

  #step(row: number, kind: number, time: number, change: number): void {
    if (this.#length === this.#steps.time.length) widen(this.#steps);
    this.#steps.time[this.#length] = time;
    this.#steps.what[this.#length] = row * KINDS + kind;
    this.#steps.change[this.#length++] = change;
  }

  /** @param attributes of the rows, to which nothing was written yet. Time and memory: linear in the spans. */
  write(sink: HistorySink, attributes: readonly AttributeId[]): void {
    const { time, what, change } = this.#steps;
    const order = stableOrder(time.subarray(0, this.#length));
    const counts = new Int32Array(attributes.length * KINDS);
    /** Value that each row has now; NaN: no value. */
    const shown = new Float64Array(attributes.length).fill(NaN);
    for (let first = 0, end = 0; first < order.length; first = end) {
      const now = time[order[first]];
      sink.moveTo(now);
      for (end = first; end < order.length && time[order[end]] === now; end++)
        counts[what[order[end]]] += change[order[end]];
      for (let i = first; i < end; i++) {
        const row = Math.floor(what[order[i]] / KINDS);
        const value = valueOf(counts, row);
        if (Object.is(value, shown[row])) continue;
        shown[row] = value;
        if (Number.isNaN(value)) sink.end(attributes[row]);
        else sink.set(attributes[row], value);
      }
    }
  }
}

function valueOf(counts: Int32Array, row: number): number {
  if (counts[row * KINDS + RECORDED] === 0) return NaN;
  return plotValue('number', counts[row * KINDS + LOST] > 0 ? NaN : counts[row * KINDS + COUNTED]);
}
