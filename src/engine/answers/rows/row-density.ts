/**
 * Events per bucket of rows of event density. Zoomed in, they are counted in the packets of the range. Otherwise they
 * come from stored counts of all events, which are only as fine as a screen of the whole trace and would show events
 * where there are none.
 */
import type { ChunkResults } from '../../analysis/chunk-results.ts';
import type { AnyAggregate } from '../../analysis/analysis-set.ts';
import { environmentOf } from '../../analysis/chunk-mapper.ts';
import type { ProjectionPlan } from '../../analysis/contract.ts';
import { compileProjections } from '../../analysis/projection.ts';
import type { HostNs, Times } from '../../base/units.ts';
import { type ChunkDecoder, createChunkDecoder } from '../../ctf/decode/chunk-decoder.ts';
import { findKey, KEY, type Lanes, MOST_BUCKETS } from '../../density/lanes.ts';
import {
  type HostEvents,
  lanesOfEvents,
  MOST_THREADS,
  NO_LANE,
  tellsThreads,
  threadEvents,
  type ThreadEventsChunk,
} from '../../density/thread-events.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import { repeatsIn } from '../../trace/repeats.ts';
import { beginOf, clockOf, endOf } from '../../trace/trace-clocks.ts';
import type { Trace } from '../../trace/types.ts';
import type { DisplayTime } from '../context/display-time.ts';
import { type EventSource, type TimedPacket, packetsIn, readPacket } from '../context/packets-by-time.ts';
import { addEvenly, bucketAt, type Grid } from './resample.ts';
import { hostOfRow } from '../context/thread-rows.ts';

/** Events of a host; undefined: none of them names its thread. */
export function eventsOfHost(chunkResults: ChunkResults, host: number): HostEvents | undefined {
  return (chunkResults.whole(threadEvents as AnyAggregate, host) as ThreadEventsChunk)[0];
}

interface RowLanes {
  readonly lanes: Lanes;
  readonly of: readonly number[];
}

/** The lanes that a row shows; undefined: none. */
export function lanesOfRow({ threads, streams }: HostEvents, row: string): RowLanes | undefined {
  const [kind, , key = ''] = row.split(':');
  const [high, low = 0, ns = 0] = key.split('.').map(Number);
  const one = (lanes: Lanes, lane: number) => (lane < 0 ? undefined : { lanes, of: [lane] });
  switch (kind) {
    case 'thread':
      return one(threads, findKey(threads.keys, low, high, ns));
    case 'process':
      return {
        lanes: threads,
        of: lanesWhere(threads, (_, pid, space) => pid === high && space >>> 0 === low),
      };
    case 'namespace':
      return { lanes: threads, of: lanesWhere(threads, (_, __, space) => space >>> 0 === high) };
    case 'more-threads':
      return one(threads, threads.events.length > MOST_THREADS ? MOST_THREADS : -1);
    case 'stream':
      return one(streams, findKey(streams.keys, low, high, 0));
    default:
      return undefined;
  }
}

function lanesWhere(
  { keys, events }: Lanes,
  is: (tid: number, pid: number, space: number) => boolean,
): number[] {
  const found: number[] = [];
  for (let lane = 0; lane < Math.min(events.length, MOST_THREADS); lane++)
    if (is(keys[KEY * lane], keys[KEY * lane + 1], keys[KEY * lane + 2])) found.push(lane);
  return found;
}

export interface DensitySource {
  readonly time: DisplayTime;
  readonly lengthNs: () => number;
  readonly threadEvents: (host: number) => Promise<HostEvents | undefined>;
  readonly packetDensity: (row: string, grid: Grid) => Float32Array | undefined;
  /** Whether all is read, and its files are there. */
  readonly areFilesRead: () => boolean;
}

export class RowDensity {
  readonly #fine: FineDensity | undefined;

  /** @param files undefined: opened from the store without them */
  constructor(
    private readonly source: DensitySource,
    files: EventSource | undefined,
  ) {
    this.#fine = files && new FineDensity(files);
  }

  /** Densities row by row, zeros for rows without one. */
  async of(rows: readonly string[], grid: Grid): Promise<Float32Array> {
    const all = new Float32Array(rows.length * grid.length);
    for (const host of new Set(rows.map(hostOfRow))) {
      const places = [...rows.keys()].filter((i) => hostOfRow(rows[i]) === host);
      const own = places.map((i) => rows[i]);
      const events = await this.source.threadEvents(host);
      const counted = await this.#counted(host, own, events, grid);
      own.forEach((row, i) => {
        const buckets = counted?.subarray(i * grid.length, (i + 1) * grid.length);
        const kept = buckets ?? this.#kept(host, row, events, grid);
        if (kept !== undefined) all.set(kept, places[i] * grid.length);
      });
    }
    return all;
  }

  async #counted(host: number, rows: readonly string[], events: HostEvents | undefined, grid: Grid) {
    const { lengthNs, areFilesRead } = this.source;
    if (grid.bucketNs >= lengthNs() / MOST_BUCKETS || !areFilesRead()) return undefined;
    return this.#fine?.count(host, rows, events, grid);
  }

  #kept(host: number, row: string, events: HostEvents | undefined, grid: Grid): Float32Array | undefined {
    const lanes = events && lanesOfRow(events, row);
    return lanes
      ? lanesDensity(events, lanes, this.source.time.of(host), grid)
      : this.source.packetDensity(row, grid);
  }
}

