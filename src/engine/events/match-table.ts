/**
 * The events that a filter accepts, of all streams, as one table in order of time: any part of it is found without reading
 * what is before. Of events at one time those of the stream with the lower rank come first; within a stream times never go
 * back, as for histories.
 */
import { firstWhere } from '../base/lower-bound.ts';
import type { DisplayNs, HostNs } from '../base/units.ts';
import type { MatchIndex, StreamMatches } from './match-index.ts';

/** The matches of one packet. */
export interface PacketMatches {
  /** HostNs, ascending. */
  readonly times: Float64Array;
  /** Their numbers within the packet. */
  readonly events: Uint32Array;
}

export interface MatchPlace {
  readonly stream: StreamMatches;
  readonly packet: number;
  /** Number within the packet. */
  readonly event: number;
  readonly timeNs: DisplayNs;
}

/** A packet with matches. */
export interface MatchPacket {
  readonly stream: StreamMatches;
  readonly packet: number;
  readonly count: number;
  readonly from: DisplayNs;
  readonly to: DisplayNs;
}

export interface MatchSource {
  /** Streams in order of their rank. */
  readonly index: MatchIndex;
  toDisplay(stream: StreamMatches, time: HostNs): DisplayNs;
  /** Reads a packet that has matches. */
  read(stream: StreamMatches, packet: number): Promise<PacketMatches>;
}

/** Matches kept in memory, of packets read last. */
const MOST_KEPT = 2_000_000;
/** Matches that may be passed over one by one. */
const NEAR = 1024;

export class MatchTable {
  readonly #source: MatchSource;
  /** Matches of packets, in order of their last use. */
  readonly #kept = new Map<string, Promise<PacketMatches>>();
  #keptMatches = 0;

  constructor(source: MatchSource) {
    this.#source = source;
  }

  get length(): number {
    return this.#source.index.total;
  }

  /** Number of the first match at a time or later; `length`: there is none. */
  async rowAt(timeNs: DisplayNs): Promise<number> {
    let row = 0;
    for (const stream of this.#streams) row += await this.#before(stream, timeNs);
    return row;
  }

  /** Rows [first, first + count), fewer at the end. */
  async rows(first: number, count: number): Promise<MatchPlace[]> {
    if (first >= this.length) return [];
    const from = this.#timeBefore(first);
    const cursors = this.#streams.map(
      (stream) => new Cursor(stream, this.#source, (packet) => this.#read(stream, packet)),
    );
    for (const cursor of cursors) await cursor.goTo(from);
    let row = await this.rowAt(from);
    const found: MatchPlace[] = [];
    while (found.length < count) {
      const next = earliest(cursors);
      if (next === undefined) break;
      if (row++ >= first) found.push(next.place());
      if (!next.step()) await next.open();
    }
    return found;
  }

  /** All packets with matches, stream by stream, and the times of the first and the last match of each. */
  packets(): MatchPacket[] {
    const found: MatchPacket[] = [];
    for (const stream of this.#streams) {
      const display = (time: HostNs) => this.#source.toDisplay(stream, time);
      for (let packet = 0; packet < stream.packets; packet++) {
        const count = stream.count(packet);
        if (count === 0) continue;
        const [from, to] = [display(stream.begin(packet)), display(stream.end(packet))];
        found.push({ stream, packet, count, from, to });
      }
    }
    return found;
  }

  /** Times of the matches of a packet, ascending. */
  async times({ stream, packet }: Pick<MatchPacket, 'stream' | 'packet'>): Promise<Float64Array> {
    const { times } = await this.#read(stream, packet);
    return times.map((time) => this.#source.toDisplay(stream, time));
  }

  get #streams(): readonly StreamMatches[] {
    return this.#source.index.streams;
  }

  /** A time at which at most `row` matches are before it, and not many fewer as far as whole packets tell. */
  #timeBefore(row: number): DisplayNs {
    let [low, high] = this.#span();
    while (high - low > 1) {
      const middle = Math.floor(low + (high - low) / 2);
      const [least, most] = this.#bounds(middle);
      if (most <= row) low = middle;
      else high = middle;
      if (row - least <= NEAR && most <= row) break;
    }
    return low;
  }

