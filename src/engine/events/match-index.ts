/**
 * Index of the events that a filter accepts: how many, and from when to when, in each packet of each stream. It grows
 * during a scan. It finds the packets that hold match number n without reading any.
 */
import { firstWhere } from '../base/lower-bound.ts';
import type { HostNs } from '../base/units.ts';
import type { Chunk, Experiment, Stream } from '../trace/types.ts';
import { verdict } from './filter/field-wants.ts';
import { emptyMatches, type MatchChunk, type ScanSettings } from './match-counts.ts';

interface MatchSpan {
  readonly from: HostNs;
  readonly to: HostNs;
}

/** The packets of one stream, over all its files. */
export class StreamMatches {
  readonly trace: number;
  /** Index in `Trace.streams`. */
  readonly stream: number;
  readonly packets: number;
  /** Number of the first packet of each file. */
  readonly #fileStart: readonly number[];
  /** Matches of all packets. */
  readonly chunkResult: MatchChunk;
  /** Number of matches before each packet, and the greatest time up to its end: both never decrease. */
  readonly #before: Float64Array;
  readonly #latest: Float64Array;
  #isSummed: boolean;

  /** @param known matches of all packets; default: none yet */
  constructor(trace: number, stream: number, { files }: Stream, known?: MatchChunk) {
    this.trace = trace;
    this.stream = stream;
    let packets = 0;
    this.#fileStart = files.map((file) => {
      const start = packets;
      packets += file.packets.length;
      return start;
    });
    this.packets = packets;
    this.chunkResult = known ?? emptyMatches(packets);
    this.#isSummed = known === undefined;
    this.#before = new Float64Array(packets + 1);
    this.#latest = new Float64Array(packets + 1).fill(-Infinity);
  }

  put({ extents }: Chunk, { matches, first, last }: MatchChunk): void {
    let at = 0;
    for (const extent of extents) {
      const to = this.#fileStart[extent.file] + extent.first;
      const end = at + extent.count;
      this.chunkResult.matches.set(matches.subarray(at, end), to);
      this.chunkResult.first.set(first.subarray(at, end), to);
      this.chunkResult.last.set(last.subarray(at, end), to);
      at = end;
    }
    this.#isSummed = false;
  }

  /** HostNs of the first and last match of a chunk; Infinity and -Infinity: none. */
  spanOf({ extents }: Pick<Chunk, 'extents'>): MatchSpan {
    let [from, to] = [Infinity, -Infinity];
    for (const { file, first, count } of extents)
      for (let packet = this.#fileStart[file] + first, left = count; left > 0; packet++, left--) {
        if (this.chunkResult.first[packet] < from) from = this.chunkResult.first[packet];
        if (this.chunkResult.last[packet] > to) to = this.chunkResult.last[packet];
      }
    return { from, to };
  }

  get total(): number {
    this.#sum();
    return this.#before[this.packets];
  }

  /** Number of matches before a packet. */
  before(packet: number): number {
    this.#sum();
    return this.#before[packet];
  }

  count(packet: number): number {
    return this.chunkResult.matches[packet];
  }

  /** Time of the first match of a packet in the order of the table: not before those of earlier packets. */
  begin(packet: number): HostNs {
    this.#sum();
    return Math.max(this.chunkResult.first[packet], this.#latest[packet]);
  }

  /** Time of the last match of a packet, likewise. */
  end(packet: number): HostNs {
    this.#sum();
    return this.#latest[packet + 1];
  }

  /** The greatest time before a packet: its matches count as not earlier. */
  floor(packet: number): HostNs {
    this.#sum();
    return this.#latest[packet];
  }

  /**
   * The first packet with a match for whose time `isReached` is true; `packets`: none.
   * @param isReached true from some time on
   */
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
      this.#before[packet + 1] = this.#before[packet] + this.chunkResult.matches[packet];
      this.#latest[packet + 1] =
        this.chunkResult.last[packet] > latest ? this.chunkResult.last[packet] : latest;
    }
  }
}

