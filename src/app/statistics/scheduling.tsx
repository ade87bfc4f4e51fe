/** Statistics: how long threads waited for a CPU, after a wake-up and after a preemption. */
import { useComputed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type {
  SchedPriorityStat,
  SchedStat,
  SchedStats,
  SchedWaits,
} from '../../engine/protocol/statistics.ts';
import { useApp } from '../context/app-context.ts';
import { useLatestAnswer } from '../experiment/live-answer.ts';
import { priorityWords } from '../format/priority.ts';
import { plural, visibleText } from '../format/text.ts';
import { tidWords } from '../format/tid.ts';
import { isReading } from '../opening/progress-row.tsx';
import type { ViewModel } from '../timeline/timeline.tsx';
import { useChosenRow } from '../widgets/table/chosen-row.ts';
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
  { id: 'priority', title: 'Priority' },
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
  if (by.value === 'priority') {
    return (
      <ByPriority info={info} scope={scope} view={view}>
        {choice}
      </ByPriority>
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
        <WaitsDetail
          title={row ? `${visibleText(row.name)} ${tidWords({ id: row.row, tid: row.tid })}` : 'All threads'}
          waits={shown}
          view={view}
        />
      )}
    </div>
  );
}

interface ByPriorityProps extends Pick<SectionProps<SchedStats>, 'info' | 'scope' | 'view'> {
  readonly children: ComponentChildren;
}

/** All switches are read for it, so it is asked for when it is looked at. */
function ByPriority({ info, scope, view, children }: ByPriorityProps) {
  const { session, experiment } = useApp();
  const answer = useLatestAnswer(
    () => ({
      range: view.range.value,
      isReading: isReading(experiment.progress.value),
      hasFiles: experiment.hasFiles.value,
    }),
    ({ range }, signal) => session.ask('sched', { range, withPriorities: true }, { signal }),
  );
  const chosen = useChosenRow(keyOf, ({ woken }) => woken.totalNs);
  const rows = useComputed(() => answer.value && (answer.value.priorities ?? []));
  const all = rows.value ?? [];
  const row = chosen.rowOf(all);
  return (
    <div class="with-detail">
      <StatTable
        key="priority"
        title="Scheduling latency by priority"
        scope={`${scope}, ${plural(all.length, 'priority', 'priorities')}`}
        columns={[priorityColumn, ...hostColumns(info, hostOf), threadsColumn, ...waitColumns(all)]}
        rows={rows}
        order={{ column: 'priority', descending: false }}
        empty={
          experiment.hasFiles.value
            ? 'No thread came to a CPU in this time.'
            : 'Priorities are read from the files of the trace. Open them again.'
        }
        keyOf={keyOf}
        onActivate={chosen.choose}
        isSelected={chosen.isChosen}
      >
        {children}
      </StatTable>
      {row && <WaitsDetail title={`Priority ${priorityText(row)}`} waits={row} view={view} />}
    </div>
  );
}

function keyOf({ host, priority }: SchedPriorityStat): string {
  return `${host} ${priority}`;
}

function hostOf({ host }: SchedPriorityStat): number {
  return host;
}

/** "20, nice 0". */
function priorityText({ priority }: SchedPriorityStat): string {
  if (priority === undefined) return 'unknown';
  const words = priorityWords(priority);
  return words === undefined ? String(priority) : `${priority}, ${words}`;
}

const priorityColumn: Column<SchedPriorityStat> = {
  ...nameCell<SchedPriorityStat>('Priority', priorityText),
  id: 'priority',
  value: ({ priority = NaN }) => priority,
};
const threadsColumn = explained(
  'How many came to a CPU by it',
  numberColumn<SchedPriorityStat>('threads', 'Threads', '72px', ({ threads }) => threads),
);

interface WaitsDetailProps {
  readonly title: string;
  readonly waits: SchedWaits;
  readonly view: ViewModel;
}

function WaitsDetail({ title, waits: { woken, preempted }, view }: WaitsDetailProps) {
  return (
    <DurationDetail
      title={title}
      parts={[
        { title: 'Woken to running', stat: woken, colour: 'var(--st-ready)' },
        { title: 'Preempted to running', stat: preempted, colour: 'var(--st-unknown)' },
      ]}
      longest="Longest waits"
      view={view}
    />
  );
}

function columns(rows: readonly SchedStat[], info: ExperimentInfo | undefined): readonly Column<SchedStat>[] {
  return [
    nameCell<SchedStat>('Thread', (row) => visibleText(row.name)),
    tidColumn<SchedStat>((row) => row),
    ...hostColumns<SchedStat>(info, (row) => row.host),
    ...waitColumns(rows),
  ];
}

function waitColumns<Row extends SchedWaits>(rows: readonly Row[]): readonly Column<Row>[] {
  const { mean, p50, p95, p99, max } = distributionColumns<Row>('76px', ({ woken }) => woken);
  return [
    explained(
      'How often something ended a wait of the thread',
      numberColumn<Row>('count', 'Wake-ups', '72px', (row) => row.woken.count),
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
