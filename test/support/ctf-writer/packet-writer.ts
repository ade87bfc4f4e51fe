/**
 * One packet of a data stream (CTF 1.8.3 section 5): header and context are filled by the roles of their fields, event
 * headers by their shape, sizes when the packet is closed.
 */
import type {
  FieldClass,
  IntegerClass,
  Role,
  StreamClass,
  StructClass,
  TraceModel,
  VariantClass,
} from '../../../src/engine/ctf/model.ts';
import { BitWriter } from './bit-writer.ts';
import { uuidBytes } from './metadata-file.ts';
import { writeStruct, type StructValue, type Value } from './value.ts';

export interface EventToWrite {
  /** Index in `StreamClass.events`. */
  readonly eventClass: number;
  /** Cycles of the stream's clock. */
  readonly time: bigint;
  readonly common?: StructValue;
  readonly specific?: StructValue;
  readonly payload?: StructValue;
}

/** What a packet says of itself; what is undefined is written as 0 where the model has a field for it. */
export interface PacketFrame {
  readonly begin?: bigint;
  readonly end?: bigint;
  readonly discarded?: bigint;
  readonly sequence?: bigint;
  readonly cpu?: number;
  readonly streamId?: bigint;
  /** Values of packet header and context fields without a role. */
  readonly header?: StructValue;
  readonly context?: StructValue;
}

export interface WrittenPacket {
  readonly bytes: Uint8Array;
  readonly contentBits: number;
  readonly frame: PacketFrame;
}

const MAGIC = 0xc1fc1fc1n;

export class PacketWriter {
  readonly #out = new BitWriter();
  readonly #model: TraceModel;
  readonly #stream: StreamClass;
  readonly #frame: PacketFrame;
  /** Where roles with values known only at the end were written. */
  readonly #open: { readonly role: Role; readonly position: number; readonly type: IntegerClass }[] = [];
  #clock: bigint;
  #events = 0;

  constructor(model: TraceModel, stream: StreamClass, frame: PacketFrame) {
    this.#model = model;
    this.#stream = stream;
    this.#frame = frame;
    this.#clock = frame.begin ?? 0n;
    if (model.packetHeader) this.#writeRoles(model.packetHeader, frame.header ?? {});
    if (stream.packetContext) this.#writeRoles(stream.packetContext, frame.context ?? {});
  }

  get events(): number {
    return this.#events;
  }

  /** Bits so far, header and context included. */
  get bits(): number {
    return this.#out.position;
  }

