/** Data stream files → packets and events with all their values (CTF 1.8.3 section 5). Throws where they are damaged. */
import type { EventClass, FieldClass, Role, StructClass, TraceModel } from '../../../src/engine/ctf/model.ts';
import type { Choice, StructValue, Value } from '../ctf-writer/value.ts';
import { BitReader, type Mark } from './bit-reader.ts';
import { isClockOrCounter, readerOf, type IsMarked, type Selectors } from './field-reader.ts';

export interface EventRead {
  /** Index in `StreamClass.events`. */
  readonly eventClass: number;
  /** Cycles, full width. */
  readonly time: bigint;
  /** Bits from the packet's begin: before the alignment of its header, and behind its last field. */
  readonly from: number;
  readonly to: number;
  readonly header: StructValue;
  readonly common: StructValue;
  readonly specific: StructValue;
  readonly payload: StructValue;
}

export interface PacketRead {
  /** Index in `TraceModel.streams`. */
  readonly streamClass: number;
  /** The whole packet, padding included. */
  readonly bytes: Uint8Array;
  readonly contentBits: number;
  readonly header: StructValue;
  readonly context: StructValue;
  /** Values of header and context by role. */
  readonly roles: ReadonlyMap<Role, bigint>;
  /** Integers of the packet and its events that were to be marked. */
  readonly marks: readonly Mark[];
  readonly events: readonly EventRead[];
}

type ReadScope = (from: BitReader) => StructValue;

interface StreamReader {
  readonly context: ReadScope;
  readonly header: ReadScope;
  readonly common: ReadScope;
  readonly events: ReadonlyMap<
    bigint,
    { readonly index: number; readonly specific: ReadScope; readonly payload: ReadScope }
  >;
}

const nothing: ReadScope = () => ({});

/** Reads files of one trace. */
export class PacketReader {
  readonly #model: TraceModel;
  readonly #header: ReadScope;
  readonly #streams: readonly StreamReader[];
  #marks: readonly Mark[] = [];

  /** @param isMarked default: whole clock values and counters */
  constructor(model: TraceModel, isMarked: IsMarked = isClockOrCounter) {
    const selectors: Selectors = new Map();
    const scope = (type: StructClass | undefined, name: Parameters<typeof readerOf>[1]): ReadScope =>
      type ? readerOf(type, name, selectors, isMarked) : nothing;
    this.#model = model;
    this.#header = scope(model.packetHeader, 'packet-header');
    this.#streams = model.streams.map((stream) => ({
      context: scope(stream.packetContext, 'packet-context'),
      header: scope(stream.eventHeader, 'event-header'),
      common: scope(stream.eventContext, 'event-common-context'),
      events: new Map(
        stream.events.map((event: EventClass, index) => [
          event.id,
          {
            index,
            specific: scope(event.context, 'event-context'),
            payload: scope(event.payload, 'event-payload'),
          },
        ]),
      ),
    }));
  }

  /** Of the packet that was read last, also where its end could not be. */
  get marks(): readonly Mark[] {
    return this.#marks;
  }

  /** The packets of a data stream file, one after the other. */
  *packets(file: Uint8Array): Generator<PacketRead, void> {
    for (let offset = 0; offset < file.length;) {
      const packet = this.#packet(file.subarray(offset));
      yield packet;
      offset += packet.bytes.length;
    }
  }

  #packet(rest: Uint8Array): PacketRead {
    const from = new BitReader(rest);
    this.#marks = from.marks;
    const roles = new Map<Role, bigint>();
    const { packetHeader, streams } = this.#model;
    const header = this.#header(from);
    if (packetHeader) collectRoles(packetHeader, header, roles);
    const id = roles.get('stream-class-id');
    const streamClass = id === undefined ? 0 : streams.findIndex((stream) => stream.id === id);
    const stream = streams[streamClass];
    const context = this.#streams[streamClass].context(from);
    if (stream.packetContext) collectRoles(stream.packetContext, context, roles);
    const totalBits = Number(
      roles.get('packet-total-size') ?? roles.get('packet-content-size') ?? rest.length * 8,
    );
    const contentBits = Number(roles.get('packet-content-size') ?? totalBits);
    const events = [...this.#events(from, streamClass, contentBits, roles.get('packet-begin') ?? 0n)];
    const bytes = rest.subarray(0, totalBits / 8);
    return { streamClass, bytes, contentBits, header, context, roles, marks: from.marks, events };
  }

  *#events(from: BitReader, streamClass: number, end: number, begin: bigint): Generator<EventRead, void> {
    const reader = this.#streams[streamClass];
    const { eventHeader } = this.#model.streams[streamClass];
    let clock = begin;
    while (from.position < end) {
      const start = from.position;
      const header = reader.header(from);
      const { id, time } = headerKind(eventHeader, header, clock);
      clock = time;
      const event = reader.events.get(id);
      if (event === undefined) throw new RangeError(`no event class ${id}`);
      const common = reader.common(from);
      const specific = event.specific(from);
      const payload = event.payload(from);
      if (from.position === start) throw new RangeError('an event without bits would be read for ever');
      yield {
        eventClass: event.index,
        time,
        from: start,
        to: from.position,
        header,
        common,
        specific,
        payload,
      };
    }
  }
}

function collectRoles(type: StructClass, value: StructValue, into: Map<Role, bigint>): void {
  for (const { name, type: member } of type.members) {
    if (member.kind !== 'integer') continue;
    for (const role of member.roles ?? []) into.set(role, BigInt(value[name] as number | bigint));
  }
}

/** Event class and time: the last field with each role counts, so that an extended header overrides the compact one. */
function headerKind(
  type: StructClass | undefined,
  value: StructValue,
  clock: bigint,
): { id: bigint; time: bigint } {
  const kind = { id: 0n, time: clock };
  const visit = (field: FieldClass, fieldValue: Value): void => {
    if (field.kind === 'struct') {
      for (const { name, type: member } of field.members) visit(member, (fieldValue as StructValue)[name]);
    } else if (field.kind === 'variant') {
      const { option, value: taken } = fieldValue as Choice;
      visit(field.options[option].type, taken);
    } else if (field.kind === 'integer') {
      if (field.roles?.includes('event-class-id')) kind.id = BigInt(fieldValue as number | bigint);
      if (field.roles?.includes('timestamp')) {
        kind.time = advance(kind.time, BigInt(fieldValue as number | bigint), field.size);
      }
    }
  };
  if (type) visit(type, value);
  return kind;
}

/** The time whose low `size` bits are `low`, not before `clock`. */
function advance(clock: bigint, low: bigint, size: number): bigint {
  if (size === 64) return low;
  const step = BigInt.asUintN(size, low - clock);
  return clock + step;
}
