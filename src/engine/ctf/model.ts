/**
 * The model of a trace: what its metadata say, for CTF 1.8 and CTF 2 alike. Plain immutable data that is posted to
 * workers by structured clone. Code outside `metadata/` does not depend on the version of CTF.
 * Sizes and alignments are in bits. Names are as displayed (one leading underscore of CTF 1.8 dropped).
 */

export type ByteOrder = 'le' | 'be';

export interface TraceModel {
  readonly version: '1.8' | '2.0';
  /**
   * Lower-case canonical form; packets may repeat it. CTF 2: the uuid of the metadata stream, which does not identify
   * a trace.
   */
  readonly uuid?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly byteOrder: ByteOrder;
  readonly environment: readonly EnvironmentEntry[];
  readonly packetHeader?: StructClass;
  readonly clocks: readonly ClockClass[];
  readonly streams: readonly StreamClass[];
}

export interface EnvironmentEntry {
  readonly name: string;
  readonly value: string | bigint;
}

export interface ClockClass {
  readonly name: string;
  readonly uuid?: string;
  readonly description?: string;
  /** Cycles per second, > 0. */
  readonly frequency: bigint;
  readonly precision?: bigint;
  readonly offsetSeconds: bigint;
  readonly offsetCycles: bigint;
  /** True when the origin is the Unix epoch (`absolute = TRUE`, `"origin": "unix-epoch"`). */
  readonly absolute: boolean;
}

/** Data stream class. */
export interface StreamClass {
  readonly id: bigint;
  readonly name?: string;
  readonly packetContext?: StructClass;
  readonly eventHeader?: StructClass;
  readonly eventContext?: StructClass; // common context (TSDL: stream.event.context)
  /** Index in `TraceModel.clocks` of the default clock; undefined: events have no time. */
  readonly clock?: number;
  /** Event classes in order of id; ids are unique. */
  readonly events: readonly EventClass[];
}

export interface EventClass {
  readonly id: bigint;
  readonly name?: string;
  readonly logLevel?: number | string;
  readonly context?: StructClass; // specific context (TSDL: event.context)
  readonly payload?: StructClass; // TSDL: event.fields
}

/**
 * Meaning of a field. CTF 1.8 gives roles by name and place (`magic`, `uuid`, `stream_id`, `timestamp_begin`, …), CTF
 * 2 by attribute; the metadata readers set them, so that no later code depends on names.
 */
export type Role =
  | 'packet-magic'
  | 'trace-uuid' // on an array of bytes or a blob
  | 'stream-class-id'
  | 'stream-id'
  | 'packet-total-size' // bits
  | 'packet-content-size' // bits
  | 'packet-begin'
  | 'packet-end'
  | 'discarded-events'
  | 'packet-sequence'
  | 'cpu-id'
  | 'event-class-id'
  | 'timestamp'; // default clock, event header

export type Scope =
  | 'packet-header'
  | 'packet-context'
  | 'event-header'
  | 'event-common-context'
  | 'event-context'
  | 'event-payload';

/**
 * A field that gives a length or a tag. `steps` leads from the scope's root class to the target: at a struct the
 * index of the member, at a variant the index of the option, at arrays and optionals -1 (their element or content).
 * If it is read several times, the last value counts.
 */
export interface FieldRef {
  readonly scope: Scope;
  readonly steps: readonly number[];
  /** CTF 2: further targets if the field lies in a variant, one place in each other option. */
  readonly alternatives?: readonly (readonly number[])[];
  /** Path as written, for messages. */
  readonly text: string;
}

/** Values of an integer, both ends inclusive. */
export interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

export interface LabelRange extends Range {
  readonly label: string;
}

export type FieldClass =
  | IntegerClass
  | FloatClass
  | BitsClass
  | StringClass
  | TextArrayClass
  | ArrayClass
  | StructClass
  | VariantClass
  | OptionalClass
  | BlobClass;

/** Order of the bits of a scalar, and its alignment. */
interface Ordered {
  readonly byteOrder: ByteOrder;
  /**
   * CTF 2 bit order. The first bit read is usually the least significant one of a little-endian field, and the most
   * significant one of a big-endian field; `true`: the other way round.
   */
  readonly reversed?: boolean;
  readonly align: number;
}

