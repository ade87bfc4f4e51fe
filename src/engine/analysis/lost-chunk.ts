/**
 * Substitute for a chunk that could not be read: no rows, and one packet that reports all of the chunk's packets as
 * lost in the chunk's time, so that every analysis sees it as it sees a loss of the tracer.
 */
import { createCounts } from '../ctf/decode/rows/class-counts.ts';
import { NO_ROWS, type DecodedChunk } from '../ctf/decode/rows/rows.ts';
import type { Chunk, Experiment } from '../trace/types.ts';
import type { AnalysisSet } from './analysis-set.ts';
import { batchContexts, batchOf, mapBatch } from './chunk-mapper.ts';
import type { ChunkAnswer } from './chunk-mapper.ts';

export function lostAnswer(experiment: Experiment, set: AnalysisSet, chunk: Chunk): ChunkAnswer {
  const trace = experiment.traces[chunk.trace];
  const stream = trace.streams[chunk.stream];
  const classes = trace.model.streams[stream.streamClass].events.length;
  const decoded = lostPackets(chunk, stream.cpu, classes);
  return {
    leaves: mapBatch(batchOf(decoded, trace, chunk, set, batchContexts(experiment)[trace.index]), set),
    packets: decoded.packets,
    events: 0,
    faults: [],
    faultCount: 0,
    disorder: [],
    times: { read: 0, decode: 0, map: 0 },
  };
}

function lostPackets(chunk: Chunk, cpu: number, classes: number): DecodedChunk {
  const count = chunk.extents.reduce((sum, extent) => sum + extent.count, 0);
  const none = Float64Array.of(Number.NaN);
  // Packets lost before a packet are lost between the end of the one before it and its begin (`rows.ts`).
  const begin = Number.isFinite(chunk.from) ? Float64Array.of(chunk.from) : none;
  const end = Float64Array.of(chunk.to);
  return {
    rows: NO_ROWS,
    counts: createCounts(classes),
    packets: {
      length: 1,
      firstRow: new Uint32Array(2),
      events: new Float64Array(1),
      begin: end,
      end,
      firstEvent: none,
      lastEvent: none,
      previousEnd: begin,
      discardedEvents: new Float64Array(1),
      lostPackets: Float64Array.of(count),
      damaged: new Uint8Array(1),
      backwards: new Uint32Array(1),
      late: new Uint32Array(1),
      cpu: Int32Array.of(cpu),
    },
    faults: [],
    faultCount: 0,
  };
}
