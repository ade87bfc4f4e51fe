/**
 * Events that wait for older ones: their times, CPUs and kinds, and their fields as consecutive bytes. They are
 * written in order of time, at equal times in order of arrival.
 */
import { GrowingTable } from '../base/columns.ts';
import { FieldBytes, Moment } from './field-bytes.ts';

/** Bytes that may wait; beyond, the older half is written. */
const MOST_WAITING = 48 * 1024 * 1024;

/** Greatest number of a CPU. */
export const MOST_CPUS = 65_535;

/** Writes an event whose fields are the bytes [from, to) of those that wait. */
type WriteEvent = (kind: number, cpu: number, time: Moment, from: number, to: number) => void;

export class WaitingEvents extends FieldBytes {
  readonly #rows = new GrowingTable(
    {
      high: new Uint32Array(0),
      low: new Uint32Array(0),
      cpu: new Int32Array(0),
      kind: new Int32Array(0),
      from: new Uint32Array(0),
    },
    1 << 10,
  );
  /** Rows in order of time, and room for sorting. */
  #order = new Uint32Array(0);
  #spare = new Uint32Array(0);
  /** Place of the next row of each CPU in the order; index 0 is for events whose CPU is not known. */
  #places = new Uint32Array(2);
  readonly #write: WriteEvent;

  constructor(isBig: boolean, write: WriteEvent) {
    super(isBig, 1 << 16);
    this.#write = write;
  }

  /** Begins an event; its fields follow. @returns its row */
  event(kind: number, cpu: number, { high, low }: Moment): number {
    const row = this.#rows.addRow();
    const { rows } = this.#rows;
    rows.high[row] = high;
    rows.low[row] = low;
    rows.cpu[row] = cpu;
    if (cpu + 2 > this.#places.length) this.#places = new Uint32Array(cpu + 2);
    rows.kind[row] = kind;
    rows.from[row] = this.at;
    return row;
  }

  /** Moves an event without fields to the earliest time of those after it; removes it if there are none. */
  moveBefore(place: number): void {
    const { rows, length } = this.#rows;
    if (place + 1 === length) {
      this.#rows.length--;
      return;
    }
    let earliest = place + 1;
    for (let row = place + 2; row < length; row++) if (this.#isEarlier(row, earliest)) earliest = row;
    rows.high[place] = rows.high[earliest];
    rows.low[place] = rows.low[earliest];
  }

  /** Writes the older half if too many bytes wait; rows keep their numbers until then. */
  relieve(): void {
    if (this.at <= MOST_WAITING) return;
    const { rows, length } = this.#rows;
    const middle = this.#inOrder(length, () => true)[length >> 1];
    const bound = new Moment();
    bound.set(rows.high[middle], rows.low[middle]);
    this.writeUntil(bound);
  }

  writeAll(): void {
    this.writeUntil(Moment.of(2n ** 64n - 1n));
  }

  /** Writes all events up to a time, inclusive. */
  writeUntil(bound: Moment): void {
    const { rows, length } = this.#rows;
    const order = this.#inOrder(length, (row) => !this.#isLater(row, bound));
    const time = new Moment();
    for (const row of order) {
      time.set(rows.high[row], rows.low[row]);
      this.#write(rows.kind[row], rows.cpu[row], time, rows.from[row], this.#end(row));
    }
    if (order.length > 0) this.#forget(bound);
  }

  #isLater(row: number, { high, low }: Moment): boolean {
    const { rows } = this.#rows;
    return rows.high[row] > high || (rows.high[row] === high && rows.low[row] > low);
  }

  #end(row: number): number {
    return row + 1 < this.#rows.length ? this.#rows.rows.from[row + 1] : this.at;
  }

  /** Drops events up to a time, and moves the rest to the front. */
  #forget(bound: Moment): void {
    const { rows, length } = this.#rows;
    let [kept, at] = [0, 0];
    for (let row = 0; row < length; row++) {
      if (!this.#isLater(row, bound)) continue;
      const [from, end] = [rows.from[row], this.#end(row)];
      this.bytes.copyWithin(at, from, end);
      rows.high[kept] = rows.high[row];
      rows.low[kept] = rows.low[row];
      rows.cpu[kept] = rows.cpu[row];
      rows.kind[kept] = rows.kind[row];
      rows.from[kept++] = at;
      at += end - from;
    }
    this.#rows.length = kept;
    this.at = at;
  }

  #isEarlier(a: number, b: number): boolean {
    const { high, low } = this.#rows.rows;
    return high[a] < high[b] || (high[a] === high[b] && low[a] < low[b]);
  }

  /** Wanted rows among the first `length`, in order of time: rows of one CPU are mostly sorted, and are merged. */
  #inOrder(length: number, isWanted: (row: number) => boolean): Uint32Array {
    if (this.#order.length < length) {
      this.#order = new Uint32Array(2 * length);
      this.#spare = new Uint32Array(2 * length);
    }
    const { cpu } = this.#rows.rows;
    const places = this.#places.fill(0);
    for (let row = 0; row < length; row++) if (isWanted(row)) places[cpu[row] + 1]++;
    let count = 0;
    for (let own = 0; own < places.length; own++) {
      const rows = places[own];
      places[own] = count;
      count += rows;
    }
    for (let row = 0; row < length; row++) if (isWanted(row)) this.#order[places[cpu[row] + 1]++] = row;
    let runs = [0];
    for (let i = 1; i < count; i++) if (this.#isEarlier(this.#order[i], this.#order[i - 1])) runs.push(i);
    runs.push(count);
    while (runs.length > 2) runs = this.#mergePairs(runs);
    return this.#order.subarray(0, count);
  }

  /** Merges neighbouring runs, given by their begins and the end of the last one; returns the begins of the merged runs. */
  #mergePairs(runs: readonly number[]): number[] {
    const [order, out] = [this.#order, this.#spare];
    const { high, low } = this.#rows.rows;
    const merged: number[] = [];
    for (let run = 0; run + 1 < runs.length; run += 2) {
      const [first, second] = [runs[run], runs[run + 1]];
      const end = run + 2 < runs.length ? runs[run + 2] : second;
      merged.push(first);
      let [a, b, at] = [first, second, first];
      while (a < second && b < end) {
        const [left, right] = [order[a], order[b]];
        const isEarlier =
          high[right] === high[left]
            ? low[right] < low[left] || (low[right] === low[left] && right < left)
            : high[right] < high[left];
        out[at++] = isEarlier ? right : left;
        if (isEarlier) b++;
        else a++;
      }
      while (a < second) out[at++] = order[a++];
      while (b < end) out[at++] = order[b++];
    }
    this.#order = out;
    this.#spare = order;
    return [...merged, runs[runs.length - 1]];
  }
}
