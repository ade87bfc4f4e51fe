/**
 * Finds the two ends of packets, which come roughly in order of common time. All packets of a key are compared once
 * no later one can belong to them, and dropped once none can need them: so memory stays small if the hosts' times are
 * about the same.
 */
import {
  KEY_BUFFER,
  KEY_TCP,
  KEY_UDP,
  WORD_BUFFER,
  WORD_ID,
  WORD_LENGTH,
} from '../linux/states/reduce/packet-rows.ts';
import { KeyGroups } from './packet-window.ts';
import { copiesOf, matchCopies, type OpenCopies, type PacketCopy } from './packet-copies.ts';
import type { PacketEvent, PacketKeys } from './packet-keys.ts';
import {
  link,
  linkCopies,
  MARK_AMBIGUOUS,
  MARK_RANGE,
  MARK_WEAK,
  type PacketMatches,
} from './packet-matches.ts';
import { ALONE, MATCHED, NONE, PacketWindow, PENDING } from './packet-window.ts';
import { RangeMatcher } from './range-matcher.ts';

/** A match between rows of two hosts, or of one; its marks are in the columns of both. */
export type MatchListener = (sentHost: number, sent: number, receivedHost: number, received: number) => void;

export interface MatcherListeners {
  /** Called at once, when the match may still change. */
  readonly onMatch?: MatchListener;
  /** Called when the match is final. */
  readonly onDecided: MatchListener;
}

interface WindowEvent extends PacketEvent {
  /** Its number in the window. */
  readonly packet: number;
}

/** Packets of one key for which matches are reported at once. */
const MOST_TOLD = 8;

export class PacketMatcher {
  readonly #keys: PacketKeys;
  readonly #matches: readonly PacketMatches[];
  readonly #listeners: MatcherListeners;
  readonly #window = new PacketWindow();
  readonly #groups = new KeyGroups();
  readonly #ranges: RangeMatcher;
  readonly #late = new LateKeys();
  /** Row of the packet in a buffer in transit within a host, by host and digest of the buffer. */
  readonly #buffers = new Map<string, number>();
  /** Packets that only clocks can distinguish. */
  readonly open: OpenCopies[] = [];
  /** Number up to which no later packet can belong to these. */
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

  /** Number of packets that came after their other end was probably dropped. */
  get late(): number {
    return this.#late.count;
  }

