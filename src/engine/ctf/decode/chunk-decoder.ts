/**
 * Decodes the packets of a chunk into rows, counts and packet spans (`rows.ts`), with generated code where there is
 * WebAssembly. One decoder serves all chunks of a stream class; its loops are specialised by V8 for the one request
 * they see.
 */
import { assert } from '../../base/assert.ts';
import type { Fault } from '../../base/fault.ts';
import type { StreamClass, TraceModel } from '../model.ts';
import { packetNumber } from '../packets/packet-table.ts';
import { type ChunkInput, HAND_OVER, type PacketDecoder } from './decoder-input.ts';
import type { ClockMap } from './run/clock-map.ts';
import { compileDecoder, type DecoderCode } from './decoder-code.ts';
import { Machine } from './run/interpreter.ts';
import { PacketLoop } from './run/packet-loop.ts';
import { CountSums } from './rows/class-counts.ts';
import { createSpans } from './rows/packet-spans.ts';
import type { DecodedChunk, DecodeRequest } from './rows/rows.ts';
import { missingRows, spreadRows } from './rows/shared-events.ts';
import type { EVERYTHING } from './program/stream-programs.ts';
import { TickClock } from './run/tick-clock.ts';
import type { DecodeMemory } from './wasm/decode-memory.ts';
import { WasmDecoder } from './wasm/wasm-decoder.ts';

export interface ChunkDecoder {
  /** Executor that decodes first. */
  readonly executor: 'wasm' | 'ts';
  /** Chunks that generated code left to the interpreter. */
  readonly handedOver: number;
  /** The rows are valid until the next call, of any decoder with the same memory. */
  decode(input: ChunkInput): DecodedChunk;
}

/**
 * Least mean size of a chunk's packets, bytes, at which classes are also counted by packet: the counts then take
 * about a hundredth of the bytes of the trace.
 */
const MEAN_PACKET = 2 ** 15;

/** Faults kept per chunk; the others are counted. */
const FAULTS_KEPT = 100;

/**
 * @param streamClass index in `model.streams`; all chunks are of streams of this class
 * @param request what rows are wanted, or EVERYTHING for tapes of all values
 * @param clock how cycles become HostNs; undefined: no times
 * @param memory of generated code; undefined: the interpreter decodes
 */
export function createChunkDecoder(
  model: TraceModel,
  streamClass: number,
  request: DecodeRequest | typeof EVERYTHING,
  clock: ClockMap | undefined,
  memory?: DecodeMemory,
): ChunkDecoder {
  const code = compileDecoder(model, streamClass, request, clock, memory !== undefined);
  return openDecoder(model.streams[streamClass], code, clock, memory);
}

/** The decoder of `createChunkDecoder`. @param code made of the stream class, with the same clock */
export function openDecoder(
  stream: StreamClass,
  { programs, module }: DecoderCode,
  clock: ClockMap | undefined,
  memory: DecodeMemory | undefined,
): ChunkDecoder {
  const ticks = clock === undefined || stream.clock === undefined ? undefined : new TickClock(clock);
  const machine = new Machine(programs.code, programs.registers, ticks);
  const generated = memory && module && new WasmDecoder(stream, programs, module, machine, ticks, memory);
  let interpreter: PacketDecoder | undefined;
  let handedOver = 0;

  /** undefined: the decoder handed it over. */
  const decodeWith = (decoder: PacketDecoder, input: ChunkInput): DecodedChunk | undefined => {
    const { bytes, extents, before, floor, window, repeats } = input;
    const packets = extents.reduce((sum, extent) => sum + extent.count, 0);
    const faults: Fault[] = [];
    let faultCount = 0;
    const spans = createSpans(packets, ticks === undefined ? undefined : clock, before, floor);
    const sums = new CountSums(stream.events.length);
    const countsPackets =
      ticks !== undefined && window === undefined && bytes.length >= packets * MEAN_PACKET;
    if (!decoder.begin(input)) return undefined;
    for (const { table, first, count, byteOffset, path } of extents) {
      for (let packet = first; packet < first + count; packet++) {
        const offset = byteOffset + table.offset[packet] - table.offset[first];
        const times = spans.begin(table, packet, decoder.rowCount);
        const fault = decoder.decode({
          bytes,
          offset,
          table,
          packet,
          times,
          window,
          repeats: repeats?.filter(({ cpu }) => cpu === table.cpu[packet]),
        });
        if (fault === HAND_OVER) return undefined;
        spans.end(decoder.outcome, fault === undefined);
        if (countsPackets) {
          decoder.count(sums);
          sums.endPacket(decoder.outcome.firstEvent);
        }
        if (fault === undefined) continue;
        faultCount++;
        const place = { file: path, packet: packetNumber(table, packet), ...fault.place };
        if (faults.length < FAULTS_KEPT) faults.push({ ...fault, place });
      }
    }
    const { rowCount } = decoder;
    let rows = decoder.finish(bytes);
    const missing = missingRows(rows, programs.shared);
    if (missing > 0) {
      if (!decoder.addRows(missing)) return undefined;
      rows = decoder.finish(bytes);
    }
    if (!countsPackets) decoder.count(sums);
    const counts = { ...sums.counts, ...(countsPackets && { packets: sums.packets }) };
    if (ticks === undefined) for (const times of [counts.first, counts.last]) times.fill(Number.NaN);
    const packetSpans = spans.finish(rowCount);
    if (missing > 0) spreadRows(rows, packetSpans.firstRow, missing, programs.shared);
    return { rows, counts, packets: packetSpans, faults, faultCount };
  };

  return {
    executor: generated === undefined ? 'ts' : 'wasm',
    get handedOver() {
      return handedOver;
    },
    decode(input) {
      // Generated code leaves nothing out.
      const decoded = input.repeats === undefined ? generated && decodeWith(generated, input) : undefined;
      if (decoded !== undefined) return decoded;
      if (generated !== undefined) handedOver++;
      interpreter ??= new PacketLoop(stream, programs, machine, ticks);
      const interpreted = decodeWith(interpreter, input);
      assert(interpreted !== undefined, 'the interpreter decodes everything');
      return interpreted;
    },
  };
}
