/**
 * Takes the texts out of a packet, in place: every text of its events becomes another one of the same size, blobs and all
 * that lies behind the events become zeros. Numbers, sizes and the places of fields stay what they are.
 */
import {
  type FieldClass,
  type StructClass,
  TEXT_ENCODINGS,
  type TextEncoding,
  type TraceModel,
  unitOf,
} from '../../ctf/model.ts';
import type { PacketTable } from '../../ctf/packets/packet-table.ts';
import { contentEnd, EventFinder } from '../../ctf/decode/rows/event-finder.ts';
import { takeBytes, takeCount, type Tape } from '../../ctf/decode/rows/values.ts';

/** Writes another text over one, of which no code unit is null. */
export type Disguise = (text: Uint8Array, encoding: TextEncoding) => void;

/** Mask of the texts in packets of one stream class. */
export class TextMask {
  readonly #finder: EventFinder;
  readonly #eventContext: StructClass | undefined;
  readonly #disguise: Disguise;

  /** @param streamClass index in `model.streams` */
  constructor(model: TraceModel, streamClass: number, disguise: Disguise) {
    const whole = withWholeTexts(model, streamClass);
    this.#finder = new EventFinder(whole, streamClass);
    this.#eventContext = whole.streams[streamClass].eventContext;
    this.#disguise = disguise;
  }

  /**
   * @param bytes of the packet, padding included
   * @returns false: an event could not be decoded, so that it is not known where texts are. The bytes are then to be dropped
   */
  mask(bytes: Uint8Array, table: PacketTable, packet: number): boolean {
    let ended = table.eventsBits[packet];
    const reached = this.#finder.walk(bytes, table, packet, ({ event, from, to, body }) => {
      // What aligns an event was not written: a tracer leaves there what it had in its memory.
      clearBits(bytes, ended, from);
      ended = to;
      for (const scope of [this.#eventContext, event.context, event.payload])
        if (scope !== undefined) this.#maskField(body, scope);
      return true;
    });
    const end = contentEnd(bytes, table, packet);
    if (reached < end || end < Math.min(table.contentBits[packet], 8 * bytes.length)) return false;
    bytes.fill(0, Math.ceil(end / 8));
    return true;
  }

  /** Goes along the tape, see `values.ts`. */
  #maskField(tape: Tape, type: FieldClass): void {
    switch (type.kind) {
      case 'integer':
      case 'bits':
      case 'float':
        tape.at += type.size <= 32 ? 1 : 2;
        break;
      case 'string':
        this.#disguise(takeBytes(tape), type.encoding);
        break;
      case 'blob':
        this.#maskBlob(takeBytes(tape), ENCODINGS.get(type.mediaType ?? ''));
        break;
      case 'text':
        throw new Error('texts with a length are blobs here');
      case 'struct':
        for (const member of type.members) this.#maskField(tape, member.type);
        break;
      case 'array': {
        const count = typeof type.length === 'number' ? type.length : takeCount(tape);
        for (let i = 0; i < count; i++) this.#maskField(tape, type.element);
        break;
      }
      case 'variant':
        this.#maskField(tape, type.options[takeCount(tape)].type);
        break;
      case 'optional':
        if (takeCount(tape) === 1) this.#maskField(tape, type.content);
    }
  }

  /** @param encoding of the text that it is; undefined: it is none */
  #maskBlob(bytes: Uint8Array, encoding: TextEncoding | undefined): void {
    const length = encoding === undefined ? 0 : lengthOfText(bytes, unitOf(encoding));
    if (encoding !== undefined) this.#disguise(bytes.subarray(0, length), encoding);
    // Behind the first null of a text may be what was there before it.
    bytes.fill(0, length);
  }
}

/** Blobs that stand for texts with a length have a type that no metadata can have. */
const typeOfText = (encoding: TextEncoding) => `\0${encoding}`;
const ENCODINGS = new Map(TEXT_ENCODINGS.map((encoding) => [typeOfText(encoding), encoding]));

/** The same model, in which texts with a length are blobs: these are decoded to their last byte. */
function withWholeTexts(model: TraceModel, streamClass: number): TraceModel {
  const streams = model.streams.map((stream, i) => {
    if (i !== streamClass) return stream;
    const { eventContext, events } = stream;
    const whole = events.map((event) => ({
      ...event,
      ...(event.context && { context: wholeStruct(event.context) }),
      ...(event.payload && { payload: wholeStruct(event.payload) }),
    }));
    return { ...stream, events: whole, ...(eventContext && { eventContext: wholeStruct(eventContext) }) };
  });
  return { ...model, streams };
}

function wholeStruct(type: StructClass): StructClass {
  return { ...type, members: type.members.map((member) => ({ ...member, type: wholeType(member.type) })) };
}

function wholeType(type: FieldClass): FieldClass {
  switch (type.kind) {
    case 'text':
      return {
        kind: 'blob',
        length: type.length,
        align: type.align,
        mediaType: typeOfText(type.encoding),
      };
    case 'struct':
      return wholeStruct(type);
    case 'array':
      return { ...type, element: wholeType(type.element) };
    case 'optional':
      return { ...type, content: wholeType(type.content) };
    case 'variant':
      return {
        ...type,
        options: type.options.map((option) => ({ ...option, type: wholeType(option.type) })),
      };
    default:
      return type;
  }
}

/** Bytes before the first null code unit. */
function lengthOfText(bytes: Uint8Array, unit: number): number {
  for (let at = 0; at + unit <= bytes.length; at += unit)
    if (bytes.subarray(at, at + unit).every((byte) => byte === 0)) return at;
  return bytes.length;
}

/** Sets whole bytes of [from, to) bits to 0; bits of bytes that have others besides stay. */
function clearBits(bytes: Uint8Array, from: number, to: number): void {
  const [begin, end] = [Math.ceil(from / 8), Math.floor(to / 8)];
  if (begin < end) bytes.fill(0, begin, end);
}
