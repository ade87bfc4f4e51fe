/**
 * Order of time of the events of each CPU: they wait, and the oldest half of them is written when they take too many
 * bytes. What comes later than it should goes on in another stream of the CPU, so that each stream is in order.
 */
import type { CtfOutput, StreamOutput } from '../ctf-output.ts';

/** Bytes of events that wait at most. */
const MOST_WAITING = 48 * 1024 * 1024;
/** Streams of a CPU at most: the times of the last one may go back. */
const MOST_STREAMS = 16;

const encoder = new TextEncoder();

/** Kinds that stand for no event class. */
export const LOSS = -1;

/** A stream of a CPU that is written. */
export interface CpuStream {
  readonly out: StreamOutput;
  /** Time of its last event, ns: upper and lower 32 bits. */
  lastHigh: number;
  lastLow: number;
}

/** Writes an event whose fields lie in the bytes [from, to). */
type WriteEvent<Stream> = (
  stream: Stream,
  kind: number,
  high: number,
  low: number,
  bytes: Uint8Array,
  from: number,
  to: number,
) => void;

export class EventSorter<Stream extends CpuStream> {
  readonly #output: CtfOutput;
  readonly #begin: (out: StreamOutput) => Stream;
  readonly #write: WriteEvent<Stream>;
  readonly #streams = new Map<number, Stream[]>();
  /** Bytes of the fields of all that wait, behind each other. */
  #bytes = new Uint8Array(1 << 16);
  #used = 0;
  /** Times of the events that wait, their CPUs and kinds, and where their fields begin. */
  #high = new Uint32Array(1 << 10);
  #low = new Uint32Array(1 << 10);
  #cpu = new Int32Array(1 << 10);
  #kind = new Int32Array(1 << 10);
  #from = new Uint32Array((1 << 10) + 1);
  #length = 0;
  /** Bytes of events that may still be written. */
  #left: number;
  #earliestHigh = Infinity;
  #earliestLow = 0;

  /** @param mostBytes of all events: names that are given by number may make many bytes of few */
  constructor(
    mostBytes: number,
    output: CtfOutput,
    begin: (out: StreamOutput) => Stream,
    write: WriteEvent<Stream>,
  ) {
    this.#left = mostBytes;
    this.#output = output;
    this.#begin = begin;
    this.#write = write;
  }

  /** Place of the next event. */
  get length(): number {
    return this.#length;
  }

