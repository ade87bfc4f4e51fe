/** Statistics: packets and bytes that network interfaces sent and received, by interface or by peer. */
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { InterfaceStat, NetStats, PeerStat } from '../../engine/protocol/statistics.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { visibleText } from '../format/text.ts';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  bytesColumn,
  explained,
  hostColumns,
  nameCell,
  numberColumn,
} from '../widgets/table/stat-columns.tsx';
import type { SectionProps } from './statistic-section.tsx';
import { SumsTable } from './sums-table.tsx';

type By = 'interface' | 'peer';

const CHOICES: readonly { readonly id: By; readonly title: string }[] = [
  { id: 'interface', title: 'Interface' },
  { id: 'peer', title: 'Peer' },
];
const BY_SENT = { column: 'sent', descending: true };

export function Network({ stats, info, scope }: SectionProps<NetStats>) {
  const by = useChoice('network.by', CHOICES);
  const table = {
    stats,
    scope,
    order: BY_SENT,
    empty: 'No packet was sent or received in this time.',
    knownBy: 'Packets are known by the events of network interfaces.',
    note: 'Not all packets are here.',
    children: <Segmented label="Packets by" options={CHOICES} chosen={by.value} onChoose={by.choose} />,
  };
  return by.value === 'interface' ? (
    <SumsTable
      key="interface"
      {...table}
      title="Packets by interface"
      noun="interface"
      rowsOf={({ interfaces }) => interfaces}
      columnsOf={(interfaces) => columns(info, interfaces)}
      keyOf={({ host, name }) => `${host} ${name}`}
    />
  ) : (
    <SumsTable
      key="peer"
      {...table}
      title="Packets by peer"
      noun="peer"
      rowsOf={({ peers }) => peers}
      columnsOf={(peers) => [peerColumn, ...columns(info, peers)]}
      keyOf={({ host, name, peer }) => `${host} ${name} ${peer}`}
    />
  );
}

const peerColumn: Column<PeerStat> = explained(
  'The address that packets go to or come from, by their headers',
  {
    ...nameCell<PeerStat>('Peer', ({ peer }) => peer || 'unknown'),
    id: 'peer',
  },
);

function columns<Row extends InterfaceStat>(
  info: ExperimentInfo,
  rows: readonly Row[],
): readonly Column<Row>[] {
  const sent = bytesColumn<Row>('sent', 'Sent', (row) => row.sent.bytes);
  const received = bytesColumn<Row>('received', 'Received', (row) => row.received.bytes);
  const count = (id: string, title: string, packets: (row: Row) => number) =>
    numberColumn<Row>(id, title, 'minmax(104px, 1fr)', packets);
  const colour = () => 'var(--st-net)';
  return [
    nameCell<Row>('Interface', ({ name }) => visibleText(name)),
    ...hostColumns<Row>(info, ({ host }) => host),
    explained('With the headers of the link', barred(rows, colour, sent)),
    count('sent-packets', 'Packets sent', (row) => row.sent.packets),
    explained('Without the headers of the link', barred(rows, colour, received)),
    count('received-packets', 'Packets received', (row) => row.received.packets),
  ];
}
