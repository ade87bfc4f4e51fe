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
  /** Time of its last event, ns. */
  last: bigint;
}

/** Writes an event whose fields lie in the bytes [from, to). */
type WriteEvent<Stream> = (
  stream: Stream,
  kind: number,
  time: bigint,
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
  #time = new BigInt64Array(1 << 10);
  #cpu = new Int32Array(1 << 10);
  #kind = new Int32Array(1 << 10);
  #from = new Uint32Array((1 << 10) + 1);
  #length = 0;
  /** Bytes of events that may still be written. */
  #left: number;
  /** Earliest time of all events, ns; undefined: there is none. */
  earliest: bigint | undefined;

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

  /** There is no room for more events. */
  get isFull(): boolean {
    return this.#left - this.#used < 0;
  }

  /** Begins an event; its fields follow. @param kind id of its class */
  event(kind: number, cpu: number, time: bigint): void {
    if (this.#length === this.#time.length) this.#growEvents();
    const at = this.#length++;
    this.#time[at] = time;
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
    let earliest = this.#time[place + 1];
    for (let i = place + 2; i < this.#length; i++) if (this.#time[i] < earliest) earliest = this.#time[i];
    this.#time[place] = earliest;
  }

  /** Writes the older half of what waits, where that is too much; `event` keeps all places until then. */
  relieve(): void {
    if (this.#used > MOST_WAITING) this.write(false);
  }

  /** Writes all that waits, or the older half of each CPU. */
  write(isAll: boolean): void {
    const time = this.#time;
    this.#from[this.#length] = this.#used;
    const cpus = new Map<number, number[]>();
    for (let at = 0; at < this.#length; at++) {
      const places = cpus.get(this.#cpu[at]);
      if (places === undefined) cpus.set(this.#cpu[at], [at]);
      else places.push(at);
    }
    const kept: number[] = [];
    for (const [cpu, places] of cpus) {
      // Few runs that are each in order: that is what the sort of arrays is fast at.
      places.sort((a, b) => (time[a] < time[b] ? -1 : time[a] > time[b] ? 1 : a - b));
      const count = isAll ? places.length : places.length >> 1;
      for (let i = 0; i < count; i++) {
        const at = places[i];
        const stream = this.#streamOf(cpu, time[at]);
        if (time[at] > stream.last) stream.last = time[at];
        if (this.earliest === undefined || time[at] < this.earliest) this.earliest = time[at];
        this.#write(stream, this.#kind[at], time[at], this.#bytes, this.#from[at], this.#from[at + 1]);
      }
      for (let i = count; i < places.length; i++) kept.push(places[i]);
    }
    this.#keep(kept.sort((a, b) => a - b));
  }

  /** The first stream of the CPU whose events are not later. */
  #streamOf(cpu: number, time: bigint): Stream {
    let streams = this.#streams.get(cpu);
    if (streams === undefined) this.#streams.set(cpu, (streams = []));
    let run = 0;
    while (run < streams.length && run < MOST_STREAMS - 1 && streams[run].last > time) run++;
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
      this.#time[i] = this.#time[place];
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
    const size = 2 * this.#time.length;
    const [time, cpu, kind, from] = [this.#time, this.#cpu, this.#kind, this.#from];
    this.#time = new BigInt64Array(size);
    this.#cpu = new Int32Array(size);
    this.#kind = new Int32Array(size);
    this.#from = new Uint32Array(size + 1);
    this.#time.set(time);
    this.#cpu.set(cpu);
    this.#kind.set(kind);
    this.#from.set(from);
  }
}