  /** Earliest time of all events that were written, ns; undefined: there is none. */
  get earliest(): bigint | undefined {
    if (this.#earliestHigh === Infinity) return undefined;
    return (BigInt(this.#earliestHigh) << 32n) | BigInt(this.#earliestLow);
  }

  /** There is no room for more events. */
  get isFull(): boolean {
    return this.#left - this.#used < 0;
  }

  /** Begins an event; its fields follow. @param kind id of its class. @param high upper and lower 32 bits of its time, ns */
  event(kind: number, cpu: number, high: number, low: number): void {
    if (this.#length === this.#high.length) this.#growEvents();
    const at = this.#length++;
    this.#high[at] = high;
    this.#low[at] = low;
    this.#cpu[at] = cpu;
    this.#kind[at] = kind;
    this.#from[at] = this.#used;
  }

  u32(value: number): void {
    const at = this.#room(4);
    const bytes = this.#bytes;
    bytes[at] = value;
    bytes[at + 1] = value >>> 8;
    bytes[at + 2] = value >>> 16;
    bytes[at + 3] = value >>> 24;
  }

  /** A number of 64 bits by its halves. */
  u64(low: number, high: number): void {
    this.u32(low);
    this.u32(high);
  }

  /** Copies the text in the bytes [from, to) up to its first zero, with a zero behind it. */
  text(bytes: Uint8Array, from: number, to: number): void {
    let at = this.#room(to - from + 1);
    const out = this.#bytes;
    for (let i = from; i < to && bytes[i] !== 0; i++) out[at++] = bytes[i];
    out[at++] = 0;
    this.#used = at;
  }

  /** Writes a text as UTF-8, with a zero behind it. */
  string(text: string): void {
    const at = this.#room(3 * text.length + 1);
    // A zero within it would end it.
    const { written } = encoder.encodeInto(text.replaceAll('\0', ' '), this.#bytes.subarray(at));
    this.#bytes[at + written] = 0;
    this.#used = at + written + 1;
  }

  /** Gives the event at a place the earliest time of those behind it; without them it is taken back. */
  moveBefore(place: number): void {
    if (place + 1 === this.#length) {
      this.#length = place;
      return;
    }
    let earliest = place + 1;
    for (let i = place + 2; i < this.#length; i++) if (this.#inOrder(i, earliest) < 0) earliest = i;
    this.#high[place] = this.#high[earliest];
    this.#low[place] = this.#low[earliest];
  }

  #inOrder(a: number, b: number): number {
    return this.#high[a] - this.#high[b] || this.#low[a] - this.#low[b];
  }

  /** Writes the older half of what waits, where that is too much; `event` keeps all places until then. */
  relieve(): void {
    if (this.#used > MOST_WAITING) this.write(false);
  }

  /** Writes all that waits, or its older half, in order of time over all CPUs. */
  write(isAll: boolean): void {
    this.#from[this.#length] = this.#used;
    const places = Array.from({ length: this.#length }, (_, i) => i);
    // Few runs that are each in order: that is what the sort of arrays is fast at.
    places.sort((a, b) => this.#inOrder(a, b) || a - b);
    const count = isAll ? places.length : places.length >> 1;
    for (let i = 0; i < count; i++) this.#writeAt(places[i], this.#cpu[places[i]]);
    this.#keep(places.slice(count).sort((a, b) => a - b));
  }

  #writeAt(at: number, cpu: number): void {
    const [high, low] = [this.#high[at], this.#low[at]];
    const stream = this.#streamOf(cpu, high, low);
    if (!isLater(stream, high, low)) {
      stream.lastHigh = high;
      stream.lastLow = low;
    }
    if (high < this.#earliestHigh || (high === this.#earliestHigh && low < this.#earliestLow)) {
      this.#earliestHigh = high;
      this.#earliestLow = low;
    }
    this.#write(stream, this.#kind[at], high, low, this.#bytes, this.#from[at], this.#from[at + 1]);
  }

  /** The first stream of the CPU whose events are not later. */
  #streamOf(cpu: number, high: number, low: number): Stream {
    let streams = this.#streams.get(cpu);
    if (streams === undefined) this.#streams.set(cpu, (streams = []));
    let run = 0;
    while (run < streams.length && run < MOST_STREAMS - 1 && isLater(streams[run], high, low)) run++;
    return (streams[run] ??= this.#begin(this.#output.stream(cpu, run)));
  }

  /** Moves the events at these places, which are in order, to the begin. */
  #keep(places: readonly number[]): void {
    this.#left -= this.#used;
    let used = 0;
    places.forEach((place, i) => {
      const from = this.#from[place];
      const to = this.#from[place + 1];
      this.#bytes.copyWithin(used, from, to);
      this.#high[i] = this.#high[place];
      this.#low[i] = this.#low[place];
      this.#cpu[i] = this.#cpu[place];
      this.#kind[i] = this.#kind[place];
      this.#from[i] = used;
      used += to - from;
    });
    this.#length = places.length;
    this.#used = used;
    this.#left += used;
  }

  #room(bytes: number): number {
    const at = this.#used;
    this.#used += bytes;
    if (this.#used > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(2 * this.#bytes.length, this.#used));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    return at;
  }

  #growEvents(): void {
    const size = 2 * this.#high.length;
    const grown = <Column extends Int32Array | Uint32Array>(column: Column, to: Column): Column => {
      to.set(column);
      return to;
    };
    this.#high = grown(this.#high, new Uint32Array(size));
    this.#low = grown(this.#low, new Uint32Array(size));
    this.#cpu = grown(this.#cpu, new Int32Array(size));
    this.#kind = grown(this.#kind, new Int32Array(size));
    this.#from = grown(this.#from, new Uint32Array(size + 1));
  }
}

/** The last event of a stream is later than a time. */
function isLater({ lastHigh, lastLow }: CpuStream, high: number, low: number): boolean {
  return lastHigh > high || (lastHigh === high && lastLow > low);
}
