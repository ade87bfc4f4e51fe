/** Statistics: how long threads waited for a CPU, after a wake-up and after a preemption. */
import { useComputed, useSignal } from '@preact/signals';
import type { ExperimentInfo, SchedStat, SchedStats } from '../../workers/session-api.ts';
import { plural, visibleText } from '../format/text.ts';
import { tidWords } from '../format/tid.ts';
import type { Column } from '../widgets/table/column.ts';
import { EachTable } from './each-table.tsx';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { DurationDetail } from './duration-detail.tsx';
import { MissingEvents } from '../opening/missing-events.tsx';
import {
  barred,
  distributionColumns,
  durationColumn,
  explained,
  hostColumns,
  nameCell,
  numberColumn,
  tidColumn,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { SectionProps } from './statistic-section.tsx';

const CHOICES = [
  { id: 'thread', title: 'Thread' },
  { id: 'each', title: 'Each' },
] as const;

export function Scheduling({ stats, info, scope, view }: SectionProps<SchedStats>) {
  const by = useChoice('scheduling.by', CHOICES);
  const chosen = useSignal<string | undefined>(undefined);
  const rows = useComputed(() => stats.value?.threads);
  const told = stats.value;
  if (told !== undefined && told.missing.length > 0) {
    return (
      <MissingEvents
        missing={told.missing}
        what="How long threads wait for a CPU follows from switches and wake-ups."
      />
    );
  }
  const choice = (
    <Segmented label="Waits for a CPU by" options={CHOICES} chosen={by.value} onChoose={by.choose} />
  );
  if (by.value === 'each') {
    return (
      <EachTable of="sched" view={view} info={info} scope={scope}>
        {choice}
      </EachTable>
    );
  }
  const row = told?.threads.find((thread) => thread.row === chosen.value);
  const shown = row ?? told;
  return (
    <div class="with-detail">
      <StatTable
        title="Scheduling latency"
        scope={`${scope}, ${plural(rows.value?.length ?? 0, 'thread')}`}
        columns={columns(rows.value ?? [], info)}
        rows={rows}
        order={{ column: 'total', descending: true }}
        empty="No thread came to a CPU in this time."
        keyOf={(thread) => thread.row}
        rowOf={(thread) => thread.row}
        onActivate={(thread) => {
          chosen.value = thread.row;
          view.show(thread.row);
        }}
        isSelected={(thread) => thread.row === chosen.value}
      >
        {choice}
      </StatTable>
      {shown && (
        <DurationDetail
          title={row ? `${visibleText(row.name)} ${tidWords({ id: row.row, tid: row.tid })}` : 'All threads'}
          parts={[
            { title: 'Woken to running', stat: shown.woken, colour: 'var(--st-ready)' },
            { title: 'Preempted to running', stat: shown.preempted, colour: 'var(--st-unknown)' },
          ]}
          longest="Longest waits"
          view={view}
        />
      )}
    </div>
  );
}

function columns(rows: readonly SchedStat[], info: ExperimentInfo | undefined): readonly Column<SchedStat>[] {
  const { mean, p50, p95, p99, max } = distributionColumns<SchedStat>('76px', ({ woken }) => woken);
  return [
    nameCell<SchedStat>('Thread', (row) => visibleText(row.name)),
    tidColumn<SchedStat>((row) => row),
    ...hostColumns<SchedStat>(info, (row) => row.host),
    explained(
      'How often something ended a wait of the thread',
      numberColumn<SchedStat>('count', 'Wake-ups', '72px', (row) => row.woken.count),
    ),
    explained(
      'From being woken to running: the sum',
      barred(
        rows,
        () => 'var(--st-ready)',
        durationColumn('total', 'Waited', 'minmax(120px, 168px)', (row) => row.woken.totalNs),
      ),
    ),
    mean,
    p50,
    p95,
    p99,
    max,
    explained(
      'Ready to run after another thread took the CPU: the sum',
      durationColumn('preempted', 'Preempted', '84px', (row) => row.preempted.totalNs),
    ),
  ];
}
