/**
 * Records that wait until all that are older have come. perf writes what its rings of several CPUs hold in turns, and
 * after each turn the record FINISHED_ROUND: records that come later are not older than the newest one of the turn before
 * (tools/perf/util/ordered-events.c). Up to there they are sorted by time, stably.
 */
import type { PerfRecord } from './perf-records.ts';

/** Bytes that wait at most; where the end of a turn does not come, the older half is given then. */
const MOST_WAITING = 32 * 1024 * 1024;

/** Takes one of the records: bytes [from, to) of `bytes`, the number of its kind, its time. */
export type TakeRecord = (
  bytes: Uint8Array,
  view: DataView,
  from: number,
  to: number,
  kind: number,
  time: number,
) => void;

export class WaitingRecords {
  /** Records behind each other, and for each its time, place, size and kind. */
  #bytes = new Uint8Array(1 << 20);
  #view = new DataView(this.#bytes.buffer);
  #used = 0;
  #count = 0;
  #time = new Float64Array(1 << 14);
  #from = new Uint32Array(1 << 14);
  #size = new Uint32Array(1 << 14);
  #kind = new Int32Array(1 << 14);
  /** Rows in order, and room for sorting them. */
  #order = new Uint32Array(0);
  #spare = new Uint32Array(0);
  readonly #take: TakeRecord;

  constructor(take: TakeRecord) {
    this.#take = take;
  }

  /** Adds a copy of a record. @param time any number that grows with its time */
  add({ bytes, from, to }: PerfRecord, kind: number, time: number): void {
    const size = to - from;
    const room = (size + 7) & ~7;
    if (this.#used + room > this.#bytes.length) this.#growBytes(room);
    if (this.#count === this.#time.length) this.#growRows();
    const row = this.#count++;
    this.#time[row] = time;
    this.#from[row] = this.#used;
    this.#size[row] = size;
    this.#kind[row] = kind;
    this.#bytes.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), this.#used);
    this.#used += room;
    if (this.#used > MOST_WAITING) this.give(this.#middle());
  }

  /** Gives away what is not later than `bound`, in order of time. */
  give(bound: number): void {
    const count = this.#count;
    if (this.#order.length < count) {
      this.#order = new Uint32Array(this.#time.length);
      this.#spare = new Uint32Array(this.#time.length);
    }
    let ready = 0;
    for (let row = 0; row < count; row++) if (this.#time[row] <= bound) this.#order[ready++] = row;
    if (ready === 0) return;
    this.#sort(ready);
    const order = this.#order;
    for (let i = 0; i < ready; i++) {
      const row = order[i];
      const from = this.#from[row];
      this.#take(this.#bytes, this.#view, from, from + this.#size[row], this.#kind[row], this.#time[row]);
    }
    this.#forget(bound);
  }

  /** Moves what is later than `bound` to the begin. */
  #forget(bound: number): void {
    let [kept, used] = [0, 0];
    for (let row = 0; row < this.#count; row++) {
      if (this.#time[row] <= bound) continue;
      const [from, size] = [this.#from[row], this.#size[row]];
      this.#bytes.copyWithin(used, from, from + size);
      this.#time[kept] = this.#time[row];
      this.#from[kept] = used;
      this.#size[kept] = size;
      this.#kind[kept++] = this.#kind[row];
      used += (size + 7) & ~7;
    }
    this.#count = kept;
    this.#used = used;
  }

  /** Sorts the first `count` rows of `#order` by merging runs that ascend: each turn has one for each CPU. */
  #sort(count: number): void {
    const time = this.#time;
    for (;;) {
      let [at, merged] = [0, 0];
      const order = this.#order;
      const out = this.#spare;
      while (at < count) {
        const first = at;
        const second = runEnd(time, order, first, count);
        if (first === 0 && second === count) return;
        const end = second === count ? count : runEnd(time, order, second, count);
        let [a, b] = [first, second];
        while (a < second && b < end)
          out[merged++] = time[order[b]] < time[order[a]] ? order[b++] : order[a++];
        while (a < second) out[merged++] = order[a++];
        while (b < end) out[merged++] = order[b++];
        at = end;
      }
      this.#order = out;
      this.#spare = order;
    }
  }

  /** Time that half of what waits is not later than. */
  #middle(): number {
    return this.#time.slice(0, this.#count).sort()[this.#count >> 1];
  }

  #growBytes(size: number): void {
    const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#used + size));
    grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  #growRows(): void {
    const length = 2 * this.#count;
    this.#time = grown(this.#time, new Float64Array(length));
    this.#from = grown(this.#from, new Uint32Array(length));
    this.#size = grown(this.#size, new Uint32Array(length));
    this.#kind = grown(this.#kind, new Int32Array(length));
  }
}

/** Where the run of times that begins at `from` ends. */
function runEnd(time: Float64Array, order: Uint32Array, from: number, count: number): number {
  let at = from + 1;
  while (at < count && time[order[at - 1]] <= time[order[at]]) at++;
  return at;
}

function grown<T extends Float64Array | Uint32Array | Int32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
