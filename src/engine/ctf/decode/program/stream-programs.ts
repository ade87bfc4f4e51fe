/** All programs of one data stream class in one array of words, as a decoder of its packets runs them. Plain data. */
import type { EventClass, Scope, StreamClass, TraceModel, FieldClass, StructClass } from '../../model.ts';
import { compileProgram, type CompiledProgram, type Sink } from './compile.ts';
import { LARGEST_ALIGNMENT, PACKET_START, type Position } from './emitter.ts';
import { recogniseHeader, type FastHeader } from '../run/fast-header.ts';
import { createKindFinder, rowSink } from '../event-projection.ts';
import { OP_END, OP_NEED } from './program.ts';
import { assignRegisters, rootsOf } from './registers.ts';
import { layoutOf, type DecodeRequest, type KindWant } from '../rows/rows.ts';
import type { SharedKinds, SharedSet } from '../rows/shared-events.ts';

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
  /** Per event class: kind of its rows, -1: no row; numbers from the number of kinds on: an index in `shared`. */
  readonly kind: Int32Array;
  readonly shared: SharedKinds;
  /** Per event class: words of its row; without the tape. */
  readonly width: Int32Array;
  /** Rows are tapes. */
  readonly tape: boolean;
}

const PACKET_SCOPES: readonly Scope[] = ['packet-header', 'packet-context'];
const BODY_SCOPES: readonly Scope[] = ['event-common-context', 'event-context', 'event-payload'];
const NOTHING: Sink = { kind: 'none' };
/** A tape begins with the clock's value (low, high). */
export const TAPE_HEADER = 2;

/** @param heads fields kept of packet and event headers and of the packet's context; default: none */
export function compileStream(
  model: TraceModel,
  streamClass: number,
  request: DecodeRequest | typeof EVERYTHING,
  heads: Sink = NOTHING,
): StreamPrograms {
  const stream = model.streams[streamClass];
  const tape = request === EVERYTHING;
  const { kinds, kindOf, kind, shared } = groupEvents(stream.events, request);
  const registers = assignRegisters(model, { ...stream, events: kinds.map(({ event }) => event) });
  const eventAlignment = Math.min(stream.eventHeader?.align ?? 1, LARGEST_ALIGNMENT);
  const code: number[] = [];
  /** Place of each program in the code, by its words. */
  const places = new Map<string, number>();

  const compile = (scopes: readonly Scope[], start: Position, sink: Sink, event?: EventClass) => {
    const roots = rootsOf(model, stream, event);
    return compileProgram({
      registers: registers.for(event),
      roots,
      clock: stream.clock,
      scopes,
      start,
      sink,
    });
  };
  /** Adds a program to the code unless an equal one is there; returns its place. */
  const place = (program: CompiledProgram): number => {
    const key = program.code.join();
    const known = places.get(key);
    if (known !== undefined) return known;
    const at = code.length;
    places.set(key, at);
    for (const word of program.code) code.push(word);
    return at;
  };
  const sinkOf = ({ event, wants }: EventKind): Sink => {
    if (tape) return { kind: 'tape' };
    return wants.length === 0 ? NOTHING : rowSink(wants, stream, event);
  };

  const atEvent: Position = { modulus: eventAlignment, remainder: 0, order: undefined };
  const packet = place(compile(PACKET_SCOPES, PACKET_START, heads));
  const header = compile(['event-header'], atEvent, heads);
  const headerAt = place(header);
  const bodies = kinds.map((each) => {
    const program = compile(BODY_SCOPES, header.end, sinkOf(each), each.event);
    const { modulus, remainder } = program.end;
    return {
      at: place(program),
      bits: constantBits(program.code),
      width: tape ? TAPE_HEADER : widthOf(each.wants),
      endsAligned: modulus % eventAlignment === 0 && remainder % eventAlignment === 0,
    };
  });
  return {
    code: Int32Array.from(code),
    registers: registers.count,
    packet,
    header: headerAt,
    eventAlignment,
    endsAligned: bodies.every(({ endsAligned }) => endsAligned),
    fastHeader: registers.bodyRefersToHeader ? undefined : recogniseHeader(header.code, eventAlignment),
    body: kindOf.map((each) => bodies[each].at),
    bodyBits: kindOf.map((each) => bodies[each].bits),
    kind,
    shared,
    width: kindOf.map((each) => bodies[each].width),
    tape,
  };
}

/** Event class that represents all with the same program, and the fields wanted of them. */
interface EventKind {
  readonly event: EventClass;
  /** Fields wanted of each of its kinds; none: no row, or a tape. */
  readonly wants: readonly KindWant[];
}

/**
 * Groups event classes: a representative for each group, the group of each class, and the number of the kind that its
 * rows get.
 */
