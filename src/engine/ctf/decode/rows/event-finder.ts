/**
 * Finds one event of a packet for display: its place, and tapes (`values.ts`) of the packet's header and context, of
 * the event's header and of its body. All events before it are decoded.
 */
import type { EventClass, TraceModel } from '../../model.ts';
import type { PacketTable } from '../../packets/packet-table.ts';
import { createClassLookup, type ClassLookup } from '../run/class-lookup.ts';
import { Machine } from '../run/interpreter.ts';
import { POSITION_LIMIT, registerOfRole } from '../program/program.ts';
import { compileStream, EVERYTHING, type StreamPrograms } from '../program/stream-programs.ts';
import type { Tape } from './values.ts';

const ID_REGISTER = 2 * registerOfRole('event-class-id');

export interface FoundEvent {
  readonly event: EventClass;
  /** Bits from the packet's begin, half-open: header, contexts and payload. */
  readonly from: number;
  readonly to: number;
  /** Packet header, then packet context. */
  readonly packet: Tape;
  readonly header: Tape;
  /** Common context, specific context, payload. */
  readonly body: Tape;
}

/** Finder of events in packets of one stream class. */
export class EventFinder {
  readonly #programs: StreamPrograms;
  readonly #events: readonly EventClass[];
  readonly #lookup: ClassLookup;
  readonly #machine: Machine;
  /** Event that was decoded last: index in `#events`, and place of its body on the tape. */
  #class = -1;
  #bodyAt = 0;

  /** @param streamClass index in `model.streams` */
  constructor(model: TraceModel, streamClass: number) {
    this.#programs = compileStream(model, streamClass, EVERYTHING, { kind: 'tape' });
    this.#events = model.streams[streamClass].events;
    this.#lookup = createClassLookup(model.streams[streamClass]);
    this.#machine = new Machine(this.#programs.code, this.#programs.registers, undefined);
  }

  /**
   * The tapes are valid until the next call.
   * @param bytes of the packet
   * @param wanted number of the event within the packet
   * @returns undefined: the packet ends before, or is damaged before; or the event is 2^31 bits or more behind its begin
   */
  find(bytes: Uint8Array, table: PacketTable, packet: number, wanted: number): FoundEvent | undefined {
    let found: FoundEvent | undefined;
    const take = (event: FoundEvent): boolean => {
      found = event;
      return false;
    };
    this.walk(bytes, table, packet, take, wanted);
    return found;
  }

  /**
   * Visits the events of a packet in order as long as the visitor returns true. Tapes are valid within the visit.
   * @param first number of the first event that is visited; those before it are skipped
   * @returns bits from the packet's begin to the end of the last event that could be decoded; -1: not even the
   * packet's header
   */
  walk(
    bytes: Uint8Array,
    table: PacketTable,
    packet: number,
    visit: (event: FoundEvent) => boolean,
    first = 0,
  ): number {
    const { packet: head, eventAlignment } = this.#programs;
    const machine = this.#machine;
    const end = contentEnd(bytes, table, packet);
    machine.begin(bytes, 0, Math.min(table.size[packet], bytes.length), end);
    machine.out = 0;
    if (machine.run(head, 0) < 0) return -1;
    const headerAt = machine.out;
    const tapeAt = (at: number): Tape => ({ words: machine.words, bytes, at });
    let position = table.eventsBits[packet];
    for (let number = 0; position < end; number++) {
      machine.out = headerAt;
      const from = eventAlignment * Math.ceil(position / eventAlignment);
      const to = this.#decode(from);
      // Events without bits would never end.
      if (to <= position) break;
      position = to;
      if (number < first) continue;
      const event: FoundEvent = {
        event: this.#events[this.#class],
        from,
        to: position,
        packet: tapeAt(0),
        header: tapeAt(headerAt),
        body: tapeAt(this.#bodyAt),
      };
      if (!visit(event)) break;
    }
    return position;
  }

  /** Decodes the event at a position. @returns its end, in bits; -1: it is damaged or not complete */
  #decode(from: number): number {
    const machine = this.#machine;
    const { header, body } = this.#programs;
    const begin = machine.run(header, from);
    if (begin < 0) return -1;
    this.#class = this.#lookup.find(machine.registers[ID_REGISTER], machine.registers[ID_REGISTER + 1]);
    if (this.#class < 0) return -1;
    this.#bodyAt = machine.out;
    return machine.run(body[this.#class], begin);
  }
}

/** Bits from the packet's begin to the end of its content, bounded by the bytes that are there and the largest position. */
export function contentEnd(bytes: Uint8Array, table: PacketTable, packet: number): number {
  const present = Math.min(table.size[packet], bytes.length);
  return Math.min(table.contentBits[packet], present * 8, POSITION_LIMIT - 1);
}
