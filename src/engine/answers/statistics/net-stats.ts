/** Packets and bytes of a range by network interface, and by the peers of each. */
import { groupBy } from '../../base/group-by.ts';
import { addTraffic, network, type NetworkChunk } from '../../linux/sums/network/network.ts';
import { aggregateOf } from './range-aggregates.ts';
import { type Counted, statistic, type StatisticScope } from './statistic.ts';
import type { InterfaceStat, NetStats, PeerStat } from '../../protocol/statistics.ts';
import { net as tables } from './tables/net.ts';

export const net = statistic<NetStats>({
  tables,
  needs: [['packet-sent', 'packet-transmitted'], ['packet-received']],
  none: { approximate: false, interfaces: [], peers: [] },
  count,
});

async function count(scope: StatisticScope): Promise<Counted<NetStats>> {
  const peers: PeerStat[] = [];
  let approximate = false;
  for (const host of scope.hosts) {
    const answer = await aggregateOf<NetworkChunk>(network.id, scope, host);
    approximate ||= answer.approximate;
    for (const { interface: name, ...traffic } of answer.result) peers.push({ name, ...traffic });
  }
  const interfaces = groupBy(peers, ({ host, name }) => `${host} ${name}`);
  return { approximate, interfaces: Array.from(interfaces.values(), interfaceOf), peers };
}

function interfaceOf([first, ...rest]: readonly PeerStat[]): InterfaceStat {
  const { host, name, sent, received } = rest.reduce(addTraffic<PeerStat>, first);
  return { host, name, sent, received };
}