function groupEvents(events: readonly EventClass[], request: DecodeRequest | typeof EVERYTHING) {
  const wanted = request === EVERYTHING ? [] : request.kinds;
  const find = createKindFinder({ kinds: wanted });
  const sets = new Map<string, KindSet>();
  const known = new Map<string, number>();
  const kinds: EventKind[] = [];
  const setOf = events.map(({ name }) => {
    const numbers = find(name);
    const key = numbers.join();
    const wants = numbers.map((number) => wanted[number]);
    const set = sets.get(key) ?? { key, numbers, wants, shapeOf: createShapes(wants) };
    sets.set(key, set);
    return set;
  });
  const kindOf = Int32Array.from(events, (event, index) => {
    const { key, wants, shapeOf } = setOf[index];
    const shape = `${key} ${shapeOf(event)}`;
    const equal = known.get(shape);
    if (equal !== undefined) return equal;
    known.set(shape, kinds.length);
    return kinds.push({ event, wants }) - 1;
  });
  const several = [...sets.values()].filter(({ numbers }) => numbers.length > 1);
  const first = wanted.length;
  const kind = Int32Array.from(setOf, (set) => {
    if (request === EVERYTHING) return 0;
    return set.numbers.length > 1 ? first + several.indexOf(set) : (set.numbers.at(0) ?? -1);
  });
  return { kinds, kindOf, kind, shared: { first, sets: several.map(sharedSet) } };
}

/** Kinds that some event classes have. */
interface KindSet {
  readonly key: string;
  readonly numbers: readonly number[];
  readonly wants: readonly KindWant[];
  readonly shapeOf: (event: EventClass) => string;
}

function sharedSet({ numbers, wants }: KindSet): SharedSet {
  const bases = wants.map((_, i) => widthOf(wants.slice(0, i)));
  return { kinds: numbers, bases };
}

/** Words of a row with a block for each of these. */
function widthOf(wants: readonly KindWant[]): number {
  return wants.reduce((words, want) => words + layoutOf(want).width, 0);
}

/** Bits of a program that reads nothing and has one size. */
function constantBits(code: readonly number[]): number {
  if (code[0] === OP_END) return 0;
  return code[0] === OP_NEED && code[2] === OP_END ? code[1] : -1;
}

/**
 * Compiles packet heads for the packet index; `constant`: all have the same size. Without a stream class, which the
 * header names, only the header.
 */
export function compilePacketScopes(model: TraceModel, streamClass: number | undefined) {
  // Nothing that bodies refer to is needed here.
  const stream = { ...(streamClass === undefined ? NO_STREAM : model.streams[streamClass]), events: [] };
  const registers = assignRegisters(model, stream);
  const program = compileProgram({
    registers: registers.for(),
    roots: rootsOf(model, stream),
    scopes: PACKET_SCOPES,
    start: PACKET_START,
    sink: NOTHING,
  });
  // The position is known to the last bit only if nothing before it depends on data.
  const constant = program.end.modulus === PACKET_START.modulus;
  return { code: Int32Array.from(program.code), registers: registers.count, constant };
}

const NO_STREAM: StreamClass = { id: 0n, events: [] };

/** Properties of field classes that only printing reads, and `text`, which repeats the target of a reference. */
const UNREAD: ReadonlySet<string> = new Set(['labels', 'base', 'boolean', 'mediaType', 'text']);

/**
 * Gives the shape of an event's body: a text of all that its program depends on. Event classes with equal texts share
 * one program: the 1,263 classes of a kernel's trace have 148, and compiling each would delay opening.
 * @param wants of the event classes; none: no field is wanted by its name
 */
function createShapes(wants: readonly KindWant[]): (event: EventClass) => string {
  const paths = wants.flatMap(({ fields }) => fields.flatMap((field) => field.names));
  const names = new Set(paths.flatMap((path) => path.split('.')));
  /** Texts by class: classes are shared, and a trace has few different integers. */
  const known = new Map<FieldClass, string>();
  const textOf = (type: FieldClass): string => {
    if (type.kind === 'struct') return textOfStruct(type);
    const text = known.get(type) ?? textOfObject(type);
    known.set(type, text);
    return text;
  };
  const textOfStruct = ({ align, members }: StructClass): string => {
    let text = `${align}{`;
    for (const { name, type } of members)
      text += names.has(name) ? `${name}:${textOf(type)},` : `${textOf(type)},`;
    return `${text}}`;
  };
  /** All properties but those that are known not to matter. */
  const textOfObject = (object: object): string => {
    let text = '{';
    for (const [key, value] of Object.entries(object)) {
      if (UNREAD.has(key) || (key === 'name' && !names.has(value as string))) continue;
      text += `${key}:${textOfValue(value)},`;
    }
    return `${text}}`;
  };
  const textOfValue = (value: unknown): string => {
    if (typeof value !== 'object' || value === null) return String(value);
    if (Array.isArray(value)) return `[${value.map(textOfValue).join()}]`;
    return isClass(value) ? textOf(value) : textOfObject(value);
  };
  return ({ context, payload }) => `${context ? textOf(context) : ''} ${payload ? textOf(payload) : ''}`;
}

function isClass(value: object): value is FieldClass {
  return 'kind' in value;
}
