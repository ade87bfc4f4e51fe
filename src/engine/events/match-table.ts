/**
 * The events that a filter accepts, of all streams, as one table in order of time. Any part of it is found without
 * reading what comes before. Of simultaneous events those of the stream with the lower rank come first; within a stream
 * times never decrease, as for histories.
 */
import { assert } from '../base/assert.ts';
import { firstWhere } from '../base/lower-bound.ts';
import type { DisplayNs, HostNs } from '../base/units.ts';
import type { MatchIndex, StreamMatches } from './match-index.ts';

/** The matches of one packet. */
export interface PacketMatches {
  /** HostNs, ascending. */
  readonly times: Float64Array;
  /** Numbers of the events within the packet. */
  readonly events: Uint32Array;
  /** Indices of their classes in the stream's. */
  readonly classes: Uint16Array;
}

/** A packet whose matches were read. */
interface ReadPacket<Matches extends PacketMatches> {
  readonly stream: StreamMatches;
  readonly packet: number;
  readonly matches: Matches;
}

/** Matches in order, as columns. */
export interface MatchBatch<Matches extends PacketMatches> {
  readonly length: number;
  readonly timeNs: Float64Array;
  readonly packets: readonly ReadPacket<Matches>[];
  /** Index in `packets`, and index in its matches. */
  readonly packet: Uint32Array;
  readonly at: Uint32Array;
}

interface BatchRange {
  /** Display times, half-open. Default: everything. */
  readonly from?: DisplayNs | undefined;
  readonly to?: DisplayNs | undefined;
  /** Default: all. */
  readonly isWanted?: (stream: StreamMatches) => boolean;
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

/** Maximum number of matches cached, of the packets read last. */
const MOST_KEPT = 2_000_000;
/** Number of matches up to which they are skipped one by one. */
const NEAR = 1024;
/** Maximum number of matches per batch. */
const MOST_AT_ONCE = 16_384;

export class MatchTable {
  /** Matches of packets, least recently used first. */
  readonly #kept = new Map<string, Promise<PacketMatches>>();
  #keptMatches = 0;

  constructor(private readonly source: MatchSource) {}

  get length(): number {
    return this.source.index.total;
  }

  /** Index of the first match at a time or later; `length`: none. */
  async rowAt(timeNs: DisplayNs): Promise<number> {
    let row = 0;
    for (const stream of this.#streams) row += await this.#before(stream, timeNs);
    return row;
  }

  /** Rows [first, first + count), fewer at the end. */
  async rows(first: number, count: number): Promise<MatchPlace[]> {
    if (first >= this.length || count <= 0) return [];
    const from = this.#timeBefore(first);
    // Matches found meanwhile may lie before it.
    let before = Math.max(0, first - (await this.rowAt(from)));
    const read = (stream: StreamMatches, packet: number) => this.#read(stream, packet);
    const found: MatchPlace[] = [];
    for await (const batch of this.batches(read, Math.min(before + count, MOST_AT_ONCE), { from })) {
      for (let row = before; row < batch.length && found.length < count; row++)
        found.push(placeIn(batch, row));
      before = Math.max(0, before - batch.length);
      if (found.length === count) break;
    }
    return found;
  }

  /**
   * Matches in order, in batches. Each packet is read once.
   * @param read reads a packet that has matches
   */
  async *batches<Matches extends PacketMatches>(
    read: (stream: StreamMatches, packet: number) => Promise<Matches>,
    most: number,
    { from = -Infinity, to = Infinity, isWanted = () => true }: BatchRange = {},
  ): AsyncGenerator<MatchBatch<Matches>> {
    const cursors = this.#streams.filter(isWanted).map((stream) => new Cursor(stream, this.source, read));
    for (const cursor of cursors) await cursor.goTo(from);
    for (let isOver = false; !isOver;) {
      const packets: ReadPacket<Matches>[] = [];
      const [timeNs, packet, at] = [new Float64Array(most), new Uint32Array(most), new Uint32Array(most)];
      for (const cursor of cursors) cursor.number = -1;
      let length = 0;
      while (length < most) {
        const next = earliest(cursors);
        isOver = next === undefined || next.timeNs >= to;
        if (next === undefined || isOver) break;
        if (next.number < 0) next.number = packets.push(next.place()) - 1;
        const end = next.end(Math.min(boundOf(cursors, next), to), most - length);
        for (; next.at < end; next.at++) {
          timeNs[length] = next.times[next.at];
          packet[length] = next.number;
          at[length++] = next.at;
        }
        if (!next.step()) await next.look();
      }
      if (length > 0) yield { length, timeNs, packets, packet, at };
    }
  }

  /** All packets with matches, stream by stream, with the times of the first and last match of each. */
  packets(): MatchPacket[] {
    const found: MatchPacket[] = [];
    for (const stream of this.#streams) {
      const display = (time: HostNs) => this.source.toDisplay(stream, time);
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
    return times.map((time) => this.source.toDisplay(stream, time));
  }

  get #streams(): readonly StreamMatches[] {
    return this.source.index.streams;
  }

  /** A time before which at most `row` matches lie, and nearly as many as can be told without reading packets. */
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

  /** Display times of the first match and directly after the last one. */
  #span(): [DisplayNs, DisplayNs] {
    let low = Infinity;
    let high = -Infinity;
    for (const stream of this.#streams) {
      const packet = stream.packetWhere((time) => time > -Infinity);
      if (packet === stream.packets) continue;
      low = Math.min(low, this.source.toDisplay(stream, stream.begin(packet)));
      high = Math.max(high, this.source.toDisplay(stream, stream.floor(stream.packets)));
    }
    return [Math.floor(low), Math.ceil(high) + 1];
  }

