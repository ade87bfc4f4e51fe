/**
 * The loop over the events of one packet. Hot: no objects, closures or BigInt per event. An event nobody asked for
 * whose size is constant costs its header and one addition.
 */
import type { Fault } from '../../base/fault.ts';
import type { StreamClass } from '../model.ts';
import { PACKET_HAS_BEGIN, type PacketTable } from '../packets/packet-table.ts';
import { createClassLookup } from './class-lookup.ts';
import { decodeFault } from './decode-fault.ts';
import type { Machine } from './interpreter.ts';
import type { PacketOutcome } from './packet-spans.ts';
import { FAULT_BEYOND, FAULT_PROGRESS, FAULT_UNKNOWN_CLASS, registerOfRole } from './program.ts';
import type { RowBuffer } from './row-buffer.ts';
import type { ClassCounts } from './rows.ts';
import { TAPE_HEADER, type StreamPrograms } from './stream-programs.ts';
import type { TickClock } from './tick-clock.ts';

export interface PacketInput {
  readonly bytes: Uint8Array;
  /** Where in `bytes` the packet begins. */
  readonly offset: number;
  readonly table: PacketTable;
  readonly packet: number;
  /** TimeNs, half-open: events outside leave their rows, but are not counted. Default: all are. */
  readonly window?: { readonly from: number; readonly to: number };
}

export interface PacketLoop {
  /** Appends rows and counts; a fault ends the packet, and what was decoded before it stays. */
  decode(input: PacketInput, rows: RowBuffer, counts: ClassCounts): Fault | undefined;
  /** Of the packet decoded last. */
  readonly outcome: PacketOutcome;
}

/** Positions are 31-bit numbers. */
const LARGEST_CONTENT = 2 ** 31 - 1;
/** In place of a fast header's size where there is none: no packet that long has been seen, and sums stay 31 bits. */
const NO_HEADER = 2 ** 30;