  /** Display times of the first match and just behind the last one. */
  #span(): [DisplayNs, DisplayNs] {
    let low = Infinity;
    let high = -Infinity;
    for (const stream of this.#streams) {
      const packet = stream.packetWhere((time) => time > -Infinity);
      if (packet === stream.packets) continue;
      low = Math.min(low, this.#source.toDisplay(stream, stream.begin(packet)));
      high = Math.max(high, this.#source.toDisplay(stream, stream.floor(stream.packets)));
    }
    return [Math.floor(low), Math.ceil(high) + 1];
  }

  /** How many matches are before a time, at least and at most, without reading a packet. */
  #bounds(timeNs: DisplayNs): [number, number] {
    let least = 0;
    let most = 0;
    for (const stream of this.#streams) {
      const packet = this.#packetAt(stream, timeNs);
      const before = stream.before(packet);
      least += before;
      most += before + (this.#isCut(stream, packet, timeNs) ? stream.count(packet) : 0);
    }
    return [least, most];
  }

  async #before(stream: StreamMatches, timeNs: DisplayNs): Promise<number> {
    const packet = this.#packetAt(stream, timeNs);
    const before = stream.before(packet);
    if (!this.#isCut(stream, packet, timeNs)) return before;
    const { times } = await this.#read(stream, packet);
    return before + firstWhere(0, times.length, (at) => this.#source.toDisplay(stream, times[at]) >= timeNs);
  }

  #packetAt(stream: StreamMatches, timeNs: DisplayNs): number {
    return stream.packetWhere((time) => this.#source.toDisplay(stream, time) >= timeNs);
  }

  /** Whether some matches of a packet are before a time, and some not. */
  #isCut(stream: StreamMatches, packet: number, timeNs: DisplayNs): boolean {
    return packet < stream.packets && this.#source.toDisplay(stream, stream.begin(packet)) < timeNs;
  }

  /** Reads the matches of a packet, with times that do not go back behind those of earlier packets. */
  #read(stream: StreamMatches, packet: number): Promise<PacketMatches> {
    const floor = stream.floor(packet);
    // More is known of the packets before while they are counted.
    const key = `${stream.trace} ${stream.stream} ${packet} ${floor}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const read = this.#source.read(stream, packet).then(({ times, events }) => {
      this.#keptMatches += times.length;
      this.#makeRoom(key);
      return { times: times.map((time) => Math.max(time, floor)), events };
    });
    this.#kept.set(key, read);
    return read;
  }

  #makeRoom(latest: string): void {
    for (const [key, read] of this.#kept) {
      if (this.#keptMatches <= MOST_KEPT || key === latest) return;
      this.#kept.delete(key);
      void read.then(({ times }) => (this.#keptMatches -= times.length));
    }
  }
}

/** Goes through the matches of one stream. */
class Cursor {
  timeNs: DisplayNs = Infinity;
  readonly #stream: StreamMatches;
  readonly #source: MatchSource;
  readonly #read: (packet: number) => Promise<PacketMatches>;
  #packet = 0;
  #matches: PacketMatches = { times: new Float64Array(0), events: new Uint32Array(0) };
  #at = 0;

  constructor(stream: StreamMatches, source: MatchSource, read: (packet: number) => Promise<PacketMatches>) {
    this.#stream = stream;
    this.#source = source;
    this.#read = read;
  }

  /** Goes to the first match at a time or later. */
  async goTo(timeNs: DisplayNs): Promise<void> {
    const display = (time: HostNs) => this.#source.toDisplay(this.#stream, time);
    await this.#open(this.#stream.packetWhere((time) => display(time) >= timeNs));
    const { times } = this.#matches;
    this.#at = firstWhere(0, times.length, (at) => display(times[at]) >= timeNs);
    this.#look();
  }

  place(): MatchPlace {
    return {
      stream: this.#stream,
      packet: this.#packet,
      event: this.#matches.events[this.#at],
      timeNs: this.timeNs,
    };
  }

  /** @returns false: the packet is over, and the next one has to be opened */
  step(): boolean {
    this.#at++;
    if (this.#at >= this.#matches.times.length) return false;
    this.#look();
    return true;
  }

  async open(): Promise<void> {
    await this.#open(this.#packet + 1);
    this.#look();
  }

  /** The first packet with matches from this one on. */
  async #open(from: number): Promise<void> {
    this.#packet = from;
    this.#at = 0;
    while (this.#packet < this.#stream.packets && this.#stream.count(this.#packet) === 0) this.#packet++;
    const isThere = this.#packet < this.#stream.packets;
    this.#matches = isThere
      ? await this.#read(this.#packet)
      : { times: new Float64Array(0), events: new Uint32Array(0) };
  }

  #look(): void {
    const { times } = this.#matches;
    this.timeNs = this.#at < times.length ? this.#source.toDisplay(this.#stream, times[this.#at]) : Infinity;
  }
}

/** The cursor at the earliest match; of several the one of the first stream. */
function earliest(cursors: readonly Cursor[]): Cursor | undefined {
  let first: Cursor | undefined;
  for (const cursor of cursors) if (cursor.timeNs < (first?.timeNs ?? Infinity)) first = cursor;
  return first;
}