  /** Least and greatest possible number of matches before a time, without reading a packet. */
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
    return before + firstWhere(0, times.length, (at) => this.source.toDisplay(stream, times[at]) >= timeNs);
  }

  #packetAt(stream: StreamMatches, timeNs: DisplayNs): number {
    return stream.packetWhere((time) => this.source.toDisplay(stream, time) >= timeNs);
  }

  /** Whether a time divides the matches of a packet. */
  #isCut(stream: StreamMatches, packet: number, timeNs: DisplayNs): boolean {
    return packet < stream.packets && this.source.toDisplay(stream, stream.begin(packet)) < timeNs;
  }

  /** Reads the matches of a packet, with times that are not before those of earlier packets. */
  #read(stream: StreamMatches, packet: number): Promise<PacketMatches> {
    const floor = stream.floor(packet);
    // While events are counted, more becomes known of the packets before.
    const key = `${stream.trace} ${stream.stream} ${packet} ${floor}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      return kept;
    }
    const read = this.source.read(stream, packet).then((matches) => {
      const { times } = matches;
      this.#keptMatches += times.length;
      this.#makeRoom(key);
      return { ...matches, times: times.map((time) => Math.max(time, floor)) };
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

function placeIn({ packets, packet, at, timeNs }: MatchBatch<PacketMatches>, row: number): MatchPlace {
  const { stream, packet: number, matches } = packets[packet[row]];
  return { stream, packet: number, event: matches.events[at[row]], timeNs: timeNs[row] };
}

const NO_TIMES = new Float64Array(0);

/** Iterates over the matches of one stream. */
class Cursor<Matches extends PacketMatches> {
  /** Display times of the packet's matches, and the index of the next one. */
  times = NO_TIMES;
  at = 0;
  /** Time of the next match; Infinity: none. */
  timeNs: DisplayNs = Infinity;
  /** Number of the packet in a batch; -1: none. */
  number = -1;
  #packet = 0;
  #matches: Matches | undefined;

  constructor(
    private readonly stream: StreamMatches,
    private readonly source: MatchSource,
    private readonly read: (stream: StreamMatches, packet: number) => Promise<Matches>,
  ) {}

  /** Moves to the first match at a time or later. */
  async goTo(timeNs: DisplayNs): Promise<void> {
    const display = (time: HostNs) => this.source.toDisplay(this.stream, time);
    this.#packet = this.stream.packetWhere((time) => display(time) >= timeNs);
    await this.#open();
    this.at = firstWhere(0, this.times.length, (at) => this.times[at] >= timeNs);
    await this.look();
  }

  /** The packet of the next match. */
  place(): ReadPacket<Matches> {
    assert(this.#matches !== undefined, 'a packet with matches was read');
    return { stream: this.stream, packet: this.#packet, matches: this.#matches };
  }

  /** Index after the matches before a time, of at most `most` matches; at least one. */
  end(before: DisplayNs, most: number): number {
    const { times } = this;
    const last = Math.min(times.length, this.at + most);
    let end = this.at + 1;
    while (end < last && times[end] < before) end++;
    return end;
  }

  /**
   * Moves to the next match.
   * @returns false: the packet is over, and the next one must be opened
   */
  step(): boolean {
    if (this.at === this.times.length) return false;
    this.timeNs = this.times[this.at];
    return true;
  }

  /** Moves to the next match, and opens the next packet if this one is over. */
  async look(): Promise<void> {
    while (this.at === this.times.length && this.#packet < this.stream.packets) {
      this.#packet++;
      await this.#open();
    }
    if (!this.step()) this.timeNs = Infinity;
  }

  /** Opens the first packet with matches, from this one on. */
  async #open(): Promise<void> {
    const stream = this.stream;
    [this.at, this.number, this.times, this.#matches] = [0, -1, NO_TIMES, undefined];
    while (this.#packet < stream.packets && stream.count(this.#packet) === 0) this.#packet++;
    if (this.#packet === stream.packets) return;
    this.#matches = await this.read(stream, this.#packet);
    const floor = stream.floor(this.#packet);
    this.times = this.#matches.times.map((time) => this.source.toDisplay(stream, Math.max(time, floor)));
  }
}

/** The cursor at the earliest match; of equal ones that of the first stream. */
function earliest<Matches extends PacketMatches>(cursors: readonly Cursor<Matches>[]) {
  let first: Cursor<Matches> | undefined;
  for (const cursor of cursors) if (cursor.timeNs < (first?.timeNs ?? Infinity)) first = cursor;
  return first;
}

/** A time before which all matches of this cursor lie before those of the others. */
function boundOf(cursors: readonly Cursor<PacketMatches>[], own: Cursor<PacketMatches>): DisplayNs {
  let bound = Infinity;
  for (const cursor of cursors) if (cursor !== own && cursor.timeNs < bound) bound = cursor.timeNs;
  return bound;
}
