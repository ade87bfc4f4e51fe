/** Event batches without CTF: from plain lists of events, as the vectors and the scenarios of unit tests give them. */
import type {
  ContextRequest,
  EventBatch,
  KindRequest,
  ProjectionPlan,
} from '../../src/engine/analysis/contract.ts';
import { compileProjections } from '../../src/engine/analysis/projection.ts';
import type { DecodeRequest, PacketSpans, Rows } from '../../src/engine/ctf/decode/rows/rows.ts';
import type { EventClass } from '../../src/engine/ctf/model.ts';
import type { Experiment, Trace } from '../../src/engine/trace/types.ts';
import { signed, struct } from './ctf-writer/model-builder.ts';

export interface PlainEvent {
  readonly ts: number;
  readonly cpu: number;
  readonly name: string;
  readonly fields: Readonly<Record<string, number | bigint | string>>;
}

/** Consecutive events of one CPU, and what the packet says of itself. */
export interface PlainPacket {
  readonly events: readonly PlainEvent[];
  readonly begin?: number;
  readonly end?: number;
  /** Events lost since the packet before. */
  readonly discarded?: number;
  readonly lostPackets?: number;
  readonly damaged?: boolean;
}

/** One stream; its chunks are lists of packets. */
export interface PlainStream {
  readonly cpu: number;
  readonly chunks: readonly (readonly PlainPacket[])[];
}

/** One stream per CPU with one packet, cut after `chunkEvents` events where given. */
export function streamsOf(events: readonly PlainEvent[], chunkEvents = Infinity): PlainStream[] {
  const cpus = [...new Set(events.map((event) => event.cpu))].sort((a, b) => a - b);
  return cpus.map((cpu) => {
    const own = events.filter((event) => event.cpu === cpu);
    const chunks: PlainPacket[][] = [];
    for (let at = 0; at < own.length; at += chunkEvents)
      chunks.push([{ events: own.slice(at, at + chunkEvents) }]);
    return { cpu, chunks };
  });
}

export interface BatchOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly host?: number;
  /** Fields of all events. */
  readonly contexts?: ContextRequest['fields'];
}

/** The batches of all streams, stream by stream, chunks in order. */
export function batchesOf(
  streams: readonly PlainStream[],
  reads: readonly KindRequest[],
  options: BatchOptions = {},
): EventBatch[] {
  const packetsOf = (stream: PlainStream) => stream.chunks.flat();
  const names = new Set(
    streams.flatMap(packetsOf).flatMap((packet) => packet.events.map((event) => event.name)),
  );
  const eventClasses = [...names].map((name, id): EventClass => ({ id: BigInt(id), name }));
  const contexts = options.contexts && { fields: options.contexts, of: () => true };
  const plan = compileProjections([{ kinds: reads, contexts }]);
  const request = contexts ? plan.requestOf({} as Experiment, {} as Trace, 0) : plan.request;
  const members = Object.keys(options.contexts ?? {}).map((name) => [name, signed(32)] as const);
  const eventContext = options.contexts && struct(Object.fromEntries(members));
  return streams.flatMap((stream, rank) => {
    let previousEnd = NaN;
    return stream.chunks.map((packets, sequence): EventBatch => {
      const rows = rowsOf(packets, eventClasses, request);
      const spans = spansOf(stream.cpu, packets, rows.perPacket, previousEnd);
      if (packets.length > 0) previousEnd = spans.end[packets.length - 1];
      return {
        rows: rows.rows,
        counts: countsOf(packets, eventClasses),
        packets: spans,
        faults: [],
        faultCount: 0,
        chunk: {
          id: rank * 1_000_000 + sequence,
          host: options.host ?? 0,
          trace: 0,
          stream: rank,
          sequence,
          extents: [],
          bytes: 0,
          from: NaN,
          to: NaN,
        },
        domain: 'kernel',
        streamRank: rank,
        cpu: stream.cpu,
        plan,
        eventClasses,
        eventContext,
        hostLength: 0,
        environment: options.environment ?? {},
      };
    });
  });
}

/** Number of the kind that an event name carries: exact names before prefixes, longer prefixes before shorter. */
function kindOf({ kinds }: DecodeRequest, name: string): number {
  let best = -1;
  let length = -1;
  kinds.forEach((eventKind, number) => {
    for (const pattern of eventKind.names) {
      const prefix = pattern.endsWith('*') ? pattern.slice(0, -1) : undefined;
      const hit = prefix === undefined ? pattern === name : name.startsWith(prefix);
      const weight = prefix === undefined ? Infinity : prefix.length;
      if (hit && weight > length) {
        best = number;
        length = weight;
      }
    }
  });
  return best;
}

