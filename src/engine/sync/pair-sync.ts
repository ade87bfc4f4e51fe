/** Knowledge of two hosts: how many packets there are, and how their clocks relate. */
import {
  PACKET_SENT,
  type PacketRows,
  WORD_DESTINATION,
  WORD_SOURCE,
} from '../linux/states/reduce/packet-rows.ts';
import type { ClockLines } from './clock-transform.ts';
import type { PacketKeys } from './packet-keys.ts';
import { MARK_AMBIGUOUS, MARK_REPEATED, MARK_WEAK, type PacketMatches } from './packet-matches.ts';
import type { HostPairs, PairState } from './pair-clock.ts';

export interface PairSync {
  /** Hosts; lines go from a's times to b's, undefined: nothing known. */
  readonly a: number;
  readonly b: number;
  readonly state: PairState;
  readonly lines: ClockLines | undefined;
  /** Packets with both ends known, and those of them that could be others. */
  readonly matched: number;
  readonly ambiguous: number;
  /** Packets among `matched` that a weaker sign joins: UDP by order, TCP by numbers where addresses were translated. */
  readonly weak: number;
  /** Packets between the two that only one of them recorded. */
  readonly oneWay: number;
  /** Bound of the lines' error while packets went, ns, and ns per ns; Infinity: not known. */
  readonly uncertaintyNs: number;
  readonly driftUncertainty: number;
  /** First and last packet that counts, HostNs of a; NaN: none. */
  readonly from: number;
  readonly to: number;
}

/** All pairs of hosts with packets, in order. */
export function pairSync(
  hosts: readonly PacketRows[],
  keys: PacketKeys,
  matches: readonly PacketMatches[],
  clocks: HostPairs,
): PairSync[] {
  const counts = countMatches(hosts, keys, matches);
  const pairs: PairSync[] = [];
  for (let a = 0; a < hosts.length; a++) {
    for (let b = a + 1; b < hosts.length; b++) {
      if (hosts[a].length === 0 || hosts[b].length === 0) continue;
      const clock = clocks.get(a, b);
      pairs.push({
        a,
        b,
        state: clock?.state ?? 'absent',
        lines: clock?.lines(),
        ...counts(a, b),
        uncertaintyNs: clock?.uncertainty() ?? Infinity,
        driftUncertainty: clock?.driftUncertainty ?? Infinity,
        from: clock?.span.from ?? NaN,
        to: clock?.span.to ?? NaN,
      });
    }
  }
  return pairs;
}

type Counts = Pick<PairSync, 'matched' | 'ambiguous' | 'weak' | 'oneWay'>;

function countMatches(
  hosts: readonly PacketRows[],
  keys: PacketKeys,
  matches: readonly PacketMatches[],
): (a: number, b: number) => Counts {
  const size = hosts.length;
  const counts = Array.from({ length: size * size }, () => ({
    matched: 0,
    ambiguous: 0,
    weak: 0,
    oneWay: 0,
  }));
  const owners = ownersOf(hosts, keys, matches);
  hosts.forEach(({ length, direction }, host) => {
    const { peerHost, peer, marks } = matches[host];
    for (let row = 0; row < length; row++) {
      const isSent = direction[row] === PACKET_SENT;
      const other = peerHost[row];
      if (other < 0) {
        const word = isSent ? WORD_DESTINATION : WORD_SOURCE;
        const owner = owners.get(keys.address(host, row, word));
        if (owner !== undefined && owner !== host) counts[host * size + owner].oneWay++;
      } else if (!isSent && other !== host && peer[row] >= 0 && (marks[row] & MARK_REPEATED) === 0) {
        const own = counts[host * size + other];
        own.matched++;
        if ((marks[row] & MARK_AMBIGUOUS) !== 0) own.ambiguous++;
        if ((marks[row] & MARK_WEAK) !== 0) own.weak++;
      }
    }
  });
  return (a, b) => {
    const [to, from] = [counts[a * size + b], counts[b * size + a]];
    return {
      matched: to.matched + from.matched,
      ambiguous: to.ambiguous + from.ambiguous,
      weak: to.weak + from.weak,
      oneWay: to.oneWay + from.oneWay,
    };
  };
}

/** Owner of each address, by packets that went from one host to another. Socket events know no addresses (0). */
function ownersOf(
  hosts: readonly PacketRows[],
  keys: PacketKeys,
  matches: readonly PacketMatches[],
): ReadonlyMap<number, number> {
  const owners = new Map<number, number>();
  hosts.forEach(({ length, direction }, host) => {
    const { peerHost } = matches[host];
    for (let row = 0; row < length; row++) {
      if (peerHost[row] < 0 || peerHost[row] === host || direction[row] === PACKET_SENT) continue;
      owners.set(keys.address(host, row, WORD_SOURCE), peerHost[row]);
      owners.set(keys.address(host, row, WORD_DESTINATION), host);
    }
  });
  owners.delete(0);
  return owners;
}