/** Events of a whole host in each bucket of `grid`. */
export function hostDensity(events: HostEvents, clock: ClockTransform, grid: Grid): Float32Array {
  const [sums, others] = [events.threads, events.streams].map((lanes) =>
    lanesDensity(events, { lanes, of: [...lanes.events.keys()] }, clock, grid),
  );
  return sums.map((sum, bucket) => sum + others[bucket]);
}

/** Events in each bucket of `grid`, which is in display time, to which `clock` leads; within a cell they are even. */
function lanesDensity(
  { scale }: HostEvents,
  { lanes, of }: RowLanes,
  clock: ClockTransform,
  grid: Grid,
): Float32Array {
  const { cellStart, bucket, count, from, to } = lanes;
  const width = 2 ** scale.level;
  const sums = new Float32Array(grid.length);
  for (const lane of of) {
    for (let cell = cellStart[lane]; cell < cellStart[lane + 1]; cell++) {
      const begin = (scale.first + bucket[cell]) * width;
      // No event lies before the lane's first or after its last one.
      const first = clock.toExperiment(Math.max(begin, from[lane]));
      const end = clock.toExperiment(Math.min(begin + width, to[lane] + 1));
      addEvenly(sums, grid, first, end, count[cell]);
    }
  }
  return sums;
}

/** Maximum bytes of packets that are read for one answer. */
const MOST_BYTES = 8 * 2 ** 20;
/** Maximum number of events whose times are cached: the next answer often needs the same packets. */
const MOST_KEPT = 2 ** 19;

/** Projections for streams whose events do not name threads. */
const ANY_EVENT = compileProjections([
  { kinds: [{ kind: 'event', events: [], fields: {}, takes: () => true }] },
]);
const THREAD_EVENTS = compileProjections([threadEvents.reads]);

interface PacketEvents {
  readonly time: Times<HostNs>;
  /** Lanes by event, as `lanesOfEvents` has them. */
  readonly lane: Int32Array;
}

interface StreamPlace extends TimedPacket {
  readonly trace: Trace;
  readonly stream: number;
}

class FineDensity {
  /** Decoders by stream class of a trace. */
  readonly #decoders = new Map<string, ChunkDecoder>();
  /** Events of packets by place, least recently used first. */
  readonly #kept = new Map<string, PacketEvents>();
  #keptEvents = 0;

  constructor(private readonly source: EventSource) {}

  /**
   * @param rows ids of rows of one host
   * @param events of that host, counted by lane; undefined: none of them names its thread
   * @param grid in display time
   * @returns row by row; undefined: too many bytes would have to be read, or packets cannot be found by time
   */
  async count(
    host: number,
    rows: readonly string[],
    events: HostEvents | undefined,
    grid: Grid,
  ): Promise<Float32Array | undefined> {
    const places = this.#placesIn(host, grid);
    if (places === undefined) return undefined;
    const clock = this.source.time.of(host);
    const sums = new Float32Array(rows.length * grid.length);
    const rowsOf = positionsOf(rows, events);
    for (const place of places) {
      const found = await this.#read(place, events);
      if (found === undefined) return undefined;
      const alone = rowsOf.stream(place.trace.index, place.stream);
      for (let i = 0; i < found.time.length; i++) {
        const lane = found.lane[i];
        const bucket = bucketAt(grid, clock.toExperiment(found.time[i]));
        if (bucket < 0) continue;
        for (const row of lane === NO_LANE ? alone : rowsOf.lane(lane)) sums[row * grid.length + bucket]++;
      }
    }
    return sums;
  }

  /** Packets to read; undefined: too many bytes, or times are missing. */
  #placesIn(host: number, grid: Grid): StreamPlace[] | undefined {
    const clock = this.source.time.of(host);
    const end = grid.from + grid.length * grid.bucketNs;
    const stretch = { from: clock.toHost(grid.from), to: clock.toHost(end) };
    const places: StreamPlace[] = [];
    let bytes = 0;
    for (const trace of this.source.experiment.traces) {
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
    const input = await readPacket(this.source.open, trace.streams[stream], place);
    if (input === undefined) return undefined;
    const { streamClass } = trace.streams[stream];
    const telling = tellsThreads(this.source.experiment, trace, streamClass);
    const plan = telling ? THREAD_EVENTS : ANY_EVENT;
    const repeats = repeatsIn(trace, streamClass);
    const { rows } = this.#decoder(trace, streamClass, plan).decode({ ...input, repeats });
    const lane = telling
      ? lanesOfEvents(
          { rows, plan, environment: environmentOf(trace) },
          events?.threads.keys ?? new Int32Array(0),
        )
      : new Int32Array(rows.length).fill(NO_LANE);
    const found = { time: rows.time.slice(0, rows.length), lane };
    this.#keep(key, found);
    return found;
  }

  #keep(key: string, found: PacketEvents): void {
    // Two answers may have read it concurrently.
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
    const request = plan.requestOf(this.source.experiment, trace, streamClass);
    const made = createChunkDecoder(trace.model, streamClass, request, clockOf(trace, streamClass));
    this.#decoders.set(key, made);
    return made;
  }
}

/** Index among `rows` at which events of a thread's lane, or those of a stream without threads, are counted. */
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
