/** Statistics: packets and bytes that network interfaces sent and received, by interface or by peer. */
import { useComputed } from '@preact/signals';
import type { ExperimentInfo, InterfaceStat, NetStats, PeerStat } from '../../workers/session-api.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { plural, visibleText } from '../format/text.ts';
import { MissingEvents, WithMissingNote } from '../opening/missing-events.tsx';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  bytesColumn,
  explained,
  hostColumns,
  nameCell,
  numberColumn,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { SectionProps } from './statistic-section.tsx';

type By = 'interface' | 'peer';

const CHOICES: readonly { readonly id: By; readonly title: string }[] = [
  { id: 'interface', title: 'Interface' },
  { id: 'peer', title: 'Peer' },
];
const BY_SENT = { column: 'sent', descending: true };
const EMPTY = 'No packet was sent or received in this time.';

export function Network({ stats, info, scope }: SectionProps<NetStats>) {
  const by = useChoice('network.by', CHOICES);
  const interfaces = useComputed(() => stats.value?.interfaces);
  const peers = useComputed(() => stats.value?.peers);
  const told = stats.value;
  const missing = told?.missing ?? [];
  if (told !== undefined && told.interfaces.length === 0 && missing.length > 0)
    return <MissingEvents missing={missing} what="Packets are known by the events of network interfaces." />;
  const about = told?.approximate ? '≈ ' : '';
  const choice = <Segmented label="Packets by" options={CHOICES} chosen={by.value} onChoose={by.choose} />;
  return (
    <WithMissingNote missing={missing} what="Not all packets are here.">
      {by.value === 'interface' ? (
        <StatTable
          key="interface"
          title="Packets by interface"
          scope={`${about}${scope}, ${plural(told?.interfaces.length ?? 0, 'interface')}`}
          columns={columns(info, told?.interfaces ?? [])}
          rows={interfaces}
          order={BY_SENT}
          empty={EMPTY}
          keyOf={({ host, name }) => `${host} ${name}`}
        >
          {choice}
        </StatTable>
      ) : (
        <StatTable
          key="peer"
          title="Packets by peer"
          scope={`${about}${scope}, ${plural(told?.peers.length ?? 0, 'peer')}`}
          columns={[peerColumn, ...columns(info, told?.peers ?? [])]}
          rows={peers}
          order={BY_SENT}
          empty={EMPTY}
          keyOf={({ host, name, peer }) => `${host} ${name} ${peer}`}
        >
          {choice}
        </StatTable>
      )}
    </WithMissingNote>
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
