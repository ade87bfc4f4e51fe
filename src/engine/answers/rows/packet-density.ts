/**
 * Events over time of each stream, even within a packet: the number decoded, or before that an estimate from its bytes.
 */
import type { ChunkReport } from '../../analysis/driver.ts';
import type { HostNs } from '../../base/units.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import { beginOf, clockOf, endOf } from '../../trace/trace-clocks.ts';
import type { Experiment } from '../../trace/types.ts';
import { addEvenly, type Grid } from './resample.ts';

/** Packets of one stream in order; `events` is an estimate until `known` is set. */
interface StreamPackets {
  readonly from: HostNs[];
  readonly to: HostNs[];
  readonly events: number[];
  readonly known: boolean[];
}

export interface PacketDensity {
  /** Adds a chunk that was decoded. */
  addChunk(report: ChunkReport): void;
  /** Events in each bucket; `grid` is in display time, to which `clock` leads. */
  buckets(trace: number, stream: number, clock: ClockTransform, grid: Grid): Float32Array;
  /** Whether some packet of the host is not decoded yet. */
  estimated(host: number): boolean;
  /** Number of events read of a stream so far. */
  events(trace: number, stream: number): number;
  /** Number of packets of a stream, and how many of them were read. */
  progress(trace: number, stream: number): { readonly read: number; readonly packets: number };
  /** Times of a stream's first and last event as far as known; NaN without times. */
  span(trace: number, stream: number): { readonly from: HostNs; readonly to: HostNs };
}

/** Bytes of a typical event, for the estimate. */
const EVENT_BYTES = 25;

export function packetDensity(experiment: Experiment): PacketDensity {
  const streams = experiment.traces.map((trace) =>
    trace.streams.map((stream): StreamPackets => {
      const map = clockOf(trace, stream.streamClass);
      const made: StreamPackets = { from: [], to: [], events: [], known: [] };
      for (const { packets } of stream.files) {
        for (let i = 0; i < packets.length; i++) {
          made.from.push(beginOf(packets, i, map));
          made.to.push(endOf(packets, i, map));
          made.events.push(packets.contentBits[i] / 8 / EVENT_BYTES);
          made.known.push(false);
        }
      }
      return made;
    }),
  );
  return {
    addChunk({ chunk, answer, lost }) {
      const { files } = experiment.traces[chunk.trace].streams[chunk.stream];
      const known = streams[chunk.trace][chunk.stream];
      let n = 0;
      for (const { file, first, count } of chunk.extents) {
        const before = files.slice(0, file).reduce((sum, { packets }) => sum + packets.length, 0);
        for (let i = before + first; i < before + first + count; i++, n++) {
          known.known[i] = true;
          known.events[i] = lost ? 0 : answer.packets.events[n];
          known.from[i] = answer.packets.firstEvent[n];
          known.to[i] = answer.packets.lastEvent[n];
        }
      }
    },
    buckets: (trace, stream, clock, grid) => spread(streams[trace][stream], clock, grid),
    estimated: (host) =>
      experiment.traces.some(
        (trace, i) => trace.host === host && streams[i].some(({ known }) => known.includes(false)),
      ),
    events: (trace, stream) => {
      const { events, known } = streams[trace][stream];
      return events.reduce((sum, count, i) => sum + (known[i] ? count : 0), 0);
    },
    progress: (trace, stream) => {
      const { known } = streams[trace][stream];
      return { read: known.reduce((sum, is) => sum + (is ? 1 : 0), 0), packets: known.length };
    },
    span: (trace, stream) => {
      const { from, to } = streams[trace][stream];
      const first = from.find((time) => !Number.isNaN(time)) ?? NaN;
      const last = to.findLast((time) => !Number.isNaN(time)) ?? NaN;
      return { from: first, to: last };
    },
  };
}

function spread({ from, to, events }: StreamPackets, clock: ClockTransform, grid: Grid): Float32Array {
  const sums = new Float32Array(grid.length);
  for (let i = 0; i < from.length; i++) {
    if (Number.isNaN(from[i])) continue;
    const begin = clock.toExperiment(from[i]);
    addEvenly(sums, grid, begin, clock.toExperiment(to[i]) || begin, events[i]);
  }
  return sums;
}
