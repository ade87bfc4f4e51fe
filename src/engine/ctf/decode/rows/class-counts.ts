/** Counts of each event class in a chunk, and in each of its packets (`rows.ts`). */
import type { ClassCounts, PacketClasses } from './rows.ts';

export function createCounts(classes: number): ClassCounts {
  return {
    events: new Float64Array(classes),
    bits: new Float64Array(classes),
    first: new Float64Array(classes).fill(Number.NaN),
    last: new Float64Array(classes).fill(Number.NaN),
  };
}

/** Longest packet whose events have their times as 32-bit numbers, ns. */
const LONGEST_PACKET_NS = 2 ** 32 - 1;

/** Adds up what a decoder counts, packet by packet. */
export class CountSums {
  readonly counts: ClassCounts;
  readonly #ends: number[] = [];
  readonly #begin: number[] = [];
  readonly #classes: number[] = [];
  readonly #events: number[] = [];
  readonly #first: number[] = [];
  readonly #last: number[] = [];
  #isShort = true;

  constructor(classes: number) {
    this.counts = createCounts(classes);
  }

  /** Adds events of a class, once per class and packet. */
  add(cls: number, events: number, bits: number, first: number, last: number): void {
    const { counts } = this;
    if (counts.events[cls] === 0) counts.first[cls] = first;
    counts.events[cls] += events;
    counts.bits[cls] += bits;
    counts.last[cls] = last;
    this.#classes.push(cls);
    this.#events.push(events);
    this.#first.push(first);
    this.#last.push(last);
  }

  /** @param begin HostNs of the packet's first event */
  endPacket(begin: number): void {
    for (let at = this.#ends.at(-1) ?? 0; at < this.#classes.length; at++) {
      this.#first[at] -= begin;
      this.#last[at] -= begin;
      if (!(this.#last[at] <= LONGEST_PACKET_NS)) this.#isShort = false;
    }
    this.#ends.push(this.#classes.length);
    this.#begin.push(begin);
  }

  /** Counts by packet; undefined: a packet is too long for them. */
  get packets(): PacketClasses | undefined {
    if (!this.#isShort) return undefined;
    return {
      ends: Uint32Array.from(this.#ends),
      begin: Float64Array.from(this.#begin),
      classes: Uint16Array.from(this.#classes),
      events: Uint32Array.from(this.#events),
      first: Uint32Array.from(this.#first),
      last: Uint32Array.from(this.#last),
    };
  }
}
