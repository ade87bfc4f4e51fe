/**
 * Packets that were cut or joined on the way (segmentation offload): which packet held the last byte of one that has no
 * equal. Connections mostly send byte after byte, so a search begins where the last one ended, both ways.
 */
import { widened } from '../base/columns.ts';
import { WORD_LENGTH, WORD_SEQUENCE } from '../linux/states/reduce/packet-rows.ts';
import type { PacketKeys } from './packet-keys.ts';
import { KeyGroups, NONE, type PacketWindow } from './packet-window.ts';

/** Packets looked at for one: bounds the work that a trace can cause. */
const MOST_STEPS = 1024;

export class RangeMatcher {
  readonly #flows = new KeyGroups();
  /** Columns by flow: end of the last search; end of the bytes sent so far; 1 when bytes were sent again. */
  #cursor = new Int32Array(0);
  #end = new Uint32Array(0);
  #repeats = new Uint8Array(0);
  #host = 0;
  #row = 0;
  readonly #isSameFlow = (newest: number): boolean => {
    const { host, row } = this.window;
    const at = this.window.at(newest);
    return this.keys.isSameFlow(this.#host, this.#row, host[at], row[at]);
  };

  constructor(
    private readonly keys: PacketKeys,
    private readonly window: PacketWindow,
  ) {}

  add(packet: number, isSent: boolean): void {
    const window = this.window;
    const at = window.at(packet);
    this.#host = window.host[at];
    this.#row = window.row[at];
    const flow = this.#flows.join(this.keys.flowHash(this.#host, this.#row), packet, this.#isSameFlow);
    window.flow[at] = flow;
    if (this.#flows.members[flow] === 1) this.#open(flow);
    if (!isSent) return;
    const seq = this.keys.word(this.#host, this.#row, WORD_SEQUENCE);
    const end = (seq + this.keys.word(this.#host, this.#row, WORD_LENGTH)) >>> 0;
    const last = this.#flows.last[flow];
    if (last === NONE) this.#flows.first[flow] = packet;
    else {
      window.inFlow[window.at(last)] = packet;
      window.beforeInFlow[at] = last;
      if (((seq - this.#end[flow]) | 0) < 0) this.#repeats[flow] = 1;
    }
    this.#flows.last[flow] = packet;
    this.#end[flow] = end;
  }

  /** Takes the oldest packet out. */
  remove(packet: number): void {
    const window = this.window;
    const at = window.at(packet);
    const flow = window.flow[at];
    if (flow === NONE) return;
    if (this.#flows.first[flow] === packet) {
      this.#flows.first[flow] = window.inFlow[at];
      if (window.inFlow[at] === NONE) this.#flows.last[flow] = NONE;
      else window.beforeInFlow[window.at(window.inFlow[at])] = NONE;
    }
    if (this.#cursor[flow] === packet) this.#cursor[flow] = this.#flows.first[flow];
    this.#flows.leave(flow);
  }

  /** The sent packet that holds the last byte of a received one, NONE: there is none. */
  find(packet: number): number {
    const window = this.window;
    const at = window.at(packet);
    const flow = window.flow[at];
    if (flow === NONE) return NONE;
    const { host, row } = window;
    const seq = this.keys.word(host[at], row[at], WORD_SEQUENCE);
    const length = this.keys.word(host[at], row[at], WORD_LENGTH);
    let later = this.#cursor[flow] === NONE ? this.#flows.first[flow] : this.#cursor[flow];
    let earlier = later === NONE ? NONE : window.beforeInFlow[window.at(later)];
    for (let steps = 0; steps < MOST_STEPS && (later !== NONE || earlier !== NONE); steps++) {
      if (later !== NONE) {
        if (this.#holdsEnd(later, seq, length)) return (this.#cursor[flow] = later);
        later = window.inFlow[window.at(later)];
      }
      if (earlier !== NONE) {
        if (this.#holdsEnd(earlier, seq, length)) return (this.#cursor[flow] = earlier);
        earlier = window.beforeInFlow[window.at(earlier)];
      }
    }
    return NONE;
  }

  /** Whether no byte of the packet's flow was seen to be sent twice: then `find` gives the only one. */
  isUnique(packet: number): boolean {
    const flow = this.window.flow[this.window.at(packet)];
    return flow !== NONE && this.#repeats[flow] === 0;
  }

  #open(flow: number): void {
    if (flow >= this.#cursor.length) {
      const capacity = Math.max(256, 2 * flow);
      this.#cursor = widened(this.#cursor, capacity);
      this.#end = widened(this.#end, capacity);
      this.#repeats = widened(this.#repeats, capacity);
    }
    this.#cursor[flow] = NONE;
    this.#end[flow] = 0;
    this.#repeats[flow] = 0;
  }

  /**
   * Whether a packet held the last of `length` bytes from `seq`. One of just these bytes was not cut: it would be known
   * as an equal, and is the same bytes sent another time. Sequence numbers go round: distances count.
   */
  #holdsEnd(packet: number, seq: number, length: number): boolean {
    const { host, row } = this.window;
    const at = this.window.at(packet);
    const ownSeq = this.keys.word(host[at], row[at], WORD_SEQUENCE);
    const ownLength = this.keys.word(host[at], row[at], WORD_LENGTH);
    if (ownSeq === seq && ownLength === length) return false;
    return (seq + length - 1 - ownSeq) >>> 0 < ownLength;
  }
}
