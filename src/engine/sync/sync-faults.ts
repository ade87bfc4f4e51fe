/** Reasons why hosts' clocks are not known, or not well: as faults, each with what to record (docs/errors.md). */
import type { Fault } from '../base/fault.ts';
import {
  KEY_BUFFER,
  KEY_LONG_ADDRESSES,
  KEY_PROTOCOL,
  PACKET_KEY_WORDS,
  WORD_DESTINATION,
  WORD_SOURCE,
} from '../linux/states/reduce/packet-rows.ts';
import type { PacketRows } from '../linux/states/reduce/packet-rows.ts';
import { MARK_AMBIGUOUS, type PacketMatches } from './packet-matches.ts';
import type { SyncHost, Synchronisation } from './synchronise.ts';

export function syncFaults(
  hosts: readonly SyncHost[],
  { pairs, matches }: Pick<Synchronisation, 'pairs' | 'matches'>,
): Fault[] {
  const faults: Fault[] = [];
  const silent = hosts.filter(({ packets }) => packets.length === 0);
  if (hosts.length > 1) {
    for (const { name } of silent) faults.push({ code: 'sync-no-packets', place: {}, found: `host ${name}` });
  }
  const isUnclear = matches.map(({ marks }) => marks.some((mark) => (mark & MARK_AMBIGUOUS) !== 0));
  for (const { a, b, state, matched } of pairs) {
    const found = `${hosts[a].name} and ${hosts[b].name}`;
    if (state === 'failed') faults.push({ code: 'sync-failed', place: {}, found });
    if (isConnected(a, b, pairs)) continue;
    const isMet = matched > 0 || (isUnclear[a] && isUnclear[b]);
    faults.push({ code: isMet ? 'sync-unclear' : 'sync-no-match', place: {}, found });
  }
  hosts.forEach(({ name, packets }, host) => {
    const strangers = strangersOf(packets, matches[host]);
    const hasMatch = matches[host].peerHost.some((other) => other >= 0 && other !== host);
    if (strangers === 0 || hasMatch || pairs.some(({ a, b }) => a === host || b === host)) return;
    faults.push({ code: 'sync-peer-missing', place: {}, found: `${strangers} packets of host ${name}` });
  });
  return faults;
}

/** Whether it is known how the clocks of two hosts relate, by way of others too. */
function isConnected(a: number, b: number, pairs: Synchronisation['pairs']): boolean {
  const known = new Set([a]);
  for (const host of known) {
    for (const pair of pairs) {
      if (pair.lines === undefined || (pair.a !== host && pair.b !== host)) continue;
      known.add(pair.a).add(pair.b);
    }
  }
  return known.has(b);
}

const LOOPBACK_NET = 127;

/** Packets to or from others of which the other end is in no trace. */
function strangersOf({ length, key, keyKind }: PacketRows, { peerHost }: PacketMatches): number {
  let count = 0;
  for (let row = 0; row < length; row++) {
    if (peerHost[row] >= 0 || (keyKind[row] & KEY_PROTOCOL) === KEY_BUFFER) continue;
    const at = row * PACKET_KEY_WORDS;
    const isOwn = key[at + WORD_SOURCE] === key[at + WORD_DESTINATION] && key[at + WORD_SOURCE] !== 0;
    const isLoopback =
      key[at + WORD_SOURCE] >>> 24 === LOOPBACK_NET && (keyKind[row] & KEY_LONG_ADDRESSES) === 0;
    if (!isOwn && !isLoopback) count++;
  }
  return count;
}
