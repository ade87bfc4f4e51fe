/**
 * Finds the two ends of packets. Packets come in about the order of one common time; of equal ones the first sent and
 * the first received belong together. A packet is decided when no later one can change what is known of it, and
 * forgotten when none can need it: so memory stays small where the hosts' times are about the same.
 */
import { KEY_TCP, KEY_UDP, WORD_LENGTH } from '../linux/states/reduce/packet-rows.ts';
import { KeyGroups } from './key-groups.ts';
import { LateKeys } from './late-keys.ts';
import type { PacketKeys } from './packet-keys.ts';
import { MARK_AMBIGUOUS, MARK_RANGE, MARK_WEAK } from './packet-matches.ts';
import type { PacketMatches } from './packet-matches.ts';
import { NONE, PacketWindow } from './packet-window.ts';
import { RangeMatcher } from './range-matcher.ts';

/** A match between rows of two hosts, or of one; its marks are in the columns of both. */
export type MatchListener = (sentHost: number, sent: number, receivedHost: number, received: number) => void;

export interface MatcherListeners {
  /** Called at once, when it may still turn out to be ambiguous. */
  readonly onMatch?: MatchListener;
  /** Called when it is decided. */
  readonly onDecided: MatchListener;
}

/** Received packets that one sent later looks at for one of another host. */
const MOST_PASSED = 8;

