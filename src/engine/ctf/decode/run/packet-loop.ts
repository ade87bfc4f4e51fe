/**
 * The loop over the events of one packet. Hot: no objects, closures or BigInt per event. An event nobody asked for
 * whose size is constant costs its header and one addition.
 */
import type { Fault } from '../../../base/fault.ts';
import type { StreamClass } from '../../model.ts';
import { LARGEST_ALIGNMENT } from '../program/emitter.ts';
import { createClassLookup, type ClassLookup } from './class-lookup.ts';
import { FARTHEST_NS } from './clock-map.ts';
import { decodeFault } from './decode-fault.ts';
import type { Machine } from './interpreter.ts';
import type { FastHeader } from './fast-header.ts';
import { isRepeated, type Repeat, type PacketDecoder, type PacketInput } from '../decoder-input.ts';
import { type CountSums, createCounts } from '../rows/class-counts.ts';
import * as op from '../program/program.ts';
import { RowBuffer } from '../rows/row-buffer.ts';
import type { ClassCounts, Rows } from '../rows/rows.ts';
import { TAPE_HEADER, type StreamPrograms } from '../program/stream-programs.ts';
import type { TickClock } from './tick-clock.ts';

/**
 * The part of a packet that positions count in, as they are 31-bit numbers. One object, reused for each packet: V8
 * discards code compiled for a shape when a garbage collection finds no object of it.
 */
interface DecodeWindow {
  view: DataView;
  /** Bits. */
  end: number;
  /** HostNs, half-open: events outside are not counted. */
  from: number;
  to: number;
  /** HostNs: the greatest time so far, and the packet's end. */
  latest: number;
  packetEnd: number;
  /** Events that are left out; most packets have none. */
  repeats: readonly Repeat[];
}

/**
 * Events per call of the loop: few, so that the function is entered often. For a loop that does not end V8 compiles
 * code of its own, and discards it when the loop ends.
 */
const EVENTS_A_CALL = 256;

/** A larger packet is decoded in windows, which begin where every alignment holds; only one event must fit. */
const LARGEST_STRETCH = op.POSITION_LIMIT - 1;
const MOVE_AT = 2 ** 30;
const STRETCH_STEP = LARGEST_ALIGNMENT;
/**
 * Size of the fast header that stands for none: more bits than are left in nearly any window. Where more are left,
 * the bytes that are read exist, and no event has a plain size.
 */
const NO_HEADER = 2 ** 30;
const NO_FAST_HEADER: FastHeader = {
  idByte: 0,
  idShift: 0,
  idMask: 0,
  lastId: -1,
  timeByte: 0,
  timeShift: 0,
  timeMask: 0,
  bits: NO_HEADER,
};

const NO_SIZES = new Int32Array(0);
const NO_REPEATS: readonly Repeat[] = [];
const ID_REGISTER = 2 * op.registerOfRole('event-class-id');

/** Plain size of each class, 0 if it has none. Every event is counted with it; others add the difference. */
function sizesOfClasses(plainBits: Int32Array, { dense }: ClassLookup, classes: number): Float64Array {
  const sizes = new Float64Array(classes);
  plainBits.forEach((size, id) => {
    if (size >= 0) sizes[dense[id]] = size;
  });
  return sizes;
}

/** Bits of header and body, by id, of events with a fast header, one size and no row; -1: others. */
function plainSizes(
  { bodyBits, kind }: StreamPrograms,
  { dense }: ClassLookup,
  { lastId, bits }: FastHeader,
): Int32Array {
  return dense.subarray(0, lastId + 1).map((cls) => {
    return cls < 0 || kind[cls] >= 0 || bodyBits[cls] < 0 ? -1 : bits + bodyBits[cls];
  });
}

