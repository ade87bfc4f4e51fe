/** All programs of one data stream class, in one code: what a decoder of its packets runs. Plain data. */
import type { EventClass, Scope, StreamClass, TraceModel, FieldClass, StructClass } from '../../model.ts';
import { compileProgram, type CompiledProgram, type Sink } from './compile.ts';
import { LARGEST_ALIGNMENT, PACKET_START, type Position } from './emitter.ts';
import { recogniseHeader, type FastHeader } from '../run/fast-header.ts';
import { createKindFinder, rowSink } from '../event-projection.ts';
import { OP_END, OP_NEED } from './program.ts';
import { assignRegisters, rootsOf, type RegisterPlan } from './registers.ts';
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
  /** Per event class: kind of its rows, -1: no row; from the number of kinds on: an index in `shared`. */
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

/** @param heads what is kept of packet and event headers, and of the packet's context; default: nothing */
export function compileStream(
  model: TraceModel,
  streamClass: number,
  request: DecodeRequest | typeof EVERYTHING,
  heads: Sink = NOTHING,
): StreamPrograms {
  return new StreamCompiler(model, model.streams[streamClass], request, heads).compile();
}

class StreamCompiler {
  readonly #model: TraceModel;
  readonly #stream: StreamClass;
  readonly #request: DecodeRequest | typeof EVERYTHING;
  readonly #heads: Sink;
  readonly #events: Kinds;
  readonly #registers: RegisterPlan;
  readonly #eventAlignment: number;
  readonly #code: number[] = [];
  /** Place of each program in the code, by its words. */
  readonly #places = new Map<string, number>();

  constructor(
    model: TraceModel,
    stream: StreamClass,
    request: DecodeRequest | typeof EVERYTHING,
    heads: Sink,
  ) {
    this.#model = model;
    this.#stream = stream;
    this.#request = request;
    this.#heads = heads;
    this.#events = groupEvents(stream.events, request);
    const events = this.#events.kinds.map(({ event }) => event);
    this.#registers = assignRegisters(model, { ...stream, events });
    this.#eventAlignment = Math.min(stream.eventHeader?.align ?? 1, LARGEST_ALIGNMENT);
  }

