/**
 * The class of a packet's first event, by its header alone: programs of all classes take longer to compile than a trace
 * that is only looked at should wait.
 */
import type { TraceModel } from '../model.ts';
import type { PacketTable } from '../packets/packet-table.ts';
import { createClassLookup, type ClassLookup } from './class-lookup.ts';
import type { ClockMap } from './clock-map.ts';
import { Machine } from './interpreter.ts';
import { POSITION_LIMIT, registerOfRole } from './program.ts';
import { compileStream, type StreamPrograms } from './stream-programs.ts';
import { TickClock } from './tick-clock.ts';

const ID_REGISTER = 2 * registerOfRole('event-class-id');

/** Of the packets of one stream class. */
export class FirstClassFinder {
  readonly #programs: StreamPrograms;
  readonly #lookup: ClassLookup;
  readonly #clock: TickClock;
  readonly #machine: Machine;

  /** @param streamClass index in `model.streams` */
  constructor(model: TraceModel, streamClass: number, clock: ClockMap) {
    this.#programs = compileStream(withClasses(model, streamClass, []), streamClass, { meanings: [] });
    this.#lookup = createClassLookup(model.streams[streamClass]);
    this.#clock = new TickClock(clock);
    this.#machine = new Machine(this.#programs.code, this.#programs.registers, this.#clock);
  }

  /**
   * Index in `StreamClass.events`; -1: the header is not there, or its id is that of none.
   * @param bytes what is there of the packet, from its begin on
   */
  find(bytes: Uint8Array, table: PacketTable, packet: number): number {
    const { packet: head, header, eventAlignment } = this.#programs;
    const machine = this.#machine;
    const present = Math.min(table.size[packet], bytes.length);
    const content = Math.min(table.contentBits[packet], present * 8, POSITION_LIMIT - 1);
    machine.begin(bytes, 0, present, content);
    machine.run(head, 0);
    this.#clock.set(table.begin[packet]);
    const begin = eventAlignment * Math.ceil(table.eventsBits[packet] / eventAlignment);
    if (machine.run(header, begin) < 0) return -1;
    return this.#lookup.find(machine.registers[ID_REGISTER], machine.registers[ID_REGISTER + 1]);
  }
}

/** The same model, the stream class with these event classes alone. */
export function withClasses(model: TraceModel, streamClass: number, classes: readonly number[]): TraceModel {
  const streams = model.streams.map((stream, index) =>
    index === streamClass ? { ...stream, events: classes.map((cls) => stream.events[cls]) } : stream,
  );
  return { ...model, streams };
}
