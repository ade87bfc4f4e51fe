/**
 * Request to a decoder and its answer: rows in typed arrays.
 *
 * An analysis asks for *kinds* (`trace/event-kinds.ts`): a kind has the event classes that carry it and the fields
 * wanted, each with a fixed place in the row, the same for all classes of the kind:
 *
 *     row r:  time[r], kind[r], eventClass[r], words[at[r] + 0 …]
 *     word 0: presence bits, bit i = field i of the kind was there
 *     then per field, in order:  int: 1 word (low 32 bits) · wide: 2 words (low, high) · string, bytes and sequence:
 *     2 words (byte offset into `bytes`, byte length; a string ends before its first null)
 *     behind each 32 fields another word of presence bits, if there are more
 *
 * Absent fields have words 0. Rows are in stream order. An event leaves a row for each of its kinds, one behind the
 * other; events nobody asked for leave no row, only a count.
 * Where the times of a damaged stream go back they stand still: an event's time is at least that of the one before in its
 * packet, and the begin of every packet so far.
 * The TypeScript interpreter (`interpreter.ts`) is the reference; generated code must give the same bytes.
 */
import type { Fault } from '../../../base/fault.ts';
import type { Arena } from '../../../base/tables.ts';

/**
 * `bytes`: an array of integers of whole bytes and constant length, as it lies in the trace; `sequence`: such an array of
 * any length. Size, sign and byte order of the integers are those of the field's class (`sequenceElement`).
 */
export type FieldKind = 'int' | 'wide' | 'string' | 'bytes' | 'sequence';

export interface FieldWant {
  /**
   * Name looked for in payload, then specific context, then common context; the first alias that exists. Dots lead
   * into structures and options of variants, `*` into all options: the field is there when one of them was chosen. In
   * an array of integers `*` is the last element, 0 if it is empty.
   */
  readonly names: readonly string[];
  readonly kind: FieldKind;
  /** The only scope in which it is looked for: fields of the same name elsewhere differ. */
  readonly only?: 'payload' | 'context';
}

export interface KindWant {
  /** Event names; one that ends with `*` is a prefix. */
  readonly names: readonly string[];
  readonly fields: readonly FieldWant[];
  /**
   * Kinds of one table exclude each other: an event has at most one of them. Exact names win over prefixes, longer
   * prefixes over shorter, the first kind over later ones. Default: a table of this kind alone.
   */
  readonly table?: string;
}

/** All that the active analyses read; rows carry the index in `kinds`. */
export interface DecodeRequest {
  readonly kinds: readonly KindWant[];
}

/** Word offsets of each field of a kind in the row, and of its presence bits; the row's width in words. */
export interface RowLayout {
  readonly offsets: readonly number[];
  readonly presence: readonly number[];
  readonly width: number;
}

/** Presence bits of a word. */
export const PRESENCE_BITS = 32;

export function layoutOf({ fields }: Pick<KindWant, 'fields'>): RowLayout {
  const offsets: number[] = [];
  const presence: number[] = [];
  let word = 0;
  let at = 1;
  fields.forEach(({ kind }, index) => {
    if (index > 0 && index % PRESENCE_BITS === 0) word = at++;
    presence.push(word);
    offsets.push(at);
    at += kind === 'int' ? 1 : 2;
  });
  return { offsets, presence, width: at };
}

/** Word offset of a field within a row, word offset of its presence bit, and the number of that bit. */
export interface FieldPlace {
  readonly offset: number;
  readonly presence: number;
  readonly bit: number;
}

/** @param field index in `want.fields` */
export function placeOf(want: Pick<KindWant, 'fields'>, field: number): FieldPlace {
  const { offsets, presence } = layoutOf(want);
  return { offset: offsets[field], presence: presence[field], bit: field % PRESENCE_BITS };
}

export interface Rows {
  readonly length: number;
  /** HostNs of the host, never less than that of the row before in its packet. 0 where the stream has no clock. */
  readonly time: Float64Array;
  readonly kind: Uint16Array;
  /** Index in `StreamClass.events`. */
  readonly eventClass: Uint16Array;
  /** Index into `words` of the row's word 0. */
  readonly at: Uint32Array;
  readonly words: Int32Array;
  /** The bytes that string words point into. */
  readonly bytes: Uint8Array;
  /** The memory that holds the columns, for compiled code to read in place. */
  readonly place?: RowsInMemory;
}

/**
 * Memory that holds the columns of rows and the bytes of their texts. It must not grow, which would detach all views
 * of it; readers allocate from the arena.
 */
export interface RowsInMemory {
  readonly memory: WebAssembly.Memory;
  /** Number for each packet of the chunk: byte offsets of its rows into `bytes` plus this are addresses. */
  readonly textBase: Int32Array;
  /**
   * Number of rows that readers allocate for, at least those there are. It is the same for chunks of similar length,
   * so that readers reuse the same memory pages.
   */
  readonly capacity: number;
  /** Arena in the rest of the memory; what a reader takes stays as long as the rows. */
  readonly arena: Arena;
}