/** Streams whose events have times, in order of their rank. */
export class MatchIndex {
  readonly streams: readonly StreamMatches[];
  readonly #byStream: ReadonlyMap<string, StreamMatches>;

  private constructor(streams: readonly StreamMatches[]) {
    this.streams = streams;
    this.#byStream = new Map(streams.map((stream) => [`${stream.trace} ${stream.stream}`, stream]));
  }

  /** Index of all streams of an experiment, without matches so far. */
  static of(experiment: Experiment): MatchIndex {
    return new MatchIndex(
      timedStreams(experiment).map(({ trace, number, stream }) => new StreamMatches(trace, number, stream)),
    );
  }

  /** @param chunkResults as returned by `chunkResults`; undefined: they belong to other streams */
  static from(experiment: Experiment, chunkResults: readonly MatchChunk[]): MatchIndex | undefined {
    const streams = timedStreams(experiment);
    const isOf = ({ stream: { files } }: TimedStream, chunkResult: MatchChunk | undefined) =>
      chunkResult?.matches.length === files.reduce((sum, { packets }) => sum + packets.length, 0);
    if (
      chunkResults.length !== streams.length ||
      !streams.every((stream, i) => isOf(stream, chunkResults[i]))
    )
      return undefined;
    return new MatchIndex(
      streams.map(
        ({ trace, number, stream }, i) => new StreamMatches(trace, number, stream, chunkResults[i]),
      ),
    );
  }

  /** Index of some of the streams, sharing their matches with this one. */
  only(isWanted: (trace: number, stream: number) => boolean): MatchIndex {
    return new MatchIndex(this.streams.filter(({ trace, stream }) => isWanted(trace, stream)));
  }

  /** Stores the matches of a chunk. */
  put(chunk: Chunk, chunkResult: MatchChunk): void {
    this.#byStream.get(`${chunk.trace} ${chunk.stream}`)?.put(chunk, chunkResult);
  }

  /** Times of matches as in `StreamMatches`; undefined: events of its stream have no times. */
  spanOf(chunk: Chunk): MatchSpan | undefined {
    return this.#byStream.get(`${chunk.trace} ${chunk.stream}`)?.spanOf(chunk);
  }

  get total(): number {
    return this.streams.reduce((sum, { total }) => sum + total, 0);
  }

  /** Matches of each stream so far, as plain data. */
  get chunkResults(): readonly MatchChunk[] {
    return this.streams.map(({ chunkResult }) => chunkResult);
  }
}

/**
 * Whether a chunk may have matches, by its place.
 * @param counts of all events, once the whole trace was read
 */
export function mayMatch(
  { filter }: ScanSettings,
  { traces }: Experiment,
  chunk: Chunk,
  counts: MatchIndex | undefined,
): boolean {
  const { domain, streams } = traces[chunk.trace];
  const span = counts?.spanOf(chunk) ?? ANY_TIME;
  // The chunk's own times count too, as it may be damaged.
  const place = {
    host: chunk.host,
    cpu: streams[chunk.stream].cpu,
    isOfProgram: domain === 'ust',
    from: Math.min(span.from, chunk.from),
    to: Number.isNaN(chunk.to) ? Infinity : Math.max(span.to, chunk.to),
  };
  return verdict(filter, undefined, place) !== false;
}

const ANY_TIME = { from: -Infinity, to: Infinity };

interface TimedStream {
  readonly trace: number;
  /** Index in `Trace.streams`. */
  readonly number: number;
  readonly stream: Stream;
}

function timedStreams({ traces }: Experiment): TimedStream[] {
  const timed = traces.flatMap(({ index, model, streams }) =>
    streams
      .map((stream, number) => ({ trace: index, number, stream }))
      .filter(({ stream }) => model.streams[stream.streamClass].clock !== undefined),
  );
  return timed.sort((a, b) => a.stream.rank - b.stream.rank);
}