  /** Appends an event; false, and nothing written, when the packet would then have more than `maxBits`. */
  add(event: EventToWrite, maxBits = Infinity): boolean {
    const before = this.#out.position;
    const { eventHeader, eventContext, events } = this.#stream;
    const type = events[event.eventClass];
    if (eventHeader) {
      writeStruct(this.#out, eventHeader, eventHeaderValue(eventHeader, type.id, event.time, this.#clock));
    }
    if (eventContext) writeStruct(this.#out, eventContext, event.common ?? {});
    if (type.context) writeStruct(this.#out, type.context, event.specific ?? {});
    if (type.payload) writeStruct(this.#out, type.payload, event.payload ?? {});
    if (this.#out.position > maxBits && this.#events > 0) {
      this.#out.truncate(before, this.#model.byteOrder);
      return false;
    }
    this.#clock = event.time;
    this.#events++;
    return true;
  }

  /** Appends what `write` writes as one event; it must begin with its header. */
  append(time: bigint, write: (out: BitWriter) => void): void {
    write(this.#out);
    this.#clock = time;
    this.#events++;
  }

  /** The packet, padded to a multiple of `padBytes`; what `last` gives replaces the frame's. */
  close(padBytes = 1, last: Pick<PacketFrame, 'end' | 'discarded'> = {}): WrittenPacket {
    const frame = { ...this.#frame, ...last };
    const contentBits = this.#out.position;
    this.#out.align(padBytes * 8);
    const totalBits = this.#out.position;
    const values: Partial<Record<Role, bigint>> = {
      'packet-content-size': BigInt(contentBits),
      'packet-total-size': BigInt(totalBits),
      'packet-end': frame.end ?? 0n,
      'discarded-events': frame.discarded ?? 0n,
    };
    for (const { role, position, type } of this.#open) {
      this.#out.patch(position, values[role] ?? 0n, type.size, type.byteOrder);
    }
    return { bytes: this.#out.bytes(), contentBits, frame };
  }

  #writeRoles(type: StructClass, given: StructValue): void {
    const values: Record<string, Value> = { ...given };
    for (const { name, type: member } of type.members) {
      const value = this.#roleValue(rolesOf(member));
      if (value !== undefined) values[name] = value;
    }
    this.#out.align(type.align);
    for (const { name, type: member } of type.members) {
      writeStruct(this.#out, { kind: 'struct', align: 1, members: [{ name, type: member }] }, values);
      const role = rolesOf(member).find((each) => OPEN_ROLES.has(each));
      if (role === undefined || member.kind !== 'integer') continue;
      this.#open.push({ role, position: this.#out.position - member.size, type: member });
    }
  }

  #roleValue(roles: readonly Role[]): Value | undefined {
    for (const role of roles) {
      switch (role) {
        case 'packet-magic':
          return MAGIC;
        case 'trace-uuid':
          return uuidBytes(this.#model.uuid);
        case 'stream-class-id':
          return this.#stream.id;
        case 'stream-id':
          return this.#frame.streamId ?? 0n;
        case 'packet-begin':
          return this.#frame.begin ?? 0n;
        case 'packet-sequence':
          return this.#frame.sequence ?? 0n;
        case 'cpu-id':
          return this.#frame.cpu ?? 0;
        default:
          if (OPEN_ROLES.has(role)) return 0n;
      }
    }
    return undefined;
  }
}

const OPEN_ROLES: ReadonlySet<Role> = new Set<Role>([
  'packet-content-size',
  'packet-total-size',
  'packet-end',
  'discarded-events',
]);

function rolesOf(type: FieldClass): readonly Role[] {
  return ('roles' in type ? type.roles : undefined) ?? [];
}

function hasRole(type: FieldClass, role: Role): boolean {
  return rolesOf(type).includes(role);
}

/**
 * Values of an event header. With a variant (LTTng's compact and large headers) the first option that can hold id and
 * time is taken: one without an id of its own needs the id among its tags, a short clock needs a short step.
 */
function eventHeaderValue(header: StructClass, id: bigint, time: bigint, clock: bigint): StructValue {
  const values: Record<string, Value> = {};
  let tag = id;
  for (const { name, type } of header.members) {
    if (type.kind !== 'variant') continue;
    const option = type.options.findIndex((_, index) => holds(type, index, id, time - clock));
    if (option < 0) throw new Error(`no event header for id ${id} after ${time - clock} cycles`);
    const taken = type.options[option];
    const struct = taken.type as StructClass;
    if (struct.members.some((member) => hasRole(member.type, 'event-class-id'))) tag = taken.ranges[0].from;
    values[name] = { option, value: filled(struct, id, time) };
  }
  return { ...filled(header, tag, time), ...values };
}

function filled(type: StructClass, id: bigint, time: bigint): StructValue {
  const values: Record<string, Value> = {};
  for (const { name, type: member } of type.members) {
    if (hasRole(member, 'event-class-id')) values[name] = id;
    else if (hasRole(member, 'timestamp')) values[name] = time;
  }
  return values;
}

function holds(variant: VariantClass, index: number, id: bigint, step: bigint): boolean {
  const { type, ranges } = variant.options[index];
  if (type.kind !== 'struct') return false;
  const own = type.members.find((member) => hasRole(member.type, 'event-class-id'))?.type as
    IntegerClass | undefined;
  const known = own ? id < 1n << BigInt(own.size) : ranges.some(({ from, to }) => from <= id && id <= to);
  const clock = type.members.find((member) => hasRole(member.type, 'timestamp'))?.type as
    IntegerClass | undefined;
  return (
    known && (clock === undefined || clock.size === 64 || (step >= 0n && step < 1n << BigInt(clock.size)))
  );
}
