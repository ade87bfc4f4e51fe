/**
 * Events per bucket of rows of event density, counted in the packets that hold the time asked for. What is kept of all
 * events is no finer than a screen of the whole: from near it would show events where there are none.
 */
import { environmentOf } from '../../analysis/chunk-mapper.ts';
import type { ProjectionPlan } from '../../analysis/contract.ts';
import { compileProjections } from '../../analysis/projection.ts';
import type { HostNs, Times } from '../../base/units.ts';
import { type ChunkDecoder, createChunkDecoder } from '../../ctf/decode/chunk-decoder.ts';
import {
  type HostEvents,
  lanesOfEvents,
  NO_LANE,
  tellsThreads,
  threadEvents,
} from '../../density/thread-events.ts';
import { beginOf, clockOf, endOf } from '../../trace/trace-clocks.ts';
import type { Trace } from '../../trace/types.ts';
import type { EventSource } from '../context/event-source.ts';
import { type PacketPlace, packetsIn, readPacket } from '../context/packets-by-time.ts';
import { lanesOfRow } from './event-density.ts';
import type { Grid } from './resample.ts';

/** Bytes of packets that are read for one answer. */
const MOST_BYTES = 8 * 2 ** 20;
/** Events whose times are kept for the next answer, which often is of the same packets. */
const MOST_KEPT = 2 ** 19;

/** Of streams whose events have no thread. */
const ANY_EVENT = compileProjections([
  { kinds: [{ kind: 'event', events: [], fields: {}, takes: () => true }] },
]);
const THREAD_EVENTS = compileProjections([threadEvents.reads]);

interface PacketEvents {
  readonly time: Times<HostNs>;
  /** By event, as `lanesOfEvents` has them. */
  readonly lane: Int32Array;
}

interface StreamPlace extends PacketPlace {
  readonly trace: Trace;
  readonly stream: number;
}

export class FineDensity {
  readonly #source: EventSource;
  /** By stream class of a trace. */
  readonly #decoders = new Map<string, ChunkDecoder>();
  /** By place; what was not needed for longest is first. */
  readonly #kept = new Map<string, PacketEvents>();
  #keptEvents = 0;

  constructor(source: EventSource) {
    this.#source = source;
  }

  /**
   * @param rows ids of rows of one host
   * @param events of that host, counted by lane; undefined: none of them names its thread
   * @param grid in display time
   * @returns row by row; undefined: too many bytes would have to be read, or it is not known where in the files to read
   */
  async count(
    host: number,
    rows: readonly string[],
    events: HostEvents | undefined,
    grid: Grid,
  ): Promise<Float32Array | undefined> {
    const places = this.#placesIn(host, grid);
    if (places === undefined) return undefined;
    const clock = this.#source.time.of(host);
    const sums = new Float32Array(rows.length * grid.length);
    const rowsOf = positionsOf(rows, events);
    for (const place of places) {
      const found = await this.#read(place, events);
      if (found === undefined) return undefined;
      const alone = rowsOf.stream(place.trace.index, place.stream);
      for (let i = 0; i < found.time.length; i++) {
        const lane = found.lane[i];
        const bucket = Math.floor((clock.toExperiment(found.time[i]) - grid.from) / grid.bucketNs);
        if (bucket < 0 || bucket >= grid.length) continue;
        for (const row of lane === NO_LANE ? alone : rowsOf.lane(lane)) sums[row * grid.length + bucket]++;
      }
    }
    return sums;
  }

  /** undefined: they are too much, or times are missing. */
  #placesIn(host: number, grid: Grid): StreamPlace[] | undefined {
    const clock = this.#source.time.of(host);
    const end = grid.from + grid.length * grid.bucketNs;
    const stretch = { from: clock.toHost(grid.from), to: clock.toHost(end) };
    const places: StreamPlace[] = [];
    let bytes = 0;
    for (const trace of this.#source.experiment.traces) {
      if (trace.host !== host) continue;
      for (const [index, stream] of trace.streams.entries()) {
        const map = clockOf(trace, stream.streamClass);
        for (const place of packetsIn(trace, stream, stretch)) {
          const { packets } = stream.files[place.file];
          const [begin, end] = [beginOf(packets, place.packet, map), endOf(packets, place.packet, map)];
          if (Number.isNaN(begin) || Number.isNaN(end)) return undefined;
          bytes += packets.size[place.packet];
          if (bytes > MOST_BYTES) return undefined;
          places.push({ ...place, trace, stream: index });
        }
      }
    }
    return places;
  }

  async #read(place: StreamPlace, events: HostEvents | undefined): Promise<PacketEvents | undefined> {
    const key = `${place.trace.index} ${place.stream} ${place.file} ${place.packet}`;
    const known = this.#kept.get(key);
    if (known !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known;
    }
    const { trace, stream } = place;
    const input = await readPacket(this.#source.open, trace.streams[stream], place);
    if (input === undefined) return undefined;
    const { streamClass } = trace.streams[stream];
    const telling = tellsThreads(this.#source.experiment, trace, streamClass);
    const plan = telling ? THREAD_EVENTS : ANY_EVENT;
    const { rows } = this.#decoder(trace, streamClass, plan).decode(input);
    const lane = telling
      ? lanesOfEvents({ rows, plan, environment: environmentOf(trace) }, keysOf(events))
      : new Int32Array(rows.length).fill(NO_LANE);
    const found = { time: rows.time.slice(0, rows.length), lane };
    this.#keep(key, found);
    return found;
  }

  #keep(key: string, found: PacketEvents): void {
    // Two answers may have read it side by side.
    if (this.#kept.has(key)) return;
    this.#kept.set(key, found);
    this.#keptEvents += found.time.length;
    for (const [oldest, { time }] of this.#kept) {
      if (this.#keptEvents <= MOST_KEPT) return;
      this.#kept.delete(oldest);
      this.#keptEvents -= time.length;
    }
  }

  #decoder(trace: Trace, streamClass: number, plan: ProjectionPlan): ChunkDecoder {
    const key = `${trace.index} ${streamClass}`;
    const known = this.#decoders.get(key);
    if (known !== undefined) return known;
    const request = plan.requestOf(this.#source.experiment, trace, streamClass);
    const made = createChunkDecoder(trace.model, streamClass, request, clockOf(trace, streamClass));
    this.#decoders.set(key, made);
    return made;
  }
}

function keysOf(events: HostEvents | undefined): Int32Array {
  return events?.threads.keys ?? new Int32Array(0);
}

/** Where among `rows` the events of a thread's lane, or those of a stream that have no thread, are counted. */
function positionsOf(rows: readonly string[], events: HostEvents | undefined) {
  const ofLane: (number[] | undefined)[] = [];
  const ofStream = new Map<string, number[]>();
  rows.forEach((row, position) => {
    const [kind, , place = ''] = row.split(':');
    if (kind === 'stream') return ofStream.set(place, [position]);
    for (const lane of (events && lanesOfRow(events, row)?.of) ?? []) (ofLane[lane] ??= []).push(position);
    return undefined;
  });
  return {
    lane: (lane: number): readonly number[] => ofLane[lane] ?? NOWHERE,
    stream: (trace: number, stream: number) => ofStream.get(`${trace}.${stream}`) ?? NOWHERE,
  };
}

const NOWHERE: readonly number[] = [];