export interface IntegerClass extends Ordered {
  readonly kind: 'integer';
  /** Bits, 1-64. For `variable` (LEB128) at most 64 bits of value are kept and `size` is 64. */
  readonly size: number;
  readonly variable?: boolean;
  readonly signed: boolean;
  readonly base: 2 | 8 | 10 | 16;
  /** Present: an enumeration (CTF 1.8) or integer with mappings (CTF 2); printed with its labels. */
  readonly labels?: readonly LabelRange[];
  /** CTF 2 fixed-length boolean: printed as true or false. */
  readonly boolean?: boolean;
  /** Index in `TraceModel.clocks`: reading it updates that clock (TSDL `map = clock.NAME.value`). */
  readonly clock?: number;
  readonly roles?: readonly Role[];
}

export interface FloatClass extends Ordered {
  readonly kind: 'float';
  readonly size: 16 | 32 | 64;
}

/** CTF 2 fixed-length bit array or bit map, printed as `b` and an unsigned number. */
export interface BitsClass extends Ordered {
  readonly kind: 'bits';
  readonly size: number;
  readonly labels?: readonly LabelRange[];
}

/** Encodings of text, by their names in CTF 2; decoders and `unitOf` handle each. */
export const TEXT_ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'] as const;

export type TextEncoding = (typeof TEXT_ENCODINGS)[number];

/** Bytes of a code unit, and so of the null that ends a text. */
export function unitOf(encoding: TextEncoding): 1 | 2 | 4 {
  switch (encoding) {
    case 'utf-8':
      return 1;
    case 'utf-16le':
    case 'utf-16be':
      return 2;
    case 'utf-32le':
    case 'utf-32be':
      return 4;
  }
}

/** Null-terminated. */
export interface StringClass {
  readonly kind: 'string';
  readonly encoding: TextEncoding;
  readonly align: number;
}

/**
 * Text with a length: CTF 2 static and dynamic strings (bytes); CTF 1.8 arrays and sequences of byte-aligned
 * 8-bit integers with a text encoding (elements). It ends before its first null.
 */
export interface TextArrayClass {
  readonly kind: 'text';
  readonly length: number | FieldRef;
  readonly encoding: TextEncoding;
  readonly align: number;
}

export interface ArrayClass {
  readonly kind: 'array';
  readonly length: number | FieldRef;
  readonly element: FieldClass;
  readonly align: number; // at least the element's; CTF 2 minimum alignment included
  readonly roles?: readonly Role[];
}

export interface StructMember {
  readonly name: string;
  readonly type: FieldClass;
}

export interface StructClass {
  readonly kind: 'struct';
  readonly members: readonly StructMember[];
  /** The greatest alignment of its members and its own minimum. */
  readonly align: number;
}

interface VariantOption {
  readonly name?: string;
  readonly type: FieldClass;
  /** Tag values that choose this option. */
  readonly ranges: readonly Range[];
}

/** Has no alignment of its own: the option taken has. */
export interface VariantClass {
  readonly kind: 'variant';
  readonly tag: FieldRef;
  readonly options: readonly VariantOption[];
}

export interface OptionalClass {
  readonly kind: 'optional';
  readonly selector: FieldRef;
  /** undefined: a boolean selector. */
  readonly ranges?: readonly Range[];
  readonly content: FieldClass;
}

export interface BlobClass {
  readonly kind: 'blob';
  /** Bytes. */
  readonly length: number | FieldRef;
  readonly mediaType?: string;
  readonly align: number;
  readonly roles?: readonly Role[];
}

/** Classes directly in a class: members, options, element or content. */
export function partsOf(type: FieldClass): readonly FieldClass[] {
  switch (type.kind) {
    case 'struct':
      return type.members.map((member) => member.type);
    case 'variant':
      return type.options.map((option) => option.type);
    case 'array':
      return [type.element];
    case 'optional':
      return [type.content];
    default:
      return [];
  }
}

/** Alignment in bits that a reader applies before a field of this class. */
export function alignmentOf(type: FieldClass): number {
  return type.kind === 'variant' || type.kind === 'optional' ? 1 : type.align;
}
