/**
 * Events out of order: times that go back within a stream, and events after the end that their packet tells. They keep
 * the stream's order; here they are counted and warned about, once for each stream.
 */
import { compareText } from '../base/compare-text.ts';
import type { Fault, FaultCode } from '../base/fault.ts';
import type { ChunkExtent } from '../ctf/decode/chunk-input.ts';
import type { DecodedChunk } from '../ctf/decode/rows.ts';
import { PACKET_HAS_BEGIN, packetNumber } from '../ctf/packets/packet-table.ts';

/** A packet with something out of order. */
export interface PacketDisorder {
  readonly file: string;
  readonly packet: number;
  /** Times that are less than the one before: of events with a row, else of the packet as a whole. */
  readonly backwards: number;
  /** Events with a row after the packet's end; 1 where the last event alone tells. */
  readonly late: number;
}

/** The packets of a chunk with something out of order. The count is as complete as the rows. */
export function findDisorder(
  { rows, packets }: DecodedChunk,
  extents: readonly ChunkExtent[],
): PacketDisorder[] {
  const found: PacketDisorder[] = [];
  let n = 0;
  for (const { table, first, count, path } of extents) {
    for (let packet = first; packet < first + count; packet++, n++) {
      const { begin, end, firstEvent, lastEvent, firstRow } = packets;
      let backwards = countBackwards(rows.time, firstRow[n], firstRow[n + 1], begin[n]);
      if (backwards === 0 && (firstEvent[n] < begin[n] || lastEvent[n] < firstEvent[n])) backwards = 1;
      if (beginsBefore(table, packet)) backwards++;
      let late = 0;
      if (lastEvent[n] > end[n])
        late = Math.max(1, countLate(rows.time, firstRow[n], firstRow[n + 1], end[n]));
      if (backwards + late > 0)
        found.push({ file: path, packet: packetNumber(table, packet), backwards, late });
    }
  }
  return found;
}

/** @param from time that the first row must not lie before; NaN: any */
function countBackwards(time: Float64Array, first: number, end: number, from: number): number {
  let count = 0;
  let before = from;
  for (let row = first; row < end; row++) {
    if (time[row] < before) count++;
    before = time[row];
  }
  return count;
}

function countLate(time: Float64Array, first: number, end: number, limit: number): number {
  let count = 0;
  for (let row = first; row < end; row++) if (time[row] > limit) count++;
  return count;
}

/** Whether a packet begins before the one before it in its file. */
function beginsBefore({ flags, begin }: ChunkExtent['table'], packet: number): boolean {
  if (packet === 0 || (flags[packet] & flags[packet - 1] & PACKET_HAS_BEGIN) === 0) return false;
  return begin[packet] < begin[packet - 1];
}

interface Total {
  events: number;
  packets: number;
  /** Position of the first chunk in its stream, and its first such packet. */
  sequence: number;
  first: PacketDisorder;
}

interface Kind {
  readonly code: FaultCode;
  readonly count: 'backwards' | 'late';
  readonly expected: string;
  /** What is counted, of one. */
  readonly noun: string;
}

const KINDS: readonly Kind[] = [
  { code: 'time-backwards', count: 'backwards', expected: 'times that do not go back', noun: 'step back' },
  {
    code: 'event-after-packet',
    count: 'late',
    expected: 'no event after the end of its packet',
    noun: 'event',
  },
];

/** Sums what the chunks of streams have out of order, in whatever order they come. */
export class DisorderLog {
  readonly #totals = KINDS.map(() => new Map<string, Total>());

  /** @param sequence the chunk's position in its stream */
  add(stream: string, sequence: number, found: readonly PacketDisorder[]): void {
    KINDS.forEach(({ count }, index) => {
      const totals = this.#totals[index];
      for (const packet of found.filter((each) => each[count] > 0)) {
        const total = totals.get(stream) ?? { events: 0, packets: 0, sequence, first: packet };
        totals.set(stream, total);
        total.events += packet[count];
        total.packets++;
        if (sequence >= total.sequence) continue;
        total.sequence = sequence;
        total.first = packet;
      }
    });
  }

  /** One for each stream and kind, at its first packet; in order of file. */
  faults(): Fault[] {
    return KINDS.flatMap(({ code, expected, noun }, index) =>
      [...this.#totals[index].values()].map(({ events, packets, first: { file, packet } }): Fault => {
        const found = `${counted(events, noun)} in ${counted(packets, 'packet')}`;
        return { code, place: { file, packet }, expected, found };
      }),
    ).sort((a, b) => compareText(a.place.file ?? '', b.place.file ?? ''));
  }
}

function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun.replace(/^\w+/, '$&s')}`;
}
