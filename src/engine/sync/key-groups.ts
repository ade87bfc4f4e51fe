/**
 * Packets of the window by what they have in common: a key, or a connection and direction. A group lives as long as one
 * of its packets is in the window, and is found by any of them.
 */
import { widened } from '../base/columns.ts';
import { firstSlot } from '../base/hash.ts';
import { NONE } from './packet-window.ts';

const FIRST_CAPACITY = 256;

export class KeyGroups {
  #used = 0;
  #free = NONE;
  #alive = 0;
  #buckets = new Int32Array(FIRST_CAPACITY).fill(NONE);
  hash = new Int32Array(FIRST_CAPACITY);
  /** Next group in the bucket, or in the list of free ones. */
  #chain = new Int32Array(FIRST_CAPACITY);
  /** Packets in the window, and the number of the newest, which stands for the group. */
  members = new Int32Array(FIRST_CAPACITY);
  newest = new Int32Array(FIRST_CAPACITY);
  /** First and last of a list of its packets, which who asks keeps. */
  first = new Int32Array(FIRST_CAPACITY);
  last = new Int32Array(FIRST_CAPACITY);

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

  /** A packet left the window. */
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

  /** Twice as many buckets. */
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
    this.hash = widened(this.hash, capacity);
    this.#chain = widened(this.#chain, capacity);
    this.members = widened(this.members, capacity);
    this.newest = widened(this.newest, capacity);
    this.first = widened(this.first, capacity);
    this.last = widened(this.last, capacity);
  }
}