function rowsOf(
  packets: readonly PlainPacket[],
  classes: readonly EventClass[],
  request: DecodeRequest,
): { rows: Rows; perPacket: number[] } {
  const time: number[] = [];
  const eventKind: number[] = [];
  const eventClass: number[] = [];
  const at: number[] = [];
  const words: number[] = [];
  const bytes: number[] = [];
  const perPacket = packets.map((packet) => {
    let rows = 0;
    for (const event of packet.events) {
      const number = kindOf(request, event.name);
      if (number < 0) continue;
      rows++;
      time.push(event.ts);
      eventKind.push(number);
      eventClass.push(classes.findIndex((candidate) => candidate.name === event.name));
      at.push(words.length);
      appendWords(request.kinds[number].fields, event.fields, words, bytes);
    }
    return rows;
  });
  const rows: Rows = {
    length: time.length,
    time: Float64Array.from(time),
    kind: Uint16Array.from(eventKind),
    eventClass: Uint16Array.from(eventClass),
    at: Uint32Array.from(at),
    words: Int32Array.from(words),
    bytes: Uint8Array.from(bytes),
  };
  return { rows, perPacket };
}

function appendWords(
  wants: ProjectionPlan['request']['kinds'][number]['fields'],
  fields: PlainEvent['fields'],
  words: number[],
  bytes: number[],
): void {
  const presenceAt = words.push(0) - 1;
  wants.forEach((want, bit) => {
    const isText = want.kind === 'string' || want.kind === 'bytes';
    // A text is no integer and an integer no text, as for the decoders.
    const fits = (candidate: string) =>
      candidate in fields && isText === (typeof fields[candidate] === 'string');
    const name = want.names.find(fits);
    const value = name === undefined ? 0 : fields[name];
    if (name !== undefined) words[presenceAt] |= 1 << bit;
    if (want.kind === 'string' || want.kind === 'bytes') {
      const own = name === undefined ? [] : bytesOf(want.kind, String(value));
      words.push(bytes.length, own.length);
      bytes.push(...own);
      return;
    }
    const wide = BigInt(value);
    words.push(Number(BigInt.asIntN(32, wide)));
    if (want.kind === 'wide') words.push(Number(BigInt.asIntN(32, wide >> 32n)));
  });
}

/** Arrays of bytes are written as addresses are: `127.0.0.1`. */
function bytesOf(kind: 'string' | 'bytes', value: string): readonly number[] {
  return kind === 'bytes' ? value.split('.').map(Number) : [...new TextEncoder().encode(value)];
}

function spansOf(
  cpu: number,
  packets: readonly PlainPacket[],
  perPacket: readonly number[],
  previousEnd: number,
): PacketSpans {
  const length = packets.length;
  const firstRow = new Uint32Array(length + 1);
  perPacket.forEach((rows, i) => (firstRow[i + 1] = firstRow[i] + rows));
  const column = (value: (packet: PlainPacket, i: number) => number) => Float64Array.from(packets, value);
  const first = (packet: PlainPacket) => packet.events[0]?.ts ?? NaN;
  const last = (packet: PlainPacket) => packet.events.at(-1)?.ts ?? NaN;
  const end = column((packet) => packet.end ?? last(packet));
  return {
    length,
    firstRow,
    events: column((packet) => packet.events.length),
    begin: column((packet) => packet.begin ?? first(packet)),
    end,
    firstEvent: column(first),
    lastEvent: column(last),
    previousEnd: column((_, i) => (i === 0 ? previousEnd : end[i - 1])),
    discardedEvents: column((packet) => packet.discarded ?? 0),
    lostPackets: column((packet) => packet.lostPackets ?? 0),
    damaged: Uint8Array.from(packets, (packet) => (packet.damaged === true ? 1 : 0)),
    backwards: new Uint32Array(length),
    late: new Uint32Array(length),
    cpu: new Int32Array(length).fill(cpu),
  };
}

/** Every event counts 8 bytes: plain events have no size. */
function countsOf(packets: readonly PlainPacket[], classes: readonly EventClass[]): EventBatch['counts'] {
  const n = classes.length;
  const counts = {
    events: new Float64Array(n),
    bits: new Float64Array(n),
    first: new Float64Array(n).fill(NaN),
    last: new Float64Array(n).fill(NaN),
  };
  for (const event of packets.flatMap((packet) => packet.events)) {
    const i = classes.findIndex((candidate) => candidate.name === event.name);
    counts.events[i]++;
    counts.bits[i] += 64;
    if (!(counts.first[i] <= event.ts)) counts.first[i] = event.ts;
    if (!(counts.last[i] >= event.ts)) counts.last[i] = event.ts;
  }
  return counts;
}