export class PacketMatcher {
  readonly #keys: PacketKeys;
  readonly #matches: readonly PacketMatches[];
  readonly #listeners: MatcherListeners;
  readonly #window = new PacketWindow();
  readonly #groups = new KeyGroups();
  readonly #ranges: RangeMatcher;
  readonly #late = new LateKeys();
  /** Packets before this one are decided. */
  #decided = 0;
  #host = 0;
  #row = 0;
  readonly #isSameKey = (newest: number): boolean => {
    const { host, row } = this.#window;
    const at = this.#window.at(newest);
    return this.#keys.areEqual(this.#host, this.#row, host[at], row[at]);
  };

  constructor(keys: PacketKeys, matches: readonly PacketMatches[], listeners: MatcherListeners) {
    this.#keys = keys;
    this.#matches = matches;
    this.#listeners = listeners;
    this.#ranges = new RangeMatcher(keys, this.#window);
  }

  /** Packets that came when their other end, most probably, was forgotten already. */
  get late(): number {
    return this.#late.count;
  }

  /** Takes the next packet; `time`: in the common time, ns, about ascending. */
  add(host: number, row: number, isSent: boolean, time: number): void {
    const window = this.#window;
    const packet = window.push(host, row, time, isSent);
    this.#host = host;
    this.#row = row;
    const group = this.#groups.join(this.#keys.hash(host, row), packet, this.#isSameKey);
    window.group[window.at(packet)] = group;
    const hasRange =
      this.#keys.protocol(host, row) === KEY_TCP && this.#keys.word(host, row, WORD_LENGTH) > 0;
    if (isSent) {
      this.#groups.sent[group]++;
      const other = this.#takeSentBy(group, host);
      if (hasRange) this.#ranges.add(packet, true);
      if (other === NONE) this.#wait(group, packet, true);
      else this.#match(packet, other);
    } else {
      if (hasRange) this.#ranges.add(packet, false);
      this.#groups.received[group]++;
      const other = this.#takeSent(group);
      if (other === NONE) this.#wait(group, packet, false);
      else this.#match(other, packet);
    }
  }

  /** Decides what is older than `time`, and forgets what is older than `time - horizon`. */
  expire(time: number, horizon: number): void {
    const window = this.#window;
    while (this.#decided < window.next && window.time[window.at(this.#decided)] < time) this.#decide();
    while (window.first < this.#decided && window.time[window.at(window.first)] < time - horizon)
      this.#forget();
  }

  /** No packet follows. */
  finish(): void {
    while (this.#decided < this.#window.next) this.#decide();
    while (this.#window.first < this.#window.next) this.#forget();
  }

  #wait(group: number, packet: number, isSent: boolean): void {
    const window = this.#window;
    const { firstSent, lastSent, firstReceived, lastReceived } = this.#groups;
    const first = isSent ? firstSent : firstReceived;
    const last = isSent ? lastSent : lastReceived;
    if (last[group] === NONE) first[group] = packet;
    else window.inGroup[window.at(last[group])] = packet;
    last[group] = packet;
  }

  #takeSent(group: number): number {
    const { firstSent, lastSent } = this.#groups;
    const packet = firstSent[group];
    if (packet === NONE) return NONE;
    firstSent[group] = this.#window.inGroup[this.#window.at(packet)];
    if (firstSent[group] === NONE) lastSent[group] = NONE;
    return packet;
  }

  /**
   * The first received packet that waits and a packet of `host` may have led to that is not among the ranges yet. One
   * whose bytes were sent before, within a larger packet, came by that: these are the same bytes again.
   */
  #takeSentBy(group: number, host: number): number {
    const window = this.#window;
    let other = this.#takeReceived(group, host);
    while (other !== NONE && window.mate[window.at(other)] !== NONE) other = this.#takeReceived(group, host);
    if (other === NONE || !this.#matchRange(other, false)) return other;
    return this.#takeReceived(group, host);
  }

  /** A packet cannot have led to one that its own host received before: there the clock is the same. */
  #takeReceived(group: number, host: number): number {
    const window = this.#window;
    const { firstReceived, lastReceived } = this.#groups;
    let before = NONE;
    let packet = firstReceived[group];
    for (let passed = 0; packet !== NONE && window.host[window.at(packet)] === host; passed++) {
      if (passed === MOST_PASSED) return NONE;
      before = packet;
      packet = window.inGroup[window.at(packet)];
    }
    if (packet === NONE) return NONE;
    const next = window.inGroup[window.at(packet)];
    if (before === NONE) firstReceived[group] = next;
    else window.inGroup[window.at(before)] = next;
    if (next === NONE) lastReceived[group] = before;
    return packet;
  }

  #match(sent: number, received: number): void {
    const window = this.#window;
    const s = window.at(sent);
    const r = window.at(received);
    window.mate[s] = received;
    window.mate[r] = sent;
    this.#link(s, r, this.#keys.protocol(window.host[s], window.row[s]) === KEY_UDP ? MARK_WEAK : 0);
    this.#listeners.onMatch?.(window.host[s], window.row[s], window.host[r], window.row[r]);
  }

  /** Writes a match down, of packets at places of the window. */
  #link(s: number, r: number, marks: number): void {
    const { host, row } = this.#window;
    const sent = this.#matches[host[s]];
    const received = this.#matches[host[r]];
    sent.peerHost[row[s]] = host[r];
    sent.peer[row[s]] = row[r];
    received.peerHost[row[r]] = host[s];
    received.peer[row[r]] = row[s];
    sent.marks[row[s]] |= marks;
    received.marks[row[r]] |= marks;
  }

  #decide(): void {
    const window = this.#window;
    const packet = this.#decided++;
    const at = window.at(packet);
    const { sent, received } = this.#groups;
    const group = window.group[at];
    const mate = window.mate[at];
    if (mate !== NONE) {
      const other = window.at(mate);
      if (sent[group] > 1 || received[group] > 1) {
        this.#matches[window.host[at]].marks[window.row[at]] |= MARK_AMBIGUOUS;
        this.#matches[window.host[other]].marks[window.row[other]] |= MARK_AMBIGUOUS;
      }
      // Of the two the later one reports the match; a range is reported when it is found.
      if (mate < packet && window.mate[other] === packet)
        this.#tell(window.isSent[at] === 1 ? at : other, window.isSent[at] === 1 ? other : at);
    } else if (window.isSent[at] === 0) this.#matchRange(packet, this.#ranges.isUnique(packet));
  }

  /**
   * Matches a received packet with one that held its last byte, and reports it.
   * @param isUnique its bytes were sent once
   * @returns whether there is one
   */
  #matchRange(packet: number, isUnique: boolean): boolean {
    const window = this.#window;
    const at = window.at(packet);
    const whole = this.#ranges.find(packet);
    if (whole === NONE) return false;
    this.#link(window.at(whole), at, MARK_RANGE | (isUnique ? 0 : MARK_AMBIGUOUS));
    window.mate[at] = whole;
    this.#tell(window.at(whole), at);
    return true;
  }

  #tell(s: number, r: number): void {
    const { host, row } = this.#window;
    this.#listeners.onDecided(host[s], row[s], host[r], row[r]);
  }

  #forget(): void {
    const window = this.#window;
    const packet = window.first;
    const at = window.at(packet);
    const group = window.group[at];
    const isSent = window.isSent[at] === 1;
    const { firstSent, firstReceived } = this.#groups;
    // Packets that wait are in the order of the window: the oldest is the first.
    if (isSent && firstSent[group] === packet) this.#takeSent(group);
    if (!isSent && firstReceived[group] === packet) this.#takeReceived(group, NONE);
    if (window.mate[at] === NONE) this.#late.forget(this.#keys.mark(window.host[at], window.row[at]), isSent);
    this.#ranges.remove(packet);
    this.#groups.leave(group);
    window.first++;
  }
}
