/** Statistics: interrupts by device, softirq, timer function and vector, of all CPUs, by CPU, or each by itself. */
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { InterruptKind, IrqStat, IrqStats } from '../../engine/protocol/statistics.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { visibleText } from '../format/text.ts';
import type { Column } from '../widgets/table/column.ts';
import { useChosenRow } from '../widgets/table/chosen-row.ts';
import { DurationDetail } from './duration-detail.tsx';
import {
  barred,
  distributionColumns,
  durationColumn,
  explained,
  hostColumns,
  nameCell,
  numberColumn,
  textColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import { EachTable } from './each-table.tsx';
import type { SectionProps } from './statistic-section.tsx';
import { SumsTable } from './sums-table.tsx';

type By = 'interrupt' | 'cpu' | 'each';

const CHOICES: readonly { readonly id: By; readonly title: string }[] = [
  { id: 'interrupt', title: 'Interrupt' },
  { id: 'cpu', title: 'CPU' },
  { id: 'each', title: 'Each' },
];

const KINDS: Readonly<Record<InterruptKind, string>> = {
  irq: 'device',
  softirq: 'softirq',
  timer: 'timer',
  vector: 'vector',
};

export function Interrupts({ stats, info, scope, lengthNs, view }: SectionProps<IrqStats>) {
  const by = useChoice('interrupts.by', CHOICES);
  const chosen = useChosenRow(keyOf, ({ run }) => run.totalNs);
  const choice = <Segmented label="Interrupts by" options={CHOICES} chosen={by.value} onChoose={by.choose} />;
  if (by.value === 'each' && stats.value?.interrupts.length !== 0) {
    return (
      <EachTable of="irq" view={view} info={info} scope={scope}>
        {choice}
      </EachTable>
    );
  }
  const rowsOf = ({ cpus, interrupts }: IrqStats) => (by.value === 'cpu' ? cpus : interrupts);
  const row = stats.value && chosen.rowOf(rowsOf(stats.value));
  return (
    <div class="with-detail">
      <SumsTable
        key={by.value}
        title={by.value === 'cpu' ? 'Interrupts by CPU' : 'Interrupts'}
        stats={stats}
        rowsOf={rowsOf}
        columnsOf={(rows) => columns(rows, by.value, lengthNs, info)}
        noun={by.value === 'cpu' ? 'row' : 'interrupt'}
        scope={scope}
        order={{ column: 'total', descending: true }}
        empty="No interrupt began and ended in this time."
        knownBy="Interrupts are known by the events of their entry and exit."
        note="Not all interrupts are here."
        keyOf={keyOf}
        onActivate={(one) => {
          chosen.choose(one);
          if (one.cpu !== undefined) view.show(`cpu:${one.host}:${one.cpu}`);
        }}
        isSelected={chosen.isChosen}
      >
        {choice}
      </SumsTable>
      {row && (
        <DurationDetail
          title={row.cpu === undefined ? titleOf(row) : `${titleOf(row)}, CPU ${row.cpu}`}
          parts={[
            { title: 'Entry to exit', stat: row.run, colour: 'var(--st-irq)' },
            { title: 'Raise to entry', stat: row.raised, colour: 'var(--st-ready)' },
          ]}
          longest="Longest"
          view={view}
        />
      )}
    </div>
  );
}

function keyOf({ host, cpu, kind, id, name }: IrqStat): string {
  return `${host} ${cpu ?? ''} ${kind} ${id} ${name}`;
}

function titleOf({ kind, name }: IrqStat): string {
  return kind === 'softirq' ? `softirq ${name}` : visibleText(name);
}

function columns(
  rows: readonly IrqStat[],
  by: By,
  lengthNs: number,
  info: ExperimentInfo,
): readonly Column<IrqStat>[] {
  const raised = (id: string, title: string, ns: (row: IrqStat) => number): Column<IrqStat> => {
    const column = durationColumn<IrqStat>(id, title, '92px', ns);
    return { ...column, cell: (row) => (row.raised.count === 0 ? '' : column.cell(row)) };
  };
  const { mean, p99, max } = distributionColumns<IrqStat>('84px', ({ run }) => run);
  return [
    nameCell<IrqStat>('Interrupt', titleOf),
    textColumn<IrqStat>('kind', 'Kind', '64px', (row) => KINDS[row.kind]),
    ...hostColumns<IrqStat>(info, (row) => row.host),
    ...(by === 'cpu' ? [numberColumn<IrqStat>('cpu', 'CPU', '48px', (row) => row.cpu ?? -1, true)] : []),
    numberColumn<IrqStat>('count', 'Count', '64px', (row) => row.run.count),
    wide(numberColumn('rate', 'per s', '64px', (row) => (1e9 * row.run.count) / Math.max(1, lengthNs))),
    barred(
      rows,
      () => 'var(--st-irq)',
      durationColumn('total', 'Took', 'minmax(120px, 168px)', (row) => row.run.totalNs),
    ),
    mean,
    wide(p99),
    max,
    explained(
      'From when a softirq was asked for to when it began: the mean',
      raised('raised', 'Raise to entry', (row) => row.raised.meanNs),
    ),
    wide(raised('raised-max', 'Longest raise', (row) => row.raised.maxNs)),
  ];
}
