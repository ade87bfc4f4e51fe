/** `stats net`: packets and bytes by network interface, and by the peers of each. */
import type { InterfaceStat, NetStats, PeerStat } from '../../engine/protocol/statistics.ts';
import { print } from '../output.ts';
import type { TraceSession } from '../trace-session.ts';
import type { StatFilter } from './stat-filter.ts';
import { hostName, printMissing, type Statistic } from './statistic.ts';
import { printTable } from './table.ts';

/** Most bytes first. */
export function statNet(told: NetStats, session: TraceSession, filter: StatFilter): Statistic {
  const chosen = <Row extends InterfaceStat>(rows: readonly Row[]) =>
    filter.limited(rows.filter(({ name }) => filter.isNamed(name)).sort((a, b) => bytesOf(b) - bytesOf(a)));
  const interfaces = chosen(told.interfaces);
  const peers = chosen(told.peers);
  const { missing } = told;
  const named = <Row extends InterfaceStat>({ host, ...row }: Row) => ({
    ...hostName(session, host),
    ...row,
  });
  return {
    json: { interfaces: interfaces.map(named), peers: peers.map(named), missing },
    print() {
      printMissing(missing);
      printTable(
        [...SUMS, 'interface'],
        interfaces.map((row) => [...sumsOf(row), prefixed(session, row)]),
      );
      print();
      printTable(
        [...SUMS, 'interface', 'peer'],
        peers.map((row: PeerStat) => [...sumsOf(row), prefixed(session, row), row.peer || 'unknown']),
      );
    },
  };
}

const SUMS = ['sent bytes', 'packets', 'received bytes', 'packets'];

function sumsOf({ sent, received }: InterfaceStat): number[] {
  return [sent.bytes, sent.packets, received.bytes, received.packets];
}

function bytesOf({ sent, received }: InterfaceStat): number {
  return sent.bytes + received.bytes;
}

function prefixed({ hosts }: TraceSession, { host, name }: InterfaceStat): string {
  return (hosts.find(({ index }) => index === host)?.prefix ?? '') + name;
}
