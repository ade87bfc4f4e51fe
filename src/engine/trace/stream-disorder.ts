/**
 * Events out of order: times that go back within a stream, and events after the end that their packet states. They keep
 * the stream's order, and times that go back stand still (`ctf/decode/rows/rows`); here they are warned about, once for each
 * stream.
 */
import { compare } from '../base/compare.ts';
import type { Fault } from '../base/fault.ts';
import type { ChunkExtent } from '../ctf/decode/decoder-input.ts';
import type { DecodedChunk } from '../ctf/decode/rows/rows.ts';
import { packetNumber } from '../ctf/packets/packet-table.ts';

export interface PacketDisorder {
  readonly file: string;
  readonly packet: number;
  /** Same as in `PacketSpans`. */
  readonly backwards: number;
  readonly late: number;
}

/** The packets of a chunk with something out of order. */
export function findDisorder(
  { packets }: Pick<DecodedChunk, 'packets'>,
  extents: readonly ChunkExtent[],
): PacketDisorder[] {
  const found: PacketDisorder[] = [];
  let n = 0;
  for (const { table, first, count, path } of extents) {
    for (let packet = first; packet < first + count; packet++, n++) {
      const [backwards, late] = [packets.backwards[n], packets.late[n]];
      if (backwards + late > 0)
        found.push({ file: path, packet: packetNumber(table, packet), backwards, late });
    }
  }
  return found;
}

interface Total {
  events: number;
  packets: number;
  /** Position of the first chunk in its stream, and its first such packet. */
  sequence: number;
  first: PacketDisorder;
}

const KINDS = [
  { code: 'time-backwards', count: 'backwards', expected: 'times that do not go back' },
  { code: 'event-after-packet', count: 'late', expected: 'no event after the end of its packet' },
] as const;

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
    return KINDS.flatMap(({ code, expected }, index) =>
      [...this.#totals[index].values()].map(({ events, packets, first: { file, packet } }): Fault => {
        const found = `${counted(events, 'event')} in ${counted(packets, 'packet')}`;
        return { code, place: { file, packet }, expected, found };
      }),
    ).sort((a, b) => compare(a.place.file ?? '', b.place.file ?? ''));
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
