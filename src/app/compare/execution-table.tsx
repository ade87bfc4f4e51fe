/** The executions of a group; a click shows one on the timeline with its critical path. */
import { useComputed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { causes } from '../../engine/layers/executions/ranking/cause-words.ts';
import { formatDuration } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { PartsBar } from '../widgets/table/bars.tsx';
import type { Column } from '../widgets/table/column.ts';
import { msColumn, numberColumn, textColumn } from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { type ComparedProps, showExecution } from './compare-page.ts';
import type { Comparison } from './comparison.ts';
import type { GroupName } from './group-rule.ts';
import { ownTime } from './own-time.ts';

interface ExecutionTableProps extends ComparedProps {
  readonly group: GroupName;
}

export function ExecutionTable({ page, comparison, group }: ExecutionTableProps) {
  const { compare } = page;
  const rows = useComputed(() => {
    const groups = compare.rested.value;
    return groups && [...groups[group]];
  });
  const known = useComputed(() => {
    const ranking = group === 'b' ? compare.ranking.value : undefined;
    const answer = compare.comparison.value?.answer;
    return ranking && answer && causes(ranking.nodes, answer.isElapsed);
  });
  const { durations } = comparison;
  const [id, ...others] = useMemo(() => columns(comparison), [comparison]);
  const groups = compare.rested.value;
  const name = group.toUpperCase();
  return (
    <StatTable
      title={`Group ${name}`}
      scope={`median ${formatDuration(medianOf(rows.value ?? [], durations))}`}
      rows={rows}
      columns={[
        id,
        ...hostColumn(comparison, groups?.[group] ?? new Int32Array(0)),
        ...others,
        ...(known.value ? [causeColumn(known.value)] : []),
      ]}
      order={{ column: 'duration', descending: true }}
      empty="No execution is in this group."
      keyOf={String}
      // Executions of another trace are on no timeline.
      onActivate={
        page.view === undefined || (group === 'a' && compare.rule.value.kind === 'traces')
          ? undefined
          : (execution) => showExecution(page, comparison, execution)
      }
      isSelected={(execution) => execution === compare.shown.value}
    />
  );
}

/** The column of what explains each execution of B, also on narrow screens. */
function causeColumn(known: ReadonlyMap<number, string>): Column<number> {
  const column = textColumn<number>('cause', 'Cause', 'minmax(140px, 4fr)', (i) => known.get(i) ?? '');
  return { ...column, wideOnly: false };
}

/** Where the executions of a group end on several hosts. */
function hostColumn({ answer, hosts }: Comparison, group: Int32Array): readonly Column<number>[] {
  const hostOf = (i: number) => answer.threads[answer.thread[i]].host;
  if (group.length === 0 || group.every((i) => hostOf(i) === hostOf(group[0]))) return [];
  const column = textColumn<number>('host', 'Host', '88px', (i) => visibleText(hosts[hostOf(i)] ?? ''));
  return [{ ...column, wideOnly: false }];
}

function columns({ answer, durations }: Comparison): readonly Column<number>[] {
  const { definition, metrics, threads, thread } = answer;
  const [key] = definition.key;
  const ids = metrics.find((metric) => metric.name === `begin.${key}`);
  return [
    ids?.texts === undefined
      ? numberColumn('id', ids === undefined ? 'Number' : key, '48px', (i) => ids?.values[i] ?? i)
      : textColumn('id', key, '160px', (i) => ids.texts?.get(i) ?? String(ids.values[i])),
    {
      id: 'thread',
      title: 'Thread',
      width: 'minmax(96px, 1fr)',
      numeric: false,
      value: (i) => threads[thread[i]].name,
      cell: (i) => (
        <span class="table-name ellipsis">
          {visibleText(threads[thread[i]].name)} <span class="mono faint">{threads[thread[i]].tid}</span>
        </span>
      ),
    },
    msColumn('duration', 'Duration, ms', '72px', (i) => durations[i]),
    // Without a kernel's trace nothing tells of states.
    ...(answer.isElapsed ? [] : [statesColumn(answer, durations)]),
  ];
}

function statesColumn(answer: Comparison['answer'], durations: Float64Array): Column<number> {
  const parts = ownTime(answer);
  return {
    id: 'states',
    title: 'Time by state',
    width: 'minmax(56px, 0.7fr)',
    numeric: false,
    sortable: false,
    wideOnly: true,
    value: (i) =>
      parts(i)
        .map(({ label, ns }) => `${label} ${ns}`)
        .join(', '),
    cell: (i) => <PartsBar parts={parts(i)} total={durations[i]} />,
  };
}

function medianOf(rows: readonly number[], durations: Float64Array): number {
  const sorted = Float64Array.from(rows, (i) => durations[i]).sort();
  return sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
}
