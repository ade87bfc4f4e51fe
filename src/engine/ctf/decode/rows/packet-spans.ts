/** The packets of a chunk: times, rows, and what was lost before each (`rows.ts`). */
import {
  PACKET_HAS_BEGIN,
  PACKET_HAS_DISCARDED,
  PACKET_HAS_END,
  PACKET_HAS_SEQUENCE,
  PACKET_IS_DAMAGED,
  type PacketTable,
} from '../../packets/packet-table.ts';
import { timeNsOf, type ClockMap } from '../run/clock-map.ts';
import type { PacketSpans } from './rows.ts';

/** The packet before the chunk's first one. */
export interface PacketBefore {
  /** Cycles. */
  readonly end?: bigint;
  readonly discarded?: bigint;
  readonly sequence?: bigint;
}

/** Outcome of decoding a packet. */
export interface PacketOutcome {
  readonly events: number;
  /** HostNs, NaN without events. */
  readonly firstEvent: number;
  readonly lastEvent: number;
  /** Numbers of events as in `PacketSpans`. */
  readonly backwards: number;
  readonly late: number;
}

/** Times of a packet that its events are compared with, HostNs. */
export interface PacketTimes {
  /** Its begin, NaN unknown. */
  readonly begin: number;
  /** Greatest begin so far in the stream, this packet's included; no event is earlier. -Infinity: none is known. */
  readonly floor: number;
  /** NaN unknown. */
  readonly end: number;
}

/** Spans of packets with all values unknown. */
export function emptySpans(length: number): PacketSpans {
  const unknown = () => new Float64Array(length).fill(Number.NaN);
  return {
    length,
    firstRow: new Uint32Array(length + 1),
    events: new Float64Array(length),
    begin: unknown(),
    end: unknown(),
    firstEvent: unknown(),
    lastEvent: unknown(),
    previousEnd: unknown(),
    discardedEvents: new Float64Array(length),
    lostPackets: new Float64Array(length),
    damaged: new Uint8Array(length),
    backwards: new Uint32Array(length),
    late: new Uint32Array(length),
    cpu: new Int32Array(length).fill(-1),
  };
}

/** @param floor as in `ChunkInput` */
export function createSpans(
  length: number,
  clock: ClockMap | undefined,
  before: PacketBefore | undefined,
  floor = -Infinity,
) {
  const spans = emptySpans(length);
  const timeOf = (cycles: bigint): number => (clock === undefined ? Number.NaN : timeNsOf(cycles, clock));
  let at = 0;
  let latest = floor;
  let last = before;
  return {
    begin(table: PacketTable, packet: number, firstRow: number): PacketTimes {
      const flags = table.flags[packet];
      spans.firstRow[at] = firstRow;
      spans.cpu[at] = table.cpu[packet];
      if ((flags & PACKET_HAS_BEGIN) !== 0) spans.begin[at] = timeOf(table.begin[packet]);
      if ((flags & PACKET_HAS_END) !== 0) spans.end[at] = timeOf(table.end[packet]);
      if (last?.end !== undefined) spans.previousEnd[at] = timeOf(last.end);
      const next = packetAfter(table, packet);
      spans.discardedEvents[at] = discardedBetween(last, next, table.discardedBits);
      spans.damaged[at] = (flags & PACKET_IS_DAMAGED) === 0 ? 0 : 1;
      spans.lostPackets[at] = lostBetween(last, next, table.sequenceBits);
      last = next;
      const [begin, end] = [spans.begin[at], spans.end[at]];
      if (begin > latest) latest = begin;
      return { begin, floor: latest, end };
    },
    /** @param isWhole false: a fault ended the packet */
    end({ events, firstEvent, lastEvent, backwards, late }: PacketOutcome, isWhole: boolean): void {
      spans.events[at] = events;
      spans.firstEvent[at] = firstEvent;
      spans.lastEvent[at] = lastEvent;
      spans.backwards[at] = backwards;
      spans.late[at] = late;
      if (!isWhole) spans.damaged[at] = 1;
      at++;
    },
    finish(rows: number): PacketSpans {
      spans.firstRow[length] = rows;
      return spans;
    },
  };
}

/** Facts about a packet that the next one needs. */
export function packetAfter(table: PacketTable, packet: number): PacketBefore {
  const flags = table.flags[packet];
  return {
    end: (flags & PACKET_HAS_END) !== 0 ? table.end[packet] : undefined,
    discarded: (flags & PACKET_HAS_DISCARDED) !== 0 ? table.discarded[packet] : undefined,
    sequence: (flags & PACKET_HAS_SEQUENCE) !== 0 ? table.sequence[packet] : undefined,
  };
}

/** Whether the headers of two packets say that events or packets were lost between their ends. */
export function losesBetween(
  a: PacketBefore | undefined,
  b: PacketBefore,
  { discardedBits, sequenceBits }: PacketTable,
): boolean {
  return discardedBetween(a, b, discardedBits) > 0 || lostBetween(a, b, sequenceBits) > 0;
}

/** Growth of the counter, which wraps at its width. A 64-bit counter cannot wrap: one that shrinks was restarted. */
function discardedBetween(a: PacketBefore | undefined, b: PacketBefore, bits: number): number {
  if (a?.discarded === undefined || b.discarded === undefined || bits === 0) return 0;
  if (bits === 64 && b.discarded < a.discarded) return 0;
  return Number(BigInt.asUintN(bits, b.discarded - a.discarded));
}

/** Gap in the sequence numbers; a number that stays or goes back is no loss. */
function lostBetween(a: PacketBefore | undefined, b: PacketBefore, bits: number): number {
  if (a?.sequence === undefined || b.sequence === undefined || bits === 0) return 0;
  const step = BigInt.asIntN(bits, b.sequence - a.sequence);
  return step > 1n ? Number(step - 1n) : 0;
}
