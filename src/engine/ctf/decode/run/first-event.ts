/**
 * Time of a packet's first event. Its header gives the class, and programs are compiled for that class alone:
 * compiling all would delay the first look at a trace.
 */
import type { TraceModel } from '../../model.ts';
import { contentEnd } from '../rows/event-finder.ts';
import { createChunkDecoder, type ChunkDecoder } from '../chunk-decoder.ts';
import type { ChunkExtent } from '../decoder-input.ts';
import { createClassLookup } from './class-lookup.ts';
import type { ClockMap } from './clock-map.ts';
import { Machine } from './interpreter.ts';
import { registerOfRole } from '../program/program.ts';
import { compileStream } from '../program/stream-programs.ts';
import { TickClock } from './tick-clock.ts';

const NO_ROWS = { kinds: [] };
const ID_REGISTER = 2 * registerOfRole('event-class-id');

/** HostNs of the first event of an extent of one packet; `bytes` may be its beginning only. NaN: the event is not complete. */
export type FirstEventFinder = (bytes: Uint8Array, extent: ChunkExtent) => number;

/** @param streamClass index in `model.streams`, that of the packets */
export function createFirstEventFinder(
  model: TraceModel,
  streamClass: number,
  map: ClockMap,
): FirstEventFinder {
  const programs = compileStream(withClasses(model, streamClass, []), streamClass, NO_ROWS);
  const lookup = createClassLookup(model.streams[streamClass]);
  const clock = new TickClock(map);
  const machine = new Machine(programs.code, programs.registers, clock);
  /** Decoders by event class. */
  const decoders = new Map<number, ChunkDecoder>();

  /** -1: the header is not complete, or no class has its id. */
  const classOf = (bytes: Uint8Array, { table, first: packet }: ChunkExtent): number => {
    const { packet: head, header, eventAlignment } = programs;
    const present = Math.min(table.size[packet], bytes.length);
    machine.begin(bytes, 0, present, contentEnd(bytes, table, packet));
    machine.run(head, 0);
    clock.set(table.begin[packet]);
    const begin = eventAlignment * Math.ceil(table.eventsBits[packet] / eventAlignment);
    if (machine.run(header, begin) < 0) return -1;
    return lookup.find(machine.registers[ID_REGISTER], machine.registers[ID_REGISTER + 1]);
  };
  const decoderOf = (cls: number): ChunkDecoder => {
    const known =
      decoders.get(cls) ??
      createChunkDecoder(withClasses(model, streamClass, [cls]), streamClass, NO_ROWS, map);
    decoders.set(cls, known);
    return known;
  };

  return (bytes, extent) => {
    const cls = classOf(bytes, extent);
    return cls < 0 ? Number.NaN : decoderOf(cls).decode({ bytes, extents: [extent] }).packets.firstEvent[0];
  };
}

/** The same model, with only these event classes in the stream class. */
function withClasses(model: TraceModel, streamClass: number, classes: readonly number[]): TraceModel {
  const stream = model.streams[streamClass];
  const events = classes.map((cls) => stream.events[cls]);
  return { ...model, streams: model.streams.with(streamClass, { ...stream, events }) };
}