  /** Adds the next packet; `time`: common time, ns, roughly ascending. */
  add(host: number, row: number, isSent: boolean, time: number): void {
    if (this.#keys.protocol(host, row) === KEY_BUFFER) {
      this.#addBuffer(host, row, isSent);
      return;
    }
    const window = this.#window;
    const packet = window.push(host, row, time, isSent);
    this.#host = host;
    this.#row = row;
    const group = this.#groups.join(this.#keys.hash(host, row), packet, this.#isSameKey);
    window.group[window.at(packet)] = group;
    if (this.#keys.protocol(host, row) === KEY_TCP && this.#keys.word(host, row, WORD_LENGTH) > 0)
      this.#ranges.add(packet, isSent);
    if (this.#listeners.onMatch !== undefined) this.#tellEarly(group, packet, this.#listeners.onMatch);
    this.#wait(group, packet);
  }

  /** Decides packets older than `time`, and drops those older than `time - horizon`. */
  expire(time: number, horizon: number): void {
    const window = this.#window;
    while (this.#decided < window.next && window.time[window.at(this.#decided)] < time) this.#decide();
    while (window.first < this.#decided && window.time[window.at(window.first)] < time - horizon)
      this.#forget();
  }

  /** Decides all, as no packet follows. */
  finish(): void {
    while (this.#decided < this.#window.next) this.#decide();
    while (this.#window.first < this.#window.next) this.#forget();
  }

  /** Matches by buffer, which holds one packet at a time, from its sending until its receipt. */
  #addBuffer(host: number, row: number, isSent: boolean): void {
    const buffer = `${host} ${this.#keys.word(host, row, WORD_BUFFER)}`;
    const sent = this.#buffers.get(buffer);
    if (isSent) this.#buffers.set(buffer, row);
    else if (sent !== undefined) {
      this.#buffers.delete(buffer);
      link(this.#matches, { host, row: sent }, { host, row }, 0);
      this.#listeners.onDecided(host, sent, host, row);
    }
  }

  #wait(group: number, packet: number): void {
    const window = this.#window;
    const { first, last } = this.#groups;
    window.inGroup[window.at(packet)] = NONE;
    if (last[group] === NONE) first[group] = packet;
    else window.inGroup[window.at(last[group])] = packet;
    last[group] = packet;
  }

  /** Reports a match with the newest other end; without identification only for a key's first two packets. */
  #tellEarly(group: number, packet: number, tell: MatchListener): void {
    const window = this.#window;
    const at = window.at(packet);
    const most = this.#isIdentified(at) ? MOST_TOLD : 1;
    let other = NONE;
    let next = this.#groups.first[group];
    for (let count = 0; next !== NONE; count++) {
      const place = window.at(next);
      if (count === most) return;
      if (window.isSent[place] !== window.isSent[at] && this.#idsFit(place, at)) other = next;
      next = window.inGroup[place];
    }
    if (other === NONE) return;
    const [s, r] = window.isSent[at] === 1 ? [at, window.at(other)] : [window.at(other), at];
    tell(window.host[s], window.row[s], window.host[r], window.row[r]);
  }

  /** Decides packets whose key is complete. */
  #decide(): void {
    const window = this.#window;
    const packet = this.#decided++;
    const at = window.at(packet);
    const group = window.group[at];
    if (window.state[at] === PENDING && this.#groups.last[group] === packet) this.#settle(group, Infinity);
  }

  /**
   * Matches all pending packets of a key.
   * @param young packets from this one on stay pending when they find no other end
   */
  #settle(group: number, young: number): void {
    const window = this.#window;
    const events: WindowEvent[] = [];
    for (let packet = this.#groups.first[group]; packet !== NONE;) {
      const at = window.at(packet);
      events.push({ packet, ...this.#keys.event(window.host[at], window.row[at]) });
      packet = window.inGroup[at];
    }
    this.#groups.first[group] = this.#groups.last[group] = NONE;
    if (!this.#settleTwo(events)) this.#settleMany(events, young);
    for (const { packet } of events) {
      const at = window.at(packet);
      if (window.state[at] !== PENDING) continue;
      if (packet < young) window.state[at] = ALONE;
      else this.#wait(group, packet);
    }
  }

  /** Settles the common case: sent once, and received at most once. */
  #settleTwo(events: readonly WindowEvent[]): boolean {
    if (events.length > 2) return false;
    const sent = events.find(({ isSent }) => isSent);
    const received = events.find(({ isSent }) => !isSent);
    if (sent === undefined || received === undefined) {
      if (events.length > 1) return false;
      if (received !== undefined) this.#matchRange(received, this.#ranges.isUnique(received.packet));
      return true;
    }
    const isOwn = sent.host === received.host;
    const window = this.#window;
    if (
      !this.#idsFit(window.at(sent.packet), window.at(received.packet)) ||
      (isOwn && sent.time > received.time)
    )
      return false;
    if (!isOwn && this.#cameWithin(sent, received)) return true;
    this.#match(sent, received);
    return true;
  }

  #settleMany(events: readonly WindowEvent[], young: number): void {
    const { own, between, open, left } = matchCopies(copiesOf(events, this.#keys));
    for (const [sent, received] of own) this.#match(sent, received);
    for (const [sent, received] of between) {
      if (!this.#cameWithin(sent.events[0], received.events[0])) this.#matchCopies(sent, received);
    }
    for (const { sent, received } of open) {
      const from = sent.filter((copy) => copy.events[0].packet < young);
      const to = received.filter(
        (copy) => copy.events[0].packet < young && !this.#cameWithin(sent[0].events[0], copy.events[0]),
      );
      if (from.length === 0 || to.length === 0) continue;
      this.open.push({ sent: from, received: to });
      for (const copy of [...from, ...to]) this.#note(copy, MARK_AMBIGUOUS);
    }
    for (const { isSent, events: of } of left)
      if (!isSent && of[0].packet < young) this.#matchRange(of[0], this.#ranges.isUnique(of[0].packet));
  }

  /**
   * Whether a packet that arrived before the one of its key was sent came within a larger packet sent before: then it
   * is matched with that, and this one repeats the bytes.
   */
  #cameWithin(sent: WindowEvent, received: WindowEvent): boolean {
    if (sent.packet < received.packet || this.#isIdentified(this.#window.at(received.packet))) return false;
    return this.#matchRange(received, false, sent.packet);
  }

  /**
   * Matches a received packet with one that held its last byte, and reports it.
   * @param isUnique its bytes were sent once
   * @param before number of a packet that was sent later
   * @returns whether there is one
   */
  #matchRange(received: WindowEvent, isUnique: boolean, before = Infinity): boolean {
    const window = this.#window;
    const whole = this.#ranges.find(received.packet);
    if (whole === NONE || whole >= before) return false;
    const at = window.at(whole);
    const sent = { host: window.host[at], row: window.row[at] };
    link(this.#matches, sent, received, MARK_RANGE | (isUnique ? 0 : MARK_AMBIGUOUS));
    window.state[window.at(received.packet)] = MATCHED;
    this.#listeners.onDecided(sent.host, sent.row, received.host, received.row);
    return true;
  }

  #match(sent: WindowEvent, received: WindowEvent): void {
    link(this.#matches, sent, received, this.#weakness(sent));
    this.#window.state[this.#window.at(sent.packet)] = MATCHED;
    this.#window.state[this.#window.at(received.packet)] = MATCHED;
    this.#listeners.onDecided(sent.host, sent.row, received.host, received.row);
  }

  #matchCopies(sent: PacketCopy<WindowEvent>, received: PacketCopy<WindowEvent>): void {
    const [s, r] = linkCopies(this.#matches, sent, received, this.#weakness(sent.events[0]));
    this.#note(sent, 0);
    this.#note(received, 0);
    this.#listeners.onDecided(s.host, s.row, r.host, r.row);
  }

  /** Marks the events of a packet as done. */
  #note({ events }: PacketCopy<WindowEvent>, marks: number): void {
    for (const { packet, host, row } of events) {
      this.#window.state[this.#window.at(packet)] = MATCHED;
      this.#matches[host].marks[row] |= marks;
    }
  }

  #weakness({ host, row }: PacketEvent): number {
    return this.#keys.protocol(host, row) === KEY_UDP ? MARK_WEAK : 0;
  }

  #isIdentified(at: number): boolean {
    return this.#keys.word(this.#window.host[at], this.#window.row[at], WORD_ID) !== 0;
  }

  /** Whether two packets have the same identification, or one has none. */
  #idsFit(a: number, b: number): boolean {
    const { host, row } = this.#window;
    const id = this.#keys.word(host[a], row[a], WORD_ID);
    const other = this.#keys.word(host[b], row[b], WORD_ID);
    return id === other || id === 0 || other === 0;
  }

  #forget(): void {
    const window = this.#window;
    const packet = window.first;
    const at = window.at(packet);
    if (window.state[at] === PENDING) this.#settle(window.group[at], this.#decided);
    if (window.state[at] === ALONE)
      this.#late.forget(this.#keys.mark(window.host[at], window.row[at]), window.isSent[at] === 1);
    this.#ranges.remove(packet);
    this.#groups.leave(window.group[at]);
    window.first++;
  }
}

/**
 * Detects packets that were dropped too early: a sent and a received one with the same key, both unmatched. Of keys
 * with the same place only the last is kept, so that memory stays constant.
 */
const PLACES = 2 ** 14;

class LateKeys {
  readonly #sent = new Int32Array(PLACES);
  readonly #received = new Int32Array(PLACES);
  /** Pairs noticed. */
  count = 0;

  /** Notes a dropped unmatched packet; `mark`: of its key (`PacketKeys.mark`). */
  forget(mark: number, isSent: boolean): void {
    const own = isSent ? this.#sent : this.#received;
    const other = isSent ? this.#received : this.#sent;
    const at = mark & (PLACES - 1);
    if (other[at] === mark && mark !== 0) {
      this.count++;
      other[at] = 0;
    } else own[at] = mark;
  }
}