  compile(): StreamPrograms {
    const eventAlignment = this.#eventAlignment;
    const { kinds, kindOf, kind: eventKind, shared } = this.#events;
    const atEvent: Position = { modulus: eventAlignment, remainder: 0, order: undefined };
    const packet = this.#place(this.#program(PACKET_SCOPES, PACKET_START, this.#heads));
    const headerProgram = this.#program(['event-header'], atEvent, this.#heads);
    const header = this.#place(headerProgram);
    const bodies = kinds.map((kind) => this.#body(kind, headerProgram.end));
    return {
      code: Int32Array.from(this.#code),
      registers: this.#registers.count,
      packet,
      header,
      eventAlignment,
      endsAligned: bodies.every(({ endsAligned }) => endsAligned),
      fastHeader: this.#registers.bodyRefersToHeader
        ? undefined
        : recogniseHeader(headerProgram.code, eventAlignment),
      body: kindOf.map((kind) => bodies[kind].at),
      bodyBits: kindOf.map((kind) => bodies[kind].bits),
      kind: eventKind,
      shared,
      width: kindOf.map((kind) => bodies[kind].width),
      tape: this.#request === EVERYTHING,
    };
  }

  #body({ event, wants }: EventKind, start: Position): EventBody {
    const program = this.#program(BODY_SCOPES, start, this.#sinkOf(event, wants), event);
    const { modulus, remainder } = program.end;
    return {
      at: this.#place(program),
      bits: constantBits(program.code),
      width: this.#request === EVERYTHING ? TAPE_HEADER : widthOf(wants),
      endsAligned: modulus % this.#eventAlignment === 0 && remainder % this.#eventAlignment === 0,
    };
  }

  #sinkOf(event: EventClass, wants: readonly KindWant[]): Sink {
    if (this.#request === EVERYTHING) return { kind: 'tape' };
    return wants.length === 0 ? NOTHING : rowSink(wants, this.#stream, event);
  }

  #program(scopes: readonly Scope[], start: Position, sink: Sink, event?: EventClass): CompiledProgram {
    return compileProgram({
      registers: this.#registers.for(event),
      roots: rootsOf(this.#model, this.#stream, event),
      clock: this.#stream.clock,
      scopes,
      start,
      sink,
    });
  }

  /** Puts a program into the code, unless an equal one is there; where it is. */
  #place({ code }: CompiledProgram): number {
    const key = code.join();
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const at = this.#code.length;
    this.#places.set(key, at);
    for (const word of code) this.#code.push(word);
    return at;
  }
}

interface EventBody {
  readonly at: number;
  readonly bits: number;
  readonly width: number;
  /** Whether it ends where the next event may begin. */
  readonly endsAligned: boolean;
}

/** An event class that stands for all with the same program, and what is wanted of them. */
interface EventKind {
  readonly event: EventClass;
  /** Fields wanted of each of its kinds; none: no row, or a tape. */
  readonly wants: readonly KindWant[];
}

interface Kinds {
  readonly kinds: readonly EventKind[];
  /** Index in `kinds` of each event class, and its kind. */
  readonly kindOf: Int32Array;
  readonly kind: Int32Array;
  readonly shared: SharedKinds;
}

function groupEvents(events: readonly EventClass[], request: DecodeRequest | typeof EVERYTHING): Kinds {
  const find = request === EVERYTHING ? undefined : createKindFinder(request);
  const wantsOf = (numbers: readonly number[]) =>
    request === EVERYTHING ? [] : numbers.map((number) => request.kinds[number]);
  const sets = new Map<string, KindSet>();
  const known = new Map<string, number>();
  const kinds: EventKind[] = [];
  const setOf = events.map(({ name }) => {
    const numbers = find?.(name) ?? [];
    const key = numbers.join();
    const set = sets.get(key) ?? {
      key,
      numbers,
      wants: wantsOf(numbers),
      shapes: new BodyShapes(wantsOf(numbers)),
    };
    sets.set(key, set);
    return set;
  });
  const kindOf = Int32Array.from(events, (event, index) => {
    const { key, wants, shapes } = setOf[index];
    const shape = `${key} ${shapes.of(event)}`;
    const kind = known.get(shape);
    if (kind !== undefined) return kind;
    known.set(shape, kinds.length);
    return kinds.push({ event, wants }) - 1;
  });
  const several = [...sets.values()].filter(({ numbers }) => numbers.length > 1);
  const first = request === EVERYTHING ? 0 : request.kinds.length;
  const eventKind = Int32Array.from(setOf, (set) => {
    if (request === EVERYTHING) return 0;
    return set.numbers.length > 1 ? first + several.indexOf(set) : (set.numbers.at(0) ?? -1);
  });
  return { kinds, kindOf, kind: eventKind, shared: { first, sets: several.map(sharedSet) } };
}

/** Kinds that some event classes have. */
interface KindSet {
  readonly key: string;
  readonly numbers: readonly number[];
  readonly wants: readonly KindWant[];
  readonly shapes: BodyShapes;
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

/** The program of packet heads alone. */
export interface PacketProgram {
  readonly code: Int32Array;
  readonly registers: number;
  /** Whether all heads have the same size. */
  readonly constant: boolean;
}

/** Compiles packet heads for the packet index; without a stream class, which only the header names: the header. */
export function compilePacketScopes(model: TraceModel, streamClass: number | undefined): PacketProgram {
  // What bodies refer to nobody asks here.
  const stream = { ...(streamClass === undefined ? NO_STREAM : model.streams[streamClass]), events: [] };
  const registers = assignRegisters(model, stream);
  const program = compileProgram({
    registers: registers.for(),
    roots: rootsOf(model, stream),
    scopes: PACKET_SCOPES,
    start: PACKET_START,
    sink: NOTHING,
  });
  // The position is known to the last bit only where nothing before it depends on data.
  const constant = program.end.modulus === PACKET_START.modulus;
  return { code: Int32Array.from(program.code), registers: registers.count, constant };
}

const NO_STREAM: StreamClass = { id: 0n, events: [] };

/** Properties of field classes that only printing reads, and `text`, which says again where a reference leads. */
const UNREAD: ReadonlySet<string> = new Set(['labels', 'base', 'boolean', 'mediaType', 'text']);

/**
 * Shape of an event's body, the text of all that decides its program: event classes with equal texts share one program.
 * The 1,263 classes of a kernel's trace have 148, and a page that opens has no time to compile each class.
 */
class BodyShapes {
  readonly #names: ReadonlySet<string>;
  /** Classes are shared: a trace has few integers that differ. */
  readonly #known = new Map<FieldClass, string>();

  /** @param wants of the event classes; none: no field is wanted by its name */
  constructor(wants: readonly KindWant[]) {
    const names = wants.flatMap(({ fields }) => fields.flatMap((field) => field.names));
    this.#names = new Set(names.flatMap((name) => name.split('.')));
  }

  of({ context, payload }: EventClass): string {
    return `${this.#textOf(context)} ${this.#textOf(payload)}`;
  }

  #textOf(type: FieldClass | undefined): string {
    if (type === undefined) return '';
    if (type.kind === 'struct') return this.#textOfStruct(type);
    const known = this.#known.get(type);
    if (known !== undefined) return known;
    const text = this.#textOfObject(type);
    this.#known.set(type, text);
    return text;
  }

  #textOfStruct({ align, members }: StructClass): string {
    let text = `${align}{`;
    for (const { name, type } of members)
      text += this.#names.has(name) ? `${name}:${this.#textOf(type)},` : `${this.#textOf(type)},`;
    return `${text}}`;
  }

  /** Whatever it has that is not known to matter to nobody. */
  #textOfObject(object: object): string {
    let text = '{';
    for (const [key, value] of Object.entries(object)) {
      if (UNREAD.has(key) || (key === 'name' && !this.#names.has(value as string))) continue;
      text += `${key}:${this.#textOfValue(value)},`;
    }
    return `${text}}`;
  }

  #textOfValue(value: unknown): string {
    if (typeof value !== 'object' || value === null) return String(value);
    if (Array.isArray(value)) return `[${value.map((item) => this.#textOfValue(item)).join()}]`;
    return isClass(value) ? this.#textOf(value) : this.#textOfObject(value);
  }
}

function isClass(value: object): value is FieldClass {
  return 'kind' in value;
}