export function createPacketLoop(
  stream: StreamClass,
  programs: StreamPrograms,
  machine: Machine,
  clock: TickClock | undefined,
): PacketLoop {
  const lookup = createClassLookup(stream.events);
  const { body, bodyBits, meaning, width, eventAlignment, tape } = programs;
  const idRegister = 2 * registerOfRole('event-class-id');
  const clockState = clock?.state ?? new Float64Array(2);
  const clockLow = clock?.low ?? new Int32Array(1);
  const nanoseconds = clock?.nanoseconds ?? true;
  const timeAt = clock?.timeAt ?? Number;
  const outcome = { events: 0, firstEvent: Number.NaN, lastEvent: Number.NaN };

  /** Begins the tape of an event with the clock's value. */
  const startTape = (): void => {
    machine.reserve(TAPE_HEADER);
    const cycles = clock?.value() ?? 0n;
    machine.words[machine.out] = Number(BigInt.asIntN(32, cycles));
    machine.words[machine.out + 1] = Number(BigInt.asIntN(32, cycles >> 32n));
    machine.out += TAPE_HEADER;
  };

  const decode = (
    { bytes, offset, table, packet, window }: PacketInput,
    rows: RowBuffer,
    counts: ClassCounts,
  ): Fault | undefined => {
    const present = Math.min(table.size[packet], bytes.length - offset);
    const end = Math.min(table.contentBits[packet], present * 8, LARGEST_CONTENT);
    machine.begin(bytes, offset, present, end);
    machine.run(programs.packet, 0);
    if ((table.flags[packet] & PACKET_HAS_BEGIN) !== 0) clock?.set(table.begin[packet]);

    const view = new DataView(bytes.buffer, bytes.byteOffset + offset, present);
    const from = window?.from ?? -Infinity;
    const to = window?.to ?? Infinity;
    const fast = programs.fastHeader;
    const idByte = fast?.idByte ?? 0;
    const idShift = fast?.idShift ?? 0;
    const idMask = fast?.idMask ?? 0;
    const lastId = fast?.lastId ?? -1;
    const timeByte = fast?.timeByte ?? 0;
    const timeShift = fast?.timeShift ?? 0;
    const timeMask = fast?.timeMask ?? 0;
    const fastBits = fast?.bits ?? NO_HEADER;
    const classOfId = lookup.dense;
    const { events, bits, first, last } = counts;
    let { time, meaning: rowMeaning, eventClass, at } = rows;
    let row = rows.length;
    let ticks = clockState[0];
    let low = clockLow[0];
    let ns = Number.NaN;
    let eventCount = 0;
    let firstEvent = Number.NaN;
    let lastEvent = Number.NaN;
    let fault = 0;
    let cls = -1;
    let pos = table.eventsBits[packet] | 0;
    let start = pos;

    while (pos < end) {
      start = (pos + eventAlignment - 1) & -eventAlignment;
      let next = start + fastBits;
      cls = -1;
      let id = lastId + 1;
      if (next <= end) id = (view.getUint16((start >>> 3) + idByte, true) >>> idShift) & idMask;
      if (id <= lastId) {
        const step =
          (((view.getUint32((start >>> 3) + timeByte, true) >>> timeShift) - low) & timeMask) >>> 0;
        // Exact: only a million events with gaps of 2^32 cycles in one packet would carry it beyond 2^53.
        ticks += step;
        low = (low + step) | 0;
        cls = id < classOfId.length ? classOfId[id] : -1;
      } else {
        clockState[0] = ticks;
        clockLow[0] = low;
        next = machine.run(programs.header, start);
        if (next < 0) {
          fault = next;
          break;
        }
        ticks = clockState[0];
        low = clockLow[0];
        cls = lookup.find(machine.registers[idRegister], machine.registers[idRegister + 1]);
      }
      if (cls < 0) {
        if (id <= lastId) machine.registers.set([id, 0], idRegister);
        machine.faultAt = start;
        fault = FAULT_UNKNOWN_CLASS;
        break;
      }
      // A clock of 1 GHz needs no division.
      ns = nanoseconds ? ticks + clockState[1] : timeAt(ticks);
      const wanted = meaning[cls];
      if (wanted < 0) {
        const constant = bodyBits[cls];
        if (constant >= 0) {
          next += constant;
          if (next > end) {
            machine.faultAt = next - constant;
            machine.wanted = constant;
            next = FAULT_BEYOND;
          }
        } else next = machine.run(body[cls], next);
        if (next < 0) {
          fault = next;
          break;
        }
      } else {
        const begin = machine.out;
        if (tape) {
          clockState[0] = ticks;
          startTape();
        } else machine.reserve(width[cls]);
        next = machine.run(body[cls], next);
        if (next < 0) {
          machine.words.fill(0, begin);
          machine.out = begin;
          fault = next;
          break;
        }
        if (!tape) machine.out = begin + width[cls];
        if (row === time.length) {
          rows.grow();
          ({ time, meaning: rowMeaning, eventClass, at } = rows);
        }
        time[row] = ns;
        rowMeaning[row] = wanted;
        eventClass[row] = cls;
        at[row++] = begin;
      }
      if (next === pos) {
        if (wanted >= 0) machine.out = at[--row];
        machine.faultAt = pos;
        fault = FAULT_PROGRESS;
        break;
      }
      pos = next;
      // Written so that events without a time count.
      if (ns < from || ns >= to) continue;
      if (events[cls]++ === 0) first[cls] = ns;
      last[cls] = ns;
      bits[cls] += next - start;
      if (eventCount++ === 0) firstEvent = ns;
      lastEvent = ns;
    }

    clockState[0] = ticks;
    clockLow[0] = low;
    rows.length = row;
    outcome.events = eventCount;
    outcome.firstEvent = firstEvent;
    outcome.lastEvent = eventCount > 0 ? lastEvent : Number.NaN;
    if (fault === 0) return undefined;
    const incomplete = table.contentBits[packet] > end;
    return decodeFault({
      fault,
      machine,
      event: stream.events[cls],
      packetByte: table.offset[packet],
      incomplete,
      end,
    });
  };
  return { decode, outcome };
}
