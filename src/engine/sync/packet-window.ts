/**
 * The packets that may still find their other end, oldest first, in typed arrays that are used in a circle: memory grows
 * with the packets that are open at one time, not with the trace. Packets have numbers in the order in which they came.
 */
import { widened } from '../base/columns.ts';

const FIRST_CAPACITY = 1024;

export const NONE = -1;

/** State of a packet: not compared with all others of its key yet, or its other end is known, or no other end is. */
export const PENDING = 0;
export const MATCHED = 1;
export const ALONE = 2;

export class PacketWindow {
  /** Numbers of the oldest packet and of the next one. */
  first = 0;
  next = 0;
  host = new Int32Array(FIRST_CAPACITY);
  row = new Int32Array(FIRST_CAPACITY);
  /** Common time, ns. */
  time = new Float64Array(FIRST_CAPACITY);
  /** 1 sent, 0 received. */
  isSent = new Uint8Array(FIRST_CAPACITY);
  /** PENDING, MATCHED or ALONE. */
  state = new Uint8Array(FIRST_CAPACITY);
  /** Group and flow of its key. */
  group = new Int32Array(FIRST_CAPACITY);
  flow = new Int32Array(FIRST_CAPACITY);
  /** Number of the next packet in the list of pending ones of its group; of the next and the one before of its flow. */
  inGroup = new Int32Array(FIRST_CAPACITY);
  inFlow = new Int32Array(FIRST_CAPACITY);
  beforeInFlow = new Int32Array(FIRST_CAPACITY);

  get length(): number {
    return this.next - this.first;
  }

  /** Place of a packet in the columns. */
  at(packet: number): number {
    return packet & (this.host.length - 1);
  }

  /** Adds a packet and returns its number. */
  push(host: number, row: number, time: number, isSent: boolean): number {
    if (this.length === this.host.length) this.#widen();
    const packet = this.next++;
    const at = this.at(packet);
    this.host[at] = host;
    this.row[at] = row;
    this.time[at] = time;
    this.isSent[at] = isSent ? 1 : 0;
    this.state[at] = PENDING;
    this.group[at] = NONE;
    this.flow[at] = NONE;
    this.inGroup[at] = NONE;
    this.inFlow[at] = NONE;
    this.beforeInFlow[at] = NONE;
    return packet;
  }

  /** Twice the room; the second half repeats the first, so that every packet is at its new place. */
  #widen(): void {
    const { length } = this.host;
    for (const name of ['host', 'row', 'group', 'flow', 'inGroup', 'inFlow', 'beforeInFlow'] as const) {
      this[name] = widened(this[name], 2 * length);
      this[name].copyWithin(length, 0, length);
    }
    this.time = widened(this.time, 2 * length);
    this.time.copyWithin(length, 0, length);
    for (const name of ['isSent', 'state'] as const) {
      this[name] = widened(this[name], 2 * length);
      this[name].copyWithin(length, 0, length);
    }
  }
}
