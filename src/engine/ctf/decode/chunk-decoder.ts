/**
 * Decodes the packets of a chunk into rows, counts and packet spans (`rows.ts`; spec 02 sections 3, 6 and 7).
 * One decoder serves all chunks of a stream class; its loops are specialised by V8 for the one request they see.
 */
import type { Fault } from '../../base/fault.ts';
import type { TraceModel } from '../model.ts';
import type { PacketTable } from '../packets/packet-table.ts';
import type { ClockMap } from './clock-map.ts';
import { createCounts } from './class-counts.ts';
import { createMachine } from './interpreter.ts';
import { createPacketLoop } from './packet-loop.ts';
import { createSpans, type PacketBefore } from './packet-spans.ts';
import { RowBuffer } from './row-buffer.ts';
import type { DecodedChunk, DecodeRequest } from './rows.ts';
import { compileStream, type EVERYTHING } from './stream-programs.ts';
import { createTickClock } from './tick-clock.ts';

/** Consecutive packets of one file, in the chunk's bytes. */
export interface ChunkExtent {
  readonly table: PacketTable;
  readonly first: number;
  readonly count: number;
  /** Where in `ChunkInput.bytes` packet `first` begins. */
  readonly byteOffset: number;
  /** Path for messages. */
  readonly path: string;
}

export interface ChunkInput {
  /** The bytes of all extents; `DecodedChunk.rows.bytes` is this buffer. */
  readonly bytes: Uint8Array;
  readonly extents: readonly ChunkExtent[];
  /** The packet before the first one in the stream; undefined: there is none. */
  readonly before?: PacketBefore;
  /** TimeNs, half-open: only events within are counted (in `counts` and `packets`); rows are given of all. */
  readonly window?: { readonly from: number; readonly to: number };
}

export interface ChunkDecoder {
  /** The rows are valid until the next call. */
  decode(input: ChunkInput): DecodedChunk;
}

/** Faults kept per chunk; the others are counted. */
const FAULTS_KEPT = 100;

/**
 * @param streamClass index in `model.streams`; all chunks are of streams of this class
 * @param request what rows are wanted, or EVERYTHING for tapes of all values
 * @param clock how cycles become TimeNs; undefined: no times
 */
export function createChunkDecoder(
  model: TraceModel,
  streamClass: number,
  request: DecodeRequest | typeof EVERYTHING,
  clock: ClockMap | undefined,
): ChunkDecoder {
  const programs = compileStream(model, streamClass, request);
  const stream = model.streams[streamClass];
  const ticks = clock === undefined || stream.clock === undefined ? undefined : createTickClock(clock);
  const machine = createMachine(programs.code, programs.registers, ticks);
  const rows = new RowBuffer(machine);
  const loop = createPacketLoop(stream, programs, machine, ticks);

  return {
    decode({ bytes, extents, before, window }) {
      const packets = extents.reduce((sum, extent) => sum + extent.count, 0);
      const faults: Fault[] = [];
      let faultCount = 0;
      const counts = createCounts(stream.events.length);
      rows.clear();
      const spans = createSpans(packets, ticks === undefined ? undefined : clock, before);
      if (before?.clock !== undefined) ticks?.set(before.clock);
      for (const { table, first, count, byteOffset, path } of extents) {
        for (let packet = first; packet < first + count; packet++) {
          const offset = byteOffset + table.offset[packet] - table.offset[first];
          spans.begin(table, packet, rows.length);
          const fault = loop.decode({ bytes, offset, table, packet, window }, rows, counts);
          spans.end(loop.outcome);
          if (fault === undefined) continue;
          faultCount++;
          const place = { file: path, packet, ...fault.place };
          if (faults.length < FAULTS_KEPT) faults.push({ ...fault, place });
        }
      }
      loop.finish(counts);
      return {
        rows: rows.rows(bytes),
        counts,
        packets: spans.finish(rows.length),
        faults,
        faultCount,
        clock: ticks?.value(),
      };
    },
  };
}
