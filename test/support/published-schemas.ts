/**
 * The messages that are exported, as their owners publish them: fields by name, number and type, in protobuf.js's form. Of
 * Perfetto `protos/perfetto/trace`, of pprof `proto/profile.proto`; only messages and fields that are written are here.
 */
import protobuf from 'protobufjs';

type FieldList = Readonly<Record<string, readonly [id: number, type: string]>>;

/**
 * @param edition of the language: in proto2 a field that is 0 may be there or not
 * @param types a type that begins with `*` is that of a list
 */
function schemaOf(edition: 'proto2' | 'proto3', types: Readonly<Record<string, FieldList>>): protobuf.Root {
  const fieldOf = ([id, type]: readonly [number, string]): protobuf.IField => {
    return type.startsWith('*') ? { id, type: type.slice(1), rule: 'repeated' } : { id, type };
  };
  const nested = Object.fromEntries(
    Object.entries(types).map(([name, fields]) => [
      name,
      {
        edition,
        fields: Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, fieldOf(field)])),
      },
    ]),
  );
  return protobuf.Root.fromJSON({ edition, nested } as protobuf.INamespace);
}

const PERFETTO = schemaOf('proto2', {
  Trace: { packet: [1, '*TracePacket'] },
  TracePacket: {
    clock_snapshot: [6, 'ClockSnapshot'],
    timestamp: [8, 'uint64'],
    trusted_packet_sequence_id: [10, 'uint32'],
    track_event: [11, 'TrackEvent'],
    interned_data: [12, 'InternedData'],
    sequence_flags: [13, 'uint32'],
    track_descriptor: [60, 'TrackDescriptor'],
  },
  ClockSnapshot: { clocks: [1, '*Clock'] },
  Clock: { clock_id: [1, 'uint32'], timestamp: [2, 'uint64'] },
  InternedData: { event_names: [2, '*EventName'] },
  EventName: { iid: [1, 'uint64'], name: [2, 'string'] },
  TrackEvent: {
    type: [9, 'int32'],
    name_iid: [10, 'uint64'],
    track_uuid: [11, 'uint64'],
    name: [23, 'string'],
  },
  TrackDescriptor: {
    uuid: [1, 'uint64'],
    name: [2, 'string'],
    process: [3, 'ProcessDescriptor'],
    thread: [4, 'ThreadDescriptor'],
    parent_uuid: [5, 'uint64'],
  },
  ProcessDescriptor: { pid: [1, 'int32'], process_name: [6, 'string'] },
  ThreadDescriptor: { pid: [1, 'int32'], tid: [2, 'int32'], thread_name: [5, 'string'] },
});

const PPROF = schemaOf('proto3', {
  Profile: {
    sample_type: [1, '*ValueType'],
    sample: [2, '*Sample'],
    location: [4, '*Location'],
    function: [5, '*Function'],
    string_table: [6, '*string'],
    time_nanos: [9, 'int64'],
    duration_nanos: [10, 'int64'],
    default_sample_type: [14, 'int64'],
  },
  ValueType: { type: [1, 'int64'], unit: [2, 'int64'] },
  Sample: { location_id: [1, '*uint64'], value: [2, '*int64'] },
  Location: { id: [1, 'uint64'], line: [4, '*Line'] },
  Line: { function_id: [1, 'uint64'] },
  Function: { id: [1, 'uint64'], name: [2, 'int64'], system_name: [3, 'int64'], filename: [4, 'int64'] },
});

/** One packet; 64-bit integers are text. */
export interface PerfettoPacket {
  readonly timestamp?: string;
  readonly sequence_flags?: number;
  readonly clock_snapshot?: { readonly clocks: readonly { clock_id: number; timestamp: string }[] };
  readonly interned_data?: { readonly event_names: readonly { iid: string; name: string }[] };
  readonly track_event?: {
    readonly type: number;
    readonly track_uuid: string;
    readonly name_iid?: string;
    readonly name?: string;
  };
  readonly track_descriptor?: {
    readonly uuid: string;
    readonly name: string;
    readonly parent_uuid?: string;
    readonly process?: { readonly pid: number; readonly process_name: string };
    readonly thread?: { readonly pid: number; readonly tid: number; readonly thread_name: string };
  };
}

/** @throws where the bytes are no trace, or have a field that is not here */
export function readPerfetto(bytes: Uint8Array): readonly PerfettoPacket[] {
  return (decoded(PERFETTO, 'Trace', bytes) as { packet: PerfettoPacket[] }).packet;
}

export interface PprofProfile {
  readonly sample_type: readonly { type: string; unit: string }[];
  readonly sample: readonly { location_id: string[]; value: string[] }[];
  readonly location: readonly { id: string; line: { function_id: string }[] }[];
  readonly function: readonly { id: string; name: string; filename?: string }[];
  readonly string_table: readonly string[];
  readonly time_nanos: string;
  readonly duration_nanos: string;
}

/** Of what was compressed. */
export function readPprof(bytes: Uint8Array): PprofProfile {
  return decoded(PPROF, 'Profile', bytes) as PprofProfile;
}

function decoded(schema: protobuf.Root, name: string, bytes: Uint8Array): unknown {
  const type = schema.lookupType(name);
  const message = type.decode(bytes);
  // What is not in the schema is left out when it is written again.
  if (type.encode(message).finish().length !== bytes.length) throw new Error(`not all of it is a ${name}`);
  return type.toObject(message, { longs: String });
}