export const NO_ROWS: Rows = {
  length: 0,
  time: new Float64Array(0),
  kind: new Uint16Array(0),
  eventClass: new Uint16Array(0),
  at: new Uint32Array(0),
  words: new Int32Array(0),
  bytes: new Uint8Array(0),
};

/** Events of each class in a chunk. Index = index in `StreamClass.events`. */
export interface ClassCounts {
  readonly events: Float64Array;
  /** Bits of the events, header included, without the alignment before them. */
  readonly bits: Float64Array;
  /** HostNs of the first and last; NaN where none, or no clock. */
  readonly first: Float64Array;
  readonly last: Float64Array;
  /** Counts by packet; absent if packets are small on average, too long, without times, or cut by a window. */
  readonly packets?: PacketClasses;
}

/** Events of each class in each packet of a chunk, packet after packet; classes without events are left out. */
export interface PacketClasses {
  /** Number of entries up to the end of each packet, and HostNs of its first event; NaN: it has none. */
  readonly ends: Uint32Array;
  readonly begin: Float64Array;
  /** Indices in `StreamClass.events`. */
  readonly classes: Uint16Array;
  readonly events: Uint32Array;
  /** Times of the first and last since `begin`, ns. */
  readonly first: Uint32Array;
  readonly last: Uint32Array;
}

/** Per packet of the chunk, in order; loss is the growth since the packet before it in the stream. */
export interface PacketSpans {
  readonly length: number;
  /** Row index of the packet's first row; `length + 1` values. */
  readonly firstRow: Uint32Array;
  readonly events: Float64Array;
  /** HostNs, NaN where the packet has none. */
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** HostNs of its first and last event, NaN if it has none; 0, as in rows, if the stream has no clock. */
  readonly firstEvent: Float64Array;
  readonly lastEvent: Float64Array;
  /** timestamp_end of the packet before in the stream, NaN for the stream's first. */
  readonly previousEnd: Float64Array;
  /** Events and packets lost since the packet before; the stream's first packet counts none. */
  readonly discardedEvents: Float64Array;
  readonly lostPackets: Float64Array;
  /** 1: events may be missing after its last one, since a fault ended it or its file is cut (`PACKET_IS_DAMAGED`). */
  readonly damaged: Uint8Array;
  /** Events whose time was raised to the greatest so far, since their own is less. */
  readonly backwards: Uint32Array;
  /** Events whose own time is after the packet's end. */
  readonly late: Uint32Array;
  /** CPU number, -1 unknown. */
  readonly cpu: Int32Array;
}

/**
 * Whether events were lost before the packet's first one: packets are missing, or it reports lost events and either
 * begins after the end of the packet before or has no event.
 */
export function losesBefore(packets: PacketSpans, packet: number): boolean {
  const { discardedEvents, lostPackets, events, begin, previousEnd } = packets;
  if (lostPackets[packet] > 0) return true;
  // Missing times exclude nothing.
  return discardedEvents[packet] > 0 && (events[packet] === 0 || !(begin[packet] <= previousEnd[packet]));
}

/**
 * HostNs since when events are missing before the packet's first one: the end of the packet before or, if unknown,
 * the packet's own begin or first event. NaN: neither is known.
 */
export function missingSince({ previousEnd, begin, firstEvent }: PacketSpans, packet: number): number {
  const knownTimes = [previousEnd[packet], begin[packet], firstEvent[packet]];
  return knownTimes.find((time) => !Number.isNaN(time)) ?? Number.NaN;
}

/** Whether events were lost after the packet's last one, or cannot be read. */
export function losesWithin({ discardedEvents, events, damaged }: PacketSpans, packet: number): boolean {
  return (discardedEvents[packet] > 0 && events[packet] > 0) || damaged[packet] === 1;
}

/** HostNs of the packet's last event, at most its end, as damage can give any time; its begin if it has none. */
export function lastTime({ begin, lastEvent, end, events }: PacketSpans, packet: number): number {
  if (events[packet] === 0) return begin[packet];
  return lastEvent[packet] > end[packet] ? end[packet] : lastEvent[packet];
}

/**
 * HostNs before which no event of a packet changes a state: the greater of its begin and its first event, bounded by
 * its end. NaN: neither is known.
 */
export function earliestTime({ begin, end, firstEvent }: PacketSpans, packet: number): number {
  const first = firstEvent[packet] > end[packet] ? end[packet] : firstEvent[packet];
  return first <= begin[packet] || Number.isNaN(first) ? begin[packet] : first;
}

export interface DecodedChunk {
  readonly rows: Rows;
  readonly counts: ClassCounts;
  readonly packets: PacketSpans;
  /**
   * Faults of packets, each of which ended its packet; the rest was read. At most 100 are kept per chunk,
   * `faultCount` counts all.
   */
  readonly faults: readonly Fault[];
  readonly faultCount: number;
}
