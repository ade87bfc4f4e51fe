/** All programs of one data stream class, in one code: what a decoder of its packets runs. Plain data. */
import type { EventClass, Scope, StreamClass, TraceModel } from '../model.ts';
import { BodyShapes } from './body-shape.ts';
import { compileProgram, type CompiledProgram, type Sink } from './compile.ts';
import { LARGEST_ALIGNMENT, PACKET_START } from './emitter.ts';
import { recogniseHeader, type FastHeader } from './fast-header.ts';
import { createMeaningFinder, rowSink } from './meanings.ts';
import { OP_END, OP_NEED } from './program.ts';
import { assignRegisters, rootsOf } from './registers.ts';
import { layoutOf, type DecodeRequest, type MeaningWant } from './rows.ts';

/** Every field of every event, as a tape (`values.ts`). */
export const EVERYTHING = 'everything';

export interface StreamPrograms {
  readonly code: Int32Array;
  readonly registers: number;
  /** Program of packet header and context. */
  readonly packet: number;
  /** Program of the event header, from a position aligned to `eventAlignment` bits. */
  readonly header: number;
  readonly eventAlignment: number;
  /** Whether every event ends where the next one may begin. */
  readonly endsAligned: boolean;
  readonly fastHeader: FastHeader | undefined;
  /** Per event class: the program of contexts and payload. */
  readonly body: Int32Array;
  /** Per event class: bits of the body if constant and nothing is read from it, else -1. */
  readonly bodyBits: Int32Array;
  /** Per event class: meaning of its rows, -1: no row. */
  readonly meaning: Int32Array;
  /** Per event class: words of its row; without the tape. */
  readonly width: Int32Array;
  /** Rows are tapes. */
  readonly tape: boolean;
}

const PACKET_SCOPES: readonly Scope[] = ['packet-header', 'packet-context'];
const BODY_SCOPES: readonly Scope[] = ['event-common-context', 'event-context', 'event-payload'];
/** A tape begins with the clock's value (low, high). */
export const TAPE_HEADER = 2;

export function compileStream(
  model: TraceModel,
  streamClass: number,
  request: DecodeRequest | typeof EVERYTHING,
): StreamPrograms {
  const stream = model.streams[streamClass];
  const { kinds, kindOf, meaning } = groupEvents(stream.events, request);
  const registers = assignRegisters(model, { ...stream, events: kinds.map(({ event }) => event) });
  const code: number[] = [];
  const places = new Map<string, number>();
  const place = (program: CompiledProgram): number => {
    const key = program.code.join();
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, code.length);
    const at = code.length;
    for (const word of program.code) code.push(word);
    return at;
  };

  const roots = rootsOf(model, stream);
  const shared = { registers: registers.for(), clock: stream.clock };
  const none: Sink = { kind: 'none' };
  const packet = compileProgram({ ...shared, roots, scopes: PACKET_SCOPES, start: PACKET_START, sink: none });
  const eventAlignment = Math.min(stream.eventHeader?.align ?? 1, LARGEST_ALIGNMENT);
  const header = compileProgram({
    ...shared,
    roots,
    scopes: ['event-header'],
    start: { modulus: eventAlignment, remainder: 0, order: undefined },
    sink: none,
  });
  const packetAt = place(packet);
  const headerAt = place(header);
  let endsAligned = true;
  const bodies = kinds.map(({ event, want }) => {
    const sink: Sink =
      request === EVERYTHING ? { kind: 'tape' } : want === undefined ? none : rowSink(want, stream, event);
    const body = compileProgram({
      clock: stream.clock,
      registers: registers.for(event),
      roots: rootsOf(model, stream, event),
      scopes: BODY_SCOPES,
      start: header.end,
      sink,
    });
    const { modulus, remainder } = body.end;
    if (modulus % eventAlignment !== 0 || remainder % eventAlignment !== 0) endsAligned = false;
    const width = want === undefined ? TAPE_HEADER : layoutOf(want).width;
    return { at: place(body), bits: constantBits(body.code), width };
  });
  return {
    code: Int32Array.from(code),
    registers: registers.count,
    packet: packetAt,
    header: headerAt,
    eventAlignment,
    endsAligned,
    fastHeader: registers.bodyRefersToHeader ? undefined : recogniseHeader(header.code, eventAlignment),
    body: kindOf.map((kind) => bodies[kind].at),
    bodyBits: kindOf.map((kind) => bodies[kind].bits),
    meaning,
    width: kindOf.map((kind) => bodies[kind].width),
    tape: request === EVERYTHING,
  };
}

/** An event class that stands for all with the same program, and what is wanted of them. */
interface EventKind {
  readonly event: EventClass;
  /** undefined: no row, or a tape. */
  readonly want: MeaningWant | undefined;
}

interface Kinds {
  readonly kinds: readonly EventKind[];
  /** By event class: index in `kinds`, and its meaning. */
  readonly kindOf: Int32Array;
  readonly meaning: Int32Array;
}

function groupEvents(events: readonly EventClass[], request: DecodeRequest | typeof EVERYTHING): Kinds {
  // The last stands for no meaning, -1.
  const wants = request === EVERYTHING ? [undefined] : [...request.meanings, undefined];
  const shapes = wants.map((want) => new BodyShapes(want));
  const find = request === EVERYTHING ? () => 0 : createMeaningFinder(request);
  const meaning = Int32Array.from(events, ({ name }) => find(name));
  const known = new Map<string, number>();
  const kinds: EventKind[] = [];
  const kindOf = meaning.map((number, index) => {
    const event = events[index];
    const shape = `${number} ${shapes.at(number)?.of(event)}`;
    const kind = known.get(shape);
    if (kind !== undefined) return kind;
    known.set(shape, kinds.length);
    return kinds.push({ event, want: wants.at(number) }) - 1;
  });
  return { kinds, kindOf, meaning };
}

/** Bits of a program that reads nothing and has one size. */
function constantBits(code: readonly number[]): number {
  if (code[0] === OP_END) return 0;
  return code[0] === OP_NEED && code[2] === OP_END ? code[1] : -1;
}

/** The program of packet heads alone. */
export interface PacketProgram {
  readonly code: Int32Array;
  readonly registers: number;
  /** Whether all heads have the same size. */
  readonly constant: boolean;
}

/** For the packet index. Without a stream class, which only the header tells: the header. */
export function compilePacketScopes(model: TraceModel, streamClass: number | undefined): PacketProgram {
  // What bodies refer to nobody asks here.
  const stream = { ...(streamClass === undefined ? NO_STREAM : model.streams[streamClass]), events: [] };
  const registers = assignRegisters(model, stream);
  const program = compileProgram({
    registers: registers.for(),
    roots: rootsOf(model, stream),
    scopes: PACKET_SCOPES,
    start: PACKET_START,
    sink: { kind: 'none' },
  });
  // The position is known to the last bit only where nothing before it depends on data.
  const constant = program.end.modulus === PACKET_START.modulus;
  return { code: Int32Array.from(program.code), registers: registers.count, constant };
}

const NO_STREAM: StreamClass = { id: 0n, events: [] };
