/** Short ways to write field classes and whole models, LTTng's among them. Everything little-endian unless told. */
import type {
  ByteOrder,
  ClockClass,
  EventClass,
  FieldClass,
  IntegerClass,
  Role,
  StreamClass,
  StringClass,
  StructClass,
  TextArrayClass,
  TraceModel,
  VariantClass,
} from '../../../src/engine/ctf/model.ts';

export function integer(size: number, more: Partial<IntegerClass> = {}): IntegerClass {
  const align = size % 8 === 0 ? 8 : 1;
  return { kind: 'integer', size, signed: false, byteOrder: 'le', align, base: 10, ...more };
}

export function signed(size: number, more: Partial<IntegerClass> = {}): IntegerClass {
  return integer(size, { signed: true, ...more });
}

/** Null-terminated UTF-8. */
export const text: StringClass = { kind: 'string', encoding: 'utf-8', align: 8 };

/** UTF-8 in `length` bytes, filled up with nulls. */
export function fixedText(length: number): TextArrayClass {
  return { kind: 'text', length, encoding: 'utf-8', align: 8 };
}

export function struct(members: Readonly<Record<string, FieldClass>>, align = 1): StructClass {
  const list = Object.entries(members).map(([name, type]) => ({ name, type }));
  const least = list.reduce((max, { type }) => Math.max(max, 'align' in type ? type.align : 1), align);
  return { kind: 'struct', members: list, align: least };
}

function withRole(type: IntegerClass, ...roles: readonly Role[]): IntegerClass {
  return { ...type, roles };
}

/** The packet header of LTTng: magic, uuid, stream_id, stream_instance_id. */
export function lttngPacketHeader(byteOrder: ByteOrder = 'le'): StructClass {
  return struct({
    magic: withRole(integer(32, { byteOrder, base: 16 }), 'packet-magic'),
    uuid: { kind: 'array', length: 16, element: integer(8, { byteOrder }), align: 8, roles: ['trace-uuid'] },
    stream_id: withRole(integer(32, { byteOrder }), 'stream-class-id'),
    stream_instance_id: withRole(integer(64, { byteOrder }), 'stream-id'),
  });
}

/** The packet context of LTTng; times in clock 0. */
export function lttngPacketContext(byteOrder: ByteOrder = 'le'): StructClass {
  const clock = { byteOrder, clock: 0 };
  return struct({
    timestamp_begin: withRole(integer(64, clock), 'packet-begin'),
    timestamp_end: withRole(integer(64, clock), 'packet-end'),
    content_size: withRole(integer(64, { byteOrder }), 'packet-content-size'),
    packet_size: withRole(integer(64, { byteOrder }), 'packet-total-size'),
    packet_seq_num: withRole(integer(64, { byteOrder }), 'packet-sequence'),
    events_discarded: withRole(integer(64, { byteOrder }), 'discarded-events'),
    cpu_id: withRole(integer(32, { byteOrder }), 'cpu-id'),
  });
}

/**
 * LTTng's event headers: `compact` has a 5-bit id and a 27-bit time, `large` 16 and 32 bits; both have an `extended`
 * form with 32-bit id and 64-bit time, chosen by the tag's greatest value.
 */
export function lttngEventHeader(shape: 'compact' | 'large', byteOrder: ByteOrder = 'le'): StructClass {
  const [idBits, timeBits] = shape === 'compact' ? [5, 27] : [16, 32];
  const last = (1n << BigInt(idBits)) - 1n;
  const align = shape === 'compact' ? 1 : 8;
  const clock = { byteOrder, clock: 0 };
  const labels = [
    { label: 'compact', from: 0n, to: last - 1n },
    { label: 'extended', from: last, to: last },
  ];
  const choice: VariantClass = {
    kind: 'variant',
    tag: { scope: 'event-header', steps: [0], text: 'id' },
    options: [
      {
        name: 'compact',
        type: struct({ timestamp: withRole(integer(timeBits, { ...clock, align }), 'timestamp') }),
        ranges: [{ from: 0n, to: last - 1n }],
      },
      {
        name: 'extended',
        type: struct({
          id: withRole(integer(32, { byteOrder }), 'event-class-id'),
          timestamp: withRole(integer(64, clock), 'timestamp'),
        }),
        ranges: [{ from: last, to: last }],
      },
    ],
  };
  const id = withRole(integer(idBits, { byteOrder, align, labels }), 'event-class-id');
  return struct({ id, v: choice }, 8);
}

/** As most machines have one: nanoseconds since their boot, some time in 2023. */
export function monotonicClock(uuid: string): ClockClass {
  return {
    name: 'monotonic',
    uuid,
    frequency: 1_000_000_000n,
    offsetSeconds: 1_700_000_000n,
    offsetCycles: 0n,
    absolute: false,
  };
}

export interface LttngTrace {
  readonly uuid: string;
  readonly clock: ClockClass;
  readonly environment: Readonly<Record<string, string | number>>;
  readonly header: 'compact' | 'large';
  readonly byteOrder?: ByteOrder;
  /** Name → payload; ids are given in order. */
  readonly events: Readonly<Record<string, StructClass>>;
  readonly eventContext?: StructClass;
}

/** A model as LTTng writes it, with one stream class. */
export function lttngModel(trace: LttngTrace): TraceModel {
  const byteOrder = trace.byteOrder ?? 'le';
  const events: EventClass[] = Object.entries(trace.events).map(([name, payload], index) => ({
    id: BigInt(index),
    name,
    payload,
  }));
  const stream: StreamClass = {
    id: 0n,
    packetContext: lttngPacketContext(byteOrder),
    eventHeader: lttngEventHeader(trace.header, byteOrder),
    eventContext: trace.eventContext,
    clock: 0,
    events,
  };
  return {
    version: '1.8',
    uuid: trace.uuid,
    byteOrder,
    environment: Object.entries(trace.environment).map(([name, value]) => ({
      name,
      value: typeof value === 'number' ? BigInt(value) : value,
    })),
    packetHeader: lttngPacketHeader(byteOrder),
    clocks: [trace.clock],
    streams: [stream],
  };
}
