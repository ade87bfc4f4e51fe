/** Tables of packets and bytes of network interfaces, by interface and by peer. */
import { bytes, count, host, name } from '../columns.ts';
import type { StatColumn, StatTable, StatisticTables } from '../columns.ts';
import type { InterfaceStat, NetStats, PeerStat } from '../../../protocol/statistics.ts';

const SUMS = {
  ...{ sent: 'sent bytes', 'sent-packets': 'packets' },
  ...{ received: 'received bytes', 'received-packets': 'packets' },
};

const interfaces: StatTable<NetStats, InterfaceStat> = {
  ...{ list: 'interfaces', by: 'interface', title: 'Packets by interface', noun: 'interface' },
  keyOf: (row) => `${row.host} ${row.name}`,
  columns,
  printed: { ...SUMS, name: 'interface' },
  chosenBy: 'name',
  compare,
};

const peers: StatTable<NetStats, PeerStat> = {
  ...{ list: 'peers', by: 'peer', title: 'Packets by peer', noun: 'peer' },
  keyOf: (row) => `${row.host} ${row.name} ${row.peer}`,
  columns: () => [
    name('Peer', ({ peer }) => peer || 'unknown', {
      id: 'peer',
      about: 'The address that packets go to or come from, by their headers',
    }),
    ...columns<PeerStat>(),
  ],
  printed: { ...SUMS, name: 'interface', peer: 'peer' },
  chosenBy: 'name',
  compare,
};

export const net: StatisticTables<NetStats> = {
  title: 'Network',
  essential: ['packet-sent', 'packet-received'],
  choice: { name: 'network', label: 'Packets by' },
  kept: ['network'],
  order: { column: 'sent', descending: true },
  empty: 'No packet was sent or received in this time.',
  knownBy: 'Packets are known by the events of network interfaces.',
  note: 'Not all packets are here.',
  tables: [interfaces, peers],
};

function columns<Row extends InterfaceStat>(): readonly StatColumn<Row>[] {
  const sum = { bar: 'st-net', adds: true };
  const packets = { width: 'minmax(104px, 1fr)', adds: true };
  return [
    name('Interface', (row) => row.name, { hostOf: (row) => row.host }),
    host(),
    bytes('sent', 'Sent', ({ sent }) => sent.bytes, { ...sum, about: 'With the headers of the link' }),
    count('sent-packets', 'Packets sent', ({ sent }) => sent.packets, packets),
    bytes('received', 'Received', ({ received }) => received.bytes, {
      ...sum,
      about: 'Without the headers of the link',
    }),
    count('received-packets', 'Packets received', ({ received }) => received.packets, packets),
  ];
}

/** Most bytes first. */
function compare(a: InterfaceStat, b: InterfaceStat): number {
  return b.sent.bytes + b.received.bytes - (a.sent.bytes + a.received.bytes);
}
