/**
 * One event of a packet with all that surrounds it: its place, and tapes (`values.ts`) of the packet's header and context, of
 * the event's header and of its body. For an event that somebody looks at: the events before it are decoded to find it.
 */
import type { EventClass, TraceModel } from '../model.ts';
import type { PacketTable } from '../packets/packet-table.ts';
import { createClassLookup, type ClassLookup } from './class-lookup.ts';
import { Machine } from './interpreter.ts';
import { POSITION_LIMIT, registerOfRole } from './program.ts';
import { compileStream, EVERYTHING, type StreamPrograms } from './stream-programs.ts';
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

/** Of packets of one stream class. */
export class EventFinder {
  readonly #programs: StreamPrograms;
  readonly #events: readonly EventClass[];
  readonly #lookup: ClassLookup;
  readonly #machine: Machine;

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
    let number = 0;
    this.walk(bytes, table, packet, (event) => {
      if (number++ < wanted) return true;
      found = event;
      return false;
    });
    return found;
  }

  /**
   * Visits the events of a packet in order, as long as the visitor returns true. Tapes are valid within the visit.
   * @returns bits from the packet's begin to behind the last event that could be decoded; -1: not even the packet's header
   */
  walk(bytes: Uint8Array, table: PacketTable, packet: number, visit: (event: FoundEvent) => boolean): number {
    const { packet: head, eventAlignment } = this.#programs;
    const machine = this.#machine;
    const end = contentEnd(bytes, table, packet);
    machine.begin(bytes, 0, Math.min(table.size[packet], bytes.length), end);
    machine.out = 0;
    if (machine.run(head, 0) < 0) return -1;
    const headerAt = machine.out;
    const tapeAt = (at: number): Tape => ({ words: machine.words, bytes, at });
    let position = table.eventsBits[packet];
    while (position < end) {
      machine.out = headerAt;
      const from = eventAlignment * Math.ceil(position / eventAlignment);
      const ended = this.#decode(from);
      // An event without bits could be there without end.
      if (ended === undefined || ended.to <= position) break;
      position = ended.to;
      const event: FoundEvent = {
        event: this.#events[ended.cls],
        from,
        to: position,
        packet: tapeAt(0),
        header: tapeAt(headerAt),
        body: tapeAt(ended.bodyAt),
      };
      if (!visit(event)) break;
    }
    return position;
  }

  /** The event at a position; undefined: it is damaged, or not there to its end. */
  #decode(from: number): { readonly cls: number; readonly bodyAt: number; readonly to: number } | undefined {
    const machine = this.#machine;
    const { header, body } = this.#programs;
    const begin = machine.run(header, from);
    if (begin < 0) return undefined;
    const cls = this.#lookup.find(machine.registers[ID_REGISTER], machine.registers[ID_REGISTER + 1]);
    if (cls < 0) return undefined;
    const bodyAt = machine.out;
    const to = machine.run(body[cls], begin);
    return to < 0 ? undefined : { cls, bodyAt, to };
  }
}

/** Bits from the packet's begin to the end of its content, as far as it is there and positions go. */
export function contentEnd(bytes: Uint8Array, table: PacketTable, packet: number): number {
  const present = Math.min(table.size[packet], bytes.length);
  return Math.min(table.contentBits[packet], present * 8, POSITION_LIMIT - 1);
}
