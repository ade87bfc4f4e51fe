/**
 * Packets that may still find their other end, oldest first, in circular typed arrays: memory grows with the packets
 * that are open at one time, not with the trace. Packets are numbered in order of arrival.
 */
import { widened } from '../base/columns.ts';
import { firstSlot } from '../base/hash.ts';

const FIRST_CAPACITY = 1024;

export const NONE = -1;

/** State of a packet: not yet compared with all others of its key; matched; or without other end. */
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
  /** Number of the next packet in the list of pending ones of its group; of the next and previous one of its flow. */
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

  /** Doubles the room; the second half repeats the first, so that every packet is at its new place. */
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

const FIRST_GROUPS = 256;

/**
 * Packets of the window grouped by key, or by connection and direction. A group lives as long as one of its packets
 * is in the window, and is found through any of them.
 */
export class KeyGroups {
  #used = 0;
  #free = NONE;
  #alive = 0;
  #buckets = new Int32Array(FIRST_GROUPS).fill(NONE);
  hash = new Int32Array(FIRST_GROUPS);
  /** Next group in the bucket, or in the list of free ones. */
  #chain = new Int32Array(FIRST_GROUPS);
  /** Number of packets in the window, and the newest one's number, which represents the group. */
  members = new Int32Array(FIRST_GROUPS);
  newest = new Int32Array(FIRST_GROUPS);
  /** First and last of a list of its packets, which callers maintain. */
  first = new Int32Array(FIRST_GROUPS);
  last = new Int32Array(FIRST_GROUPS);

  /**
   * The group of a packet, made if there is none.
   * @param isSame whether packet `newest` of the window has the same key
   */
  join(hash: number, packet: number, isSame: (newest: number) => boolean): number {
    let group = this.#buckets[this.#bucketOf(hash)];
    while (group !== NONE && (this.hash[group] !== hash || !isSame(this.newest[group])))
      group = this.#chain[group];
    if (group === NONE) group = this.#add(hash);
    this.members[group]++;
    this.newest[group] = packet;
    return group;
  }

  leave(group: number): void {
    if (--this.members[group] > 0) return;
    const bucket = this.#bucketOf(this.hash[group]);
    if (this.#buckets[bucket] === group) this.#buckets[bucket] = this.#chain[group];
    else {
      let before = this.#buckets[bucket];
      while (this.#chain[before] !== group) before = this.#chain[before];
      this.#chain[before] = this.#chain[group];
    }
    this.#chain[group] = this.#free;
    this.#free = group;
    this.#alive--;
  }

  #add(hash: number): number {
    if (this.#alive >= this.#buckets.length) this.#spread();
    let group = this.#free;
    if (group === NONE) {
      if (this.#used === this.hash.length) this.#widen();
      group = this.#used++;
    } else this.#free = this.#chain[group];
    this.#alive++;
    this.hash[group] = hash;
    this.members[group] = 0;
    this.first[group] = this.last[group] = NONE;
    this.#link(group);
    return group;
  }

  #bucketOf(hash: number): number {
    return firstSlot(hash, this.#buckets.length - 1);
  }

  #link(group: number): void {
    const bucket = this.#bucketOf(this.hash[group]);
    this.#chain[group] = this.#buckets[bucket];
    this.#buckets[bucket] = group;
  }

  /** Doubles the number of buckets. */
  #spread(): void {
    const old = this.#buckets;
    this.#buckets = new Int32Array(2 * old.length).fill(NONE);
    for (const first of old) {
      for (let group = first; group !== NONE;) {
        const next = this.#chain[group];
        this.#link(group);
        group = next;
      }
    }
  }

  #widen(): void {
    const capacity = 2 * this.hash.length;
    this.#chain = widened(this.#chain, capacity);
    for (const name of ['hash', 'members', 'newest', 'first', 'last'] as const)
      this[name] = widened(this[name], capacity);
  }
}
