/**
 * The time of a packet's first event. Its header gives the class, and programs are compiled for that class alone: those
 * of all classes take longer than a trace that is only looked at should wait.
 */
import type { TraceModel } from '../../model.ts';
import type { PacketTable } from '../../packets/packet-table.ts';
import { createChunkDecoder, type ChunkDecoder } from '../chunk-decoder.ts';
import type { ChunkExtent } from '../decoder-input.ts';
import { createClassLookup, type ClassLookup } from './class-lookup.ts';
import type { ClockMap } from './clock-map.ts';
import { Machine } from './interpreter.ts';
import { POSITION_LIMIT, registerOfRole } from '../program/program.ts';
import { compileStream, type StreamPrograms } from '../program/stream-programs.ts';
import { TickClock } from './tick-clock.ts';

const NO_ROWS = { kinds: [] };
const ID_REGISTER = 2 * registerOfRole('event-class-id');

/** Finder of first events in packets of one stream class. */
export class FirstEventFinder {
  readonly #model: TraceModel;
  readonly #streamClass: number;
  readonly #map: ClockMap;
  /** Without event classes. */
  readonly #programs: StreamPrograms;
  readonly #lookup: ClassLookup;
  readonly #clock: TickClock;
  readonly #machine: Machine;
  /** Decoders by event class. */
  readonly #decoders = new Map<number, ChunkDecoder>();

  /** @param streamClass index in `model.streams` */
  constructor(model: TraceModel, streamClass: number, clock: ClockMap) {
    this.#model = model;
    this.#streamClass = streamClass;
    this.#map = clock;
    this.#programs = compileStream(withClasses(model, streamClass, []), streamClass, NO_ROWS);
    this.#lookup = createClassLookup(model.streams[streamClass]);
    this.#clock = new TickClock(clock);
    this.#machine = new Machine(this.#programs.code, this.#programs.registers, this.#clock);
  }

  /**
   * HostNs of the first event of an extent's first packet; NaN: it is not there to its end.
   * @param bytes what is there of the packet, from its begin on
   */
  find(bytes: Uint8Array, { table, first, path }: ChunkExtent): number {
    const cls = this.#classOf(bytes, table, first);
    if (cls < 0) return Number.NaN;
    const extent = { table, first, count: 1, byteOffset: 0, path };
    const { packets } = this.#decoderOf(cls).decode({ bytes, extents: [extent] });
    return packets.firstEvent[0];
  }

  /** -1: the header is not there, or its id is that of no class. */
  #classOf(bytes: Uint8Array, table: PacketTable, packet: number): number {
    const { packet: head, header, eventAlignment } = this.#programs;
    const machine = this.#machine;
    const present = Math.min(table.size[packet], bytes.length);
    machine.begin(bytes, 0, present, Math.min(table.contentBits[packet], present * 8, POSITION_LIMIT - 1));
    machine.run(head, 0);
    this.#clock.set(table.begin[packet]);
    const begin = eventAlignment * Math.ceil(table.eventsBits[packet] / eventAlignment);
    if (machine.run(header, begin) < 0) return -1;
    return this.#lookup.find(machine.registers[ID_REGISTER], machine.registers[ID_REGISTER + 1]);
  }

  #decoderOf(cls: number): ChunkDecoder {
    const known = this.#decoders.get(cls);
    if (known !== undefined) return known;
    const model = withClasses(this.#model, this.#streamClass, [cls]);
    const made = createChunkDecoder(model, this.#streamClass, NO_ROWS, this.#map);
    this.#decoders.set(cls, made);
    return made;
  }
}

/** The same model, the stream class with these event classes alone. */
function withClasses(model: TraceModel, streamClass: number, classes: readonly number[]): TraceModel {
  const streams = model.streams.map((stream, index) =>
    index === streamClass ? { ...stream, events: classes.map((cls) => stream.events[cls]) } : stream,
  );
  return { ...model, streams };
}
