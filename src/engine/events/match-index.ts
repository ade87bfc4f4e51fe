/**
 * Where the events are that a filter accepts: how many, and from when to when, in each packet of each stream. Grows while a
 * scan goes on. It finds which packets hold the match number n, without having read any.
 */
import { firstWhere } from '../base/lower-bound.ts';
import type { HostNs } from '../base/units.ts';
import type { Chunk, Experiment, Stream } from '../trace/types.ts';
import type { MatchLeaf } from './match-counts.ts';

/** The packets of one stream, over all its files. */
export class StreamMatches {
  readonly trace: number;
  /** In `Trace.streams`. */
  readonly stream: number;
  readonly packets: number;
  /** By file: number of its first packet. */
  readonly #fileStart: readonly number[];
  readonly #matches: Uint32Array;
  readonly #first: Float64Array;
  readonly #last: Float64Array;
  /** Matches before each packet, and the greatest time up to its end: both only ascend. */
  readonly #before: Float64Array;
  readonly #latest: Float64Array;
  #isSummed = true;

  constructor(trace: number, stream: number, { files }: Stream) {
    this.trace = trace;
    this.stream = stream;
    let packets = 0;
    this.#fileStart = files.map((file) => {
      const start = packets;
      packets += file.packets.length;
      return start;
    });
    this.packets = packets;
    this.#matches = new Uint32Array(packets);
    this.#first = new Float64Array(packets).fill(NaN);
    this.#last = new Float64Array(packets).fill(NaN);
    this.#before = new Float64Array(packets + 1);
    this.#latest = new Float64Array(packets + 1).fill(-Infinity);
  }

  put({ extents }: Chunk, { matches, first, last }: MatchLeaf): void {
    let at = 0;
    for (const extent of extents) {
      const to = this.#fileStart[extent.file] + extent.first;
      const end = at + extent.count;
      this.#matches.set(matches.subarray(at, end), to);
      this.#first.set(first.subarray(at, end), to);
      this.#last.set(last.subarray(at, end), to);
      at = end;
    }
    this.#isSummed = false;
  }

  get total(): number {
    this.#sum();
    return this.#before[this.packets];
  }

  /** Matches before a packet. */
  before(packet: number): number {
    this.#sum();
    return this.#before[packet];
  }

  count(packet: number): number {
    return this.#matches[packet];
  }

  /** Time of the first match of a packet, as it counts in the order of all: not before those of earlier packets. */
  begin(packet: number): HostNs {
    this.#sum();
    return Math.max(this.#first[packet], this.#latest[packet]);
  }

  /** The greatest time before a packet: none of its matches counts as earlier. */
  floor(packet: number): HostNs {
    this.#sum();
    return this.#latest[packet];
  }

  /** The first packet with a match whose time is reached; `packets`: there is none. @param isReached true from some time on */
  packetWhere(isReached: (time: HostNs) => boolean): number {
    this.#sum();
    return firstWhere(0, this.packets, (packet) => isReached(this.#latest[packet + 1]));
  }

  /** File and packet within it. */
  placeOf(packet: number): { readonly file: number; readonly packet: number } {
    const file = firstWhere(0, this.#fileStart.length, (at) => this.#fileStart[at] > packet) - 1;
    return { file, packet: packet - this.#fileStart[file] };
  }

  #sum(): void {
    if (this.#isSummed) return;
    this.#isSummed = true;
    for (let packet = 0; packet < this.packets; packet++) {
      const latest = this.#latest[packet];
      this.#before[packet + 1] = this.#before[packet] + this.#matches[packet];
      this.#latest[packet + 1] = this.#last[packet] > latest ? this.#last[packet] : latest;
    }
  }
}

/** All streams whose events have times, in order of their rank. */
export class MatchIndex {
  readonly streams: readonly StreamMatches[];
  readonly #byStream: ReadonlyMap<string, StreamMatches>;

  constructor({ traces }: Experiment) {
    const timed = traces.flatMap(({ index, model, streams }) =>
      [...streams.entries()]
        .filter(([, { streamClass }]) => model.streams[streamClass].clock !== undefined)
        .map(([number, stream]) => ({
          rank: stream.rank,
          matches: new StreamMatches(index, number, stream),
        })),
    );
    this.streams = timed.sort((a, b) => a.rank - b.rank).map(({ matches }) => matches);
    this.#byStream = new Map(this.streams.map((stream) => [`${stream.trace} ${stream.stream}`, stream]));
  }

  put(chunk: Chunk, leaf: MatchLeaf): void {
    this.#byStream.get(`${chunk.trace} ${chunk.stream}`)?.put(chunk, leaf);
  }

  get total(): number {
    return this.streams.reduce((sum, { total }) => sum + total, 0);
  }
}
