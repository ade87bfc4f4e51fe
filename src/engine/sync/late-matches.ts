/**
 * Matches that need all packets. If several packets have one key, clocks decide which one arrived. If addresses are
 * translated on the way (a service address, masquerading), no packet on another host has the same addresses, but TCP
 * numbers stay the same.
 */
import { addTo, groupBy } from '../base/group-by.ts';
import { KEY_TCP, KEY_UDP, type PacketRows } from '../linux/states/reduce/packet-rows.ts';
import { copiesOf, type OpenCopies, type PacketCopy } from './packet-copies.ts';
import type { PacketEvent, PacketKeys } from './packet-keys.ts';
import {
  linkCopies,
  MARK_AMBIGUOUS,
  MARK_REPEATED,
  MARK_WEAK,
  type PacketMatches,
} from './packet-matches.ts';
import { KeyGroups } from './packet-window.ts';

export interface CommonTime {
  /** Time of a packet on one axis, ns. */
  timeOf(host: number, row: number): number;
  /** Whether the relation of two hosts' clocks is known. */
  areJoined(a: number, b: number): boolean;
}

/**
 * Matches copies and receipts in order if there are as many. Else each receipt belongs to the last copy sent at least
 * the smallest delay before it; without joined clocks it stays unmatched.
 * @param matches filled, with MARK_AMBIGUOUS
 */
export function chooseCopies(
  open: readonly OpenCopies[],
  matches: readonly PacketMatches[],
  keys: PacketKeys,
  time: CommonTime,
): void {
  if (open.length === 0) return;
  const leastDelay = leastDelays(matches, keys, time);
  const at = ({ host, row }: PacketEvent) => time.timeOf(host, row);
  const lastOf = ({ events }: PacketCopy) => events[events.length - 1];
  for (const { sent, received } of open) {
    const from = [...sent].sort((a, b) => at(lastOf(a)) - at(lastOf(b)));
    const to = [...received].sort((a, b) => at(a.events[0]) - at(b.events[0]));
    const receiver = to[0].host;
    const areJoined = from.every(({ host }) => time.areJoined(host, receiver));
    const isOneSender = from.every(({ host }) => host === from[0].host);
    const isInOrder = from.length === to.length && (areJoined || isOneSender);
    if (!isInOrder && !areJoined) continue;
    const early: PacketCopy[] = [];
    let next = 0;
    to.forEach((copy, i) => {
      const arrival = at(copy.events[0]);
      const isEarly = (one: PacketCopy) => at(lastOf(one)) <= arrival - leastDelay(one.host, receiver);
      while (next < from.length && (isInOrder ? next <= i : isEarly(from[next]))) early.push(from[next++]);
      const sender = early.pop();
      if (sender === undefined) return;
      const { host, row } = sender.events[0];
      const weak = keys.protocol(host, row) === KEY_UDP ? MARK_WEAK : 0;
      linkCopies(matches, sender, copy, MARK_AMBIGUOUS | weak);
    });
  }
}

/** Smallest delay of packets between two hosts, either way, among certain matches; 0 without any. */
function leastDelays(
  matches: readonly PacketMatches[],
  keys: PacketKeys,
  time: CommonTime,
): (a: number, b: number) => number {
  const least = new Float64Array(matches.length ** 2).fill(Infinity);
  matches.forEach(({ peerHost, peer, marks }, host) => {
    for (let row = 0; row < peer.length; row++) {
      const sender = peerHost[row];
      if (sender < 0 || sender === host || keys.event(host, row).isSent) continue;
      if ((marks[row] & (MARK_AMBIGUOUS | MARK_REPEATED)) !== 0) continue;
      const pair = Math.min(host, sender) * matches.length + Math.max(host, sender);
      least[pair] = Math.min(least[pair], time.timeOf(host, row) - time.timeOf(sender, peer[row]));
    }
  });
  return (a, b) => {
    const delay = least[Math.min(a, b) * matches.length + Math.max(a, b)];
    return delay === Infinity ? 0 : delay;
  };
}

/**
 * Matches remaining packets by ports, numbers and identification if exactly one was sent and one was received on
 * another host.
 * @param matches filled, with MARK_WEAK
 * @returns sending and receipt of each, by time of the receipt on its host
 */
export function matchTranslated(
  hosts: readonly PacketRows[],
  keys: PacketKeys,
  matches: readonly PacketMatches[],
): (readonly [PacketEvent, PacketEvent])[] {
  const left = groupsOfLeft(hosts, keys, matches);
  const found: (readonly [PacketEvent, PacketEvent])[] = [];
  for (const events of left) {
    const sameAddresses = groupBy(events, ({ host, row }) => keys.addresses(host, row)).values();
    const copies = [...sameAddresses].flatMap((same) => copiesOf(same, keys));
    const [sent, received] = [onlyOf(copies, true), onlyOf(copies, false)];
    if (sent === undefined || received === undefined || sent.host === received.host) continue;
    found.push(linkCopies(matches, sent, received, MARK_WEAK));
  }
  return found.sort(([, a], [, b]) => a.time - b.time || a.host - b.host || a.row - b.row);
}

function onlyOf(copies: readonly PacketCopy[], isSent: boolean): PacketCopy | undefined {
  const found = copies.filter((copy) => copy.isSent === isSent);
  return found.length === 1 ? found[0] : undefined;
}

/** Unmatched TCP packets that share the untranslated parts with others, in order of host and row. */
function groupsOfLeft(
  hosts: readonly PacketRows[],
  keys: PacketKeys,
  matches: readonly PacketMatches[],
): PacketEvent[][] {
  const groups = new KeyGroups();
  const events: PacketEvent[] = [];
  const groupOf: number[] = [];
  hosts.forEach(({ length }, host) => {
    const { peerHost, marks } = matches[host];
    for (let row = 0; row < length; row++) {
      if (peerHost[row] >= 0 || (marks[row] & MARK_AMBIGUOUS) !== 0) continue;
      if (keys.protocol(host, row) !== KEY_TCP) continue;
      const isSame = (newest: number) =>
        keys.isTranslated(host, row, events[newest].host, events[newest].row);
      groupOf.push(groups.join(keys.translatedHash(host, row), events.length, isSame));
      events.push(keys.event(host, row));
    }
  });
  const shared = new Map<number, PacketEvent[]>();
  events.forEach((event, i) => {
    if (groups.members[groupOf[i]] > 1) addTo(shared, groupOf[i], event);
  });
  return [...shared.values()];
}
