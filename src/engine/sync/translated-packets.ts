/**
 * Packets whose addresses are translated on the way (a service address, masquerading): no packet with the same addresses
 * is on another host, but the numbers of TCP are.
 */
import { addTo, groupBy } from '../base/group-by.ts';
import { KEY_TCP, type PacketRows } from '../linux/states/reduce/packet-rows.ts';
import { KeyGroups } from './key-groups.ts';
import { copiesOf, type PacketCopy } from './packet-copies.ts';
import type { PacketEvent, PacketKeys } from './packet-keys.ts';
import { linkCopies, MARK_AMBIGUOUS, MARK_WEAK, type PacketMatches } from './packet-matches.ts';

/**
 * Matches packets that are left, by ports, numbers and identification, where just one was sent and just one was received
 * on another host.
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

/** Packets of TCP without another end that have what stays of them in common with others, in order of host and row. */
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