export class PacketLoop implements PacketDecoder {
  readonly outcome = { events: 0, firstEvent: Number.NaN, lastEvent: Number.NaN, backwards: 0, late: 0 };
  readonly #stream: StreamClass;
  readonly #programs: StreamPrograms;
  readonly #machine: Machine;
  readonly #clock: TickClock | undefined;
  readonly #lookup: ClassLookup;
  readonly #fast: FastHeader;
  readonly #plainBits: Int32Array;
  readonly #plainOfClass: Float64Array;
  readonly #clockState: Float64Array;
  readonly #clockLow: Int32Array;
  /** Whether the clock has 1 GHz, or there is none: times need no division. */
  readonly #nanoseconds: boolean;
  readonly #rows: RowBuffer;
  #counts: ClassCounts;
  readonly #window: DecodeWindow = {
    view: new DataView(new ArrayBuffer(0)),
    end: 0,
    from: -Infinity,
    to: Infinity,
    latest: -Infinity,
    packetEnd: Number.NaN,
    repeats: NO_REPEATS,
  };
  /** Why the last call of `#decodeEvents` ended: FAULT_* and the class of the event, or 0. */
  readonly #ended = { fault: 0, eventClass: -1 };

  /** @param clock that of the machine; undefined: events have no times */
  constructor(stream: StreamClass, programs: StreamPrograms, machine: Machine, clock: TickClock | undefined) {
    const classes = stream.events.length;
    this.#stream = stream;
    this.#programs = programs;
    this.#machine = machine;
    this.#clock = clock;
    this.#lookup = createClassLookup(stream);
    this.#fast = programs.fastHeader ?? NO_FAST_HEADER;
    this.#nanoseconds = clock?.nanoseconds ?? true;
    this.#plainBits = this.#nanoseconds ? plainSizes(programs, this.#lookup, this.#fast) : NO_SIZES;
    this.#plainOfClass = sizesOfClasses(this.#plainBits, this.#lookup, classes);
    this.#clockState = clock?.state ?? new Float64Array(2);
    this.#clockLow = clock?.low ?? new Int32Array(1);
    this.#rows = new RowBuffer(machine);
    this.#counts = createCounts(classes);
  }

  get rowCount(): number {
    return this.#rows.length;
  }

  begin(): boolean {
    this.#rows.clear();
    this.#counts = createCounts(this.#stream.events.length);
    return true;
  }

  addRows(count: number): boolean {
    this.#rows.add(count);
    return true;
  }

  count(sums: CountSums): void {
    const { events, bits, first, last } = this.#counts;
    for (let cls = 0; cls < events.length; cls++) {
      if (events[cls] === 0) continue;
      sums.add(cls, events[cls], events[cls] * this.#plainOfClass[cls] + bits[cls], first[cls], last[cls]);
      events[cls] = 0;
      bits[cls] = 0;
    }
  }

  finish(bytes: Uint8Array): Rows {
    return this.#rows.rows(bytes);
  }

  decode(input: PacketInput): Fault | undefined {
    const programs = this.#programs;
    const machine = this.#machine;
    const clock = this.#clock;
    const outcome = this.outcome;
    const window = this.#window;
    const ended = this.#ended;
    const { bytes, offset, table, packet, times } = input;
    const present = Math.min(table.size[packet], bytes.length - offset);
    const content = Math.min(table.contentBits[packet], present * 8);
    machine.begin(bytes, offset, present, Math.min(content, LARGEST_STRETCH));
    machine.run(programs.packet, 0);
    clock?.set(table.begin[packet]);
    outcome.events = 0;
    outcome.firstEvent = Number.NaN;
    outcome.lastEvent = Number.NaN;
    outcome.backwards = 0;
    outcome.late = 0;
    window.latest = times.floor;
    window.packetEnd = times.end;
    window.from = input.window?.from ?? -Infinity;
    window.to = input.window?.to ?? Infinity;
    window.repeats = input.repeats ?? NO_REPEATS;

    let moved = 0;
    let position = table.eventsBits[packet];
    for (;;) {
      const end = Math.min(content - moved, LARGEST_STRETCH);
      const from = offset + moved / 8;
      window.view = new DataView(bytes.buffer, bytes.byteOffset + from, present - moved / 8);
      window.end = end;
      const stop = Math.min(end, MOVE_AT);
      ended.fault = 0;
      while (ended.fault === 0 && position < stop) {
        position = this.#decodeEvents(position);
        clock?.settle();
      }
      if (ended.fault !== 0 || position >= end) break;
      const step = Math.floor(position / STRETCH_STEP) * STRETCH_STEP;
      moved += step;
      position -= step;
      machine.moveTo(
        bytes,
        offset + moved / 8,
        present - moved / 8,
        Math.min(content - moved, LARGEST_STRETCH),
      );
    }
    if (ended.fault === 0) return undefined;
    const rest = bytes.subarray(
      offset + moved / 8 + (machine.faultAt >>> 3),
      offset + Math.ceil(content / 8),
    );
    return decodeFault({
      isEmpty: rest.every((byte) => byte === 0),
      fault: ended.fault,
      machine,
      event: this.#stream.events[ended.eventClass],
      windowByte: table.offset[packet] + moved / 8,
      left: content - moved - machine.faultAt,
      incomplete: table.contentBits[packet] > content,
    });
  }

  /** Begins the tape of an event with the clock's value. */
  #startTape(): void {
    const machine = this.#machine;
    if (this.#clock === undefined) machine.words.fill(0, machine.out, machine.out + TAPE_HEADER);
    else this.#clock.writeValue(machine.words, machine.out);
    machine.out += TAPE_HEADER;
  }

  /** Decodes the body of an event that has a row; gives the position after it, or a fault, and then removes the row. */
  #decodeRow(eventClass: number, position: number): number {
    const { body, bodyBits, width, tape } = this.#programs;
    const machine = this.#machine;
    const begin = machine.out;
    if (begin + width[eventClass] > machine.words.length && !machine.reserve(width[eventClass])) {
      machine.faultAt = position;
      return op.FAULT_LIMIT;
    }
    if (tape) this.#startTape();
    // Many events have no fields that are read: their kind and time suffice.
    const after = position + bodyBits[eventClass];
    const next =
      after >= position && after <= this.#window.end ? after : machine.run(body[eventClass], position);
    if (next < 0) {
      machine.words.fill(0, begin, begin + width[eventClass]);
      machine.out = begin;
    } else if (!tape) machine.out = begin + width[eventClass];
    return next;
  }

  /** Skips the body of an event without row. */
  #skipBody(eventClass: number, position: number, end: number): number {
    const { body, bodyBits } = this.#programs;
    const machine = this.#machine;
    const constant = bodyBits[eventClass];
    if (constant < 0) return machine.run(body[eventClass], position);
    if (position + constant <= end) return position + constant;
    machine.faultAt = position;
    machine.wanted = constant;
    return op.FAULT_BEYOND;
  }

  /** Runs the header's program; gives the position after it or a fault. The id is in its register. */
  #runHeader(position: number, ticks: number, low: number): number {
    this.#clockState[0] = ticks;
    this.#clockLow[0] = low;
    return this.#machine.run(this.#programs.header, position);
  }

  /** Decodes up to `EVENTS_A_CALL` events from `position` on, until the window ends or must move; gives the position reached. */
  #decodeEvents(position: number): number {
    const { view, end, from, to, packetEnd, repeats } = this.#window;
    const mayRepeat = repeats.length > 0;
    const { idByte, idShift, idMask, lastId, timeByte, timeShift, timeMask, bits: fastBits } = this.#fast;
    const { eventAlignment, kind, tape } = this.#programs;
    const machine = this.#machine;
    const clock = this.#clock;
    const lookup = this.#lookup;
    const rows = this.#rows;
    const outcome = this.outcome;
    const plainBits = mayRepeat ? NO_SIZES : this.#plainBits;
    const plainOfClass = this.#plainOfClass;
    const clockState = this.#clockState;
    const clockLow = this.#clockLow;
    const nanoseconds = this.#nanoseconds;
    const classOfId = lookup.dense;
    const { events, bits, first, last } = this.#counts;
    const stop = Math.min(end, MOVE_AT);
    let baseNs = clockState[1];
    let { time, kind: rowKind, eventClass, at } = rows;
    let row = rows.length;
    let ticks = clockState[0];
    let low = clockLow[0];
    let ns = Number.NaN;
    let decoded = 0;
    let { firstEvent, lastEvent, backwards, late } = outcome;
    let { latest } = this.#window;
    let fault = 0;
    let cls = -1;
    let pos = position;

    for (let left = EVENTS_A_CALL; left > 0 && pos < stop; left--) {
      // Events that leave no row and have one size: without calls, so that the compiler keeps everything in
      // registers.
      let start = 0;
      let id = 0;
      for (; left > 0 && pos < stop; left--) {
        start = (pos + eventAlignment - 1) & -eventAlignment;
        id = lastId + 1;
        if (start + fastBits > end) break;
        id = (view.getUint16((start >>> 3) + idByte, true) >>> idShift) & idMask;
        if (id >= plainBits.length) break;
        const size = plainBits[id];
        if (size < 0 || start + size > end) break;
        const step =
          (((view.getUint32((start >>> 3) + timeByte, true) >>> timeShift) - low) & timeMask) >>> 0;
        ticks += step;
        low = (low + step) | 0;
        pos = start + size;
        ns = ticks + baseNs;
        if (ns > packetEnd) late++;
        if (ns < latest) {
          ns = latest;
          backwards++;
        } else latest = ns;
        if (ns < from || ns >= to) continue;
        cls = classOfId[id];
        if (events[cls]++ === 0) first[cls] = ns;
        last[cls] = ns;
        if (decoded++ === 0 && outcome.events === 0) firstEvent = ns;
        lastEvent = ns;
      }
      if (pos >= stop || left === 0) break;
      let next = start + fastBits;
      if (id <= lastId) {
        const step =
          (((view.getUint32((start >>> 3) + timeByte, true) >>> timeShift) - low) & timeMask) >>> 0;
        // Exact: the events of one call do not carry it beyond 2^53.
        ticks += step;
        low = (low + step) | 0;
        cls = id < classOfId.length ? classOfId[id] : -1;
      } else {
        next = this.#runHeader(start, ticks, low);
        ticks = clockState[0];
        baseNs = clockState[1];
        low = clockLow[0];
        cls = -1;
        if (next < 0) {
          fault = next;
          break;
        }
        cls = lookup.find(machine.registers[ID_REGISTER], machine.registers[ID_REGISTER + 1]);
      }
      if (cls < 0) {
        if (id <= lastId) machine.registers.set([id, 0], ID_REGISTER);
        machine.faultAt = start;
        fault = op.FAULT_UNKNOWN_CLASS;
        break;
      }
      // A clock of 1 GHz needs no division.
      ns = nanoseconds || clock === undefined ? ticks + baseNs : clock.timeAt(ticks);
      if (!nanoseconds && !tape && !(Math.abs(ns) <= FARTHEST_NS)) {
        machine.faultAt = start;
        fault = op.FAULT_TIME;
        break;
      }
      const own = ns;
      if (own < latest) ns = latest;
      const wanted = kind[cls];
      const words = machine.out;
      if (wanted < 0) next = this.#skipBody(cls, next, end);
      else {
        if (tape) clockState[0] = ticks;
        next = this.#decodeRow(cls, next);
      }
      if (next <= pos) {
        machine.out = words;
        if (next === pos) machine.faultAt = pos;
        fault = next === pos ? op.FAULT_PROGRESS : next;
        break;
      }
      const isLeftOut = mayRepeat && isRepeated(repeats, cls, ns);
      if (isLeftOut) {
        machine.words.fill(0, words, machine.out);
        machine.out = words;
      } else if (wanted >= 0) {
        if (row === time.length) {
          rows.grow();
          ({ time, kind: rowKind, eventClass, at } = rows);
        }
        time[row] = ns;
        rowKind[row] = wanted;
        eventClass[row] = cls;
        at[row++] = words;
      }
      pos = next;
      if (own > packetEnd) late++;
      if (own < latest) backwards++;
      else latest = own;
      // Written so that events without a time are counted.
      if (ns < from || ns >= to || isLeftOut) continue;
      if (events[cls]++ === 0) first[cls] = ns;
      last[cls] = ns;
      bits[cls] += next - start - plainOfClass[cls];
      if (decoded++ === 0 && outcome.events === 0) firstEvent = ns;
      lastEvent = ns;
    }

    clockState[0] = ticks;
    clockLow[0] = low;
    rows.length = row;
    outcome.events += decoded;
    outcome.firstEvent = firstEvent;
    outcome.lastEvent = lastEvent;
    outcome.backwards = backwards;
    outcome.late = late;
    this.#window.latest = latest;
    this.#ended.fault = fault;
    this.#ended.eventClass = cls;
    return pos;
  }
}
