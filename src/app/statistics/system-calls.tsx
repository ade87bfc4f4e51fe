/** Statistics: system calls, by call, by thread or by both, with what they waited for. */
import { useComputed } from '@preact/signals';
import type { CallStat, CallStats } from '../../engine/protocol/statistics.ts';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { errorsText } from '../format/errno.ts';
import { plural, visibleText } from '../format/text.ts';
import { tidWords } from '../format/tid.ts';
import { PartsBar } from '../widgets/table/bars.tsx';
import { blockedParts } from '../widgets/table/state-parts.ts';
import type { Column } from '../widgets/table/column.ts';
import { useChosenRow } from '../widgets/table/chosen-row.ts';
import { DurationDetail } from './duration-detail.tsx';
import { EachTable } from './each-table.tsx';
import { MissingEvents } from '../opening/missing-events.tsx';
import {
  barred,
  distributionColumns,
  durationColumn,
  hostColumns,
  nameCell,
  numberColumn,
  tidColumn,
  wide,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { SectionProps } from './statistic-section.tsx';

type By = 'call' | 'thread' | 'both' | 'each';

const CHOICES: readonly { readonly id: By; readonly title: string }[] = [
  { id: 'call', title: 'Call' },
  { id: 'thread', title: 'Thread' },
  { id: 'both', title: 'Both' },
  { id: 'each', title: 'Each' },
];

export function SystemCalls({ stats, info, scope, view }: SectionProps<CallStats>) {
  const by = useChoice('system-calls.by', CHOICES);
  const chosen = useChosenRow(keyOf, ({ durations }) => durations.totalNs);
  const rows = useComputed(() => stats.value && rowsOf(stats.value, by.value));
  const told = stats.value;
  if (told !== undefined && told.missing.length > 0) {
    return (
      <MissingEvents
        missing={told.missing}
        what="System calls are known by the events of their entry and exit."
      />
    );
  }
  const choice = (
    <Segmented label="System calls by" options={CHOICES} chosen={by.value} onChoose={by.choose} />
  );
  if (by.value === 'each') {
    return (
      <EachTable of="syscalls" view={view} info={info} scope={scope}>
        {choice}
      </EachTable>
    );
  }
  const all = rows.value ?? [];
  const row = chosen.rowOf(all);
  const about = told?.approximate ? '≈ ' : '';
  return (
    <div class="with-detail">
      <StatTable
        key={by.value}
        title="System calls"
        scope={`${about}${scope}, ${plural(told?.calls.length ?? 0, 'call')}`}
        columns={columns(all, by.value, info)}
        rows={rows}
        order={{ column: 'total', descending: true }}
        empty="No system call returned in this time."
        keyOf={keyOf}
        rowOf={(one) => one.row}
        onActivate={(one) => {
          chosen.choose(one);
          if (one.row !== undefined) view.show(one.row);
        }}
        isSelected={chosen.isChosen}
      >
        {choice}
      </StatTable>
      {row && (
        <DurationDetail
          title={titleOf(row)}
          parts={[{ title: 'Entry to return', stat: row.durations, colour: 'var(--st-kernel)' }]}
          longest="Longest calls"
          areCalls
          view={view}
        />
      )}
    </div>
  );
}

function rowsOf({ calls, threads, pairs }: CallStats, by: By): readonly CallStat[] {
  if (by === 'call') return calls;
  return by === 'thread' ? threads : pairs;
}

function keyOf({ row, call }: CallStat): string {
  return `${row ?? ''} ${call}`;
}

function titleOf({ call, row, name, tid }: CallStat): string {
  const thread = row === undefined ? '' : `${visibleText(name)} ${tidWords({ id: row, tid })}`;
  return [visibleText(call), thread].filter((text) => text !== '').join(', ');
}

function columns(
  rows: readonly CallStat[],
  by: By,
  info: ExperimentInfo | undefined,
): readonly Column<CallStat>[] {
  const failed = (row: CallStat) => row.errors.reduce((sum, { count }) => sum + count, 0);
  const thread = [
    nameCell<CallStat>('Thread', (row) => visibleText(row.name)),
    tidColumn<CallStat>((row) => row),
    ...hostColumns<CallStat>(info, (row) => row.host),
  ];
  const { mean, p50, p95, p99, max } = distributionColumns<CallStat>('84px', ({ durations }) => durations);
  const call = { ...nameCell<CallStat>('Call', (row) => visibleText(row.call)), id: 'call' };
  return [
    ...(by === 'thread' ? thread : by === 'call' ? [call] : [...thread, call]),
    numberColumn<CallStat>('count', 'Calls', '64px', (row) => row.durations.count),
    {
      ...numberColumn<CallStat>('failed', 'Failed', '56px', failed),
      cell: (row) => <span title={errorsText(row.errors, '\n')}>{failed(row) === 0 ? '' : failed(row)}</span>,
    },
    barred(
      rows,
      () => 'var(--st-kernel)',
      durationColumn('total', 'Took', 'minmax(112px, 168px)', (row) => row.durations.totalNs),
    ),
    {
      id: 'blocked',
      title: 'Blocked on',
      about: 'How much of the time the thread was blocked, and by what',
      copyTitle: 'Blocked, ns',
      width: 'minmax(72px, 1fr)',
      numeric: false,
      value: (row) => row.blockedNs.reduce((sum, ns) => sum + ns, 0),
      cell: (row) => <PartsBar parts={blockedParts(row.blockedNs)} total={row.durations.totalNs} />,
    },
    mean,
    p50,
    p95,
    wide(p99),
    max,
  ];
}
