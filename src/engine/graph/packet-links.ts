/**
 * Packets of one host whose sender is known, by the interrupt or the thread that received them. Matching them is the
 * work of synchronisation; what the path needs of it is `MatchedPackets`.
 */
import { addTo } from '../base/group-by.ts';
import { type MatchedPackets, PACKET_RECEIVED, type PacketRows } from '../linux/states/reduce/packet-rows.ts';

export class PacketLinks {
  readonly #packets: PacketRows;
  /** Matched received packets by interrupt number, and those outside of any by worker; each in order of time. */
  readonly #byFrame = new Map<number, number[]>();
  readonly #byThread = new Map<number, number[]>();

  constructor({ packets, senderHost }: MatchedPackets) {
    this.#packets = packets;
    const { direction, frame, worker, length } = packets;
    for (let row = 0; row < length; row++) {
      if (direction[row] !== PACKET_RECEIVED || senderHost[row] < 0) continue;
      if (frame[row] > 0) addTo(this.#byFrame, frame[row], row);
      else addTo(this.#byThread, worker[row], row);
    }
  }

  /** Rows that an interrupt received, in order of time. */
  ofFrame(frame: number): readonly number[] {
    return this.#byFrame.get(frame) ?? [];
  }

  /** Rows that a thread (row of the thread table) received itself, in order of time. */
  ofThread(thread: number): readonly number[] {
    return this.#byThread.get(thread) ?? [];
  }

  /** HostNs of the host. */
  time(row: number): number {
    return this.#packets.time[row];
  }
}
