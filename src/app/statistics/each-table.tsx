/** Statistics: every system call, wait for a CPU, or read, write and sync by itself. */
import { useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { ExperimentInfo, Occurrences, OccurrencesRequest } from '../../workers/session-api.ts';
import { useApp } from '../context/app-context.ts';
import { useLatestAnswer } from '../experiment/live-answer.ts';
import { formatCount } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';
import { isReading } from '../opening/progress-row.tsx';
import { exactTime, type ViewModel } from '../timeline/timeline.tsx';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  durationColumn,
  hostColumns,
  nameCell,
  numberColumn,
  textColumn,
  tidColumn,
} from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import { Scatter } from './scatter.tsx';
import { showMark } from './show-mark.ts';

interface EachTableProps {
  readonly of: OccurrencesRequest['of'];
  readonly title: string;
  /** Of one: "call". */
  readonly noun: string;
  /** Head of what it is: "Call". */
  readonly what: string;
  /** CSS colour of the bars. */
  readonly colour: string;
  readonly view: ViewModel;
  readonly info: ExperimentInfo;
  /** What the durations are of: "whole trace". */
  readonly scope: string;
  readonly empty: string;
  /** Choices of the section. */
  readonly children?: ComponentChildren;
}

/** Rows are numbers: places in the columns of the answer. */
export function EachTable({ of, title, noun, view, scope, children, ...rest }: EachTableProps) {
  const { session, experiment } = useApp();
  const answer = useLatestAnswer(
    () => ({ range: view.range.value, isReading: isReading(experiment.progress.value) }),
    ({ range }, signal) => session.ask('occurrences', { of, range }, { signal }),
  );
  const rows = useComputed(() => answer.value && Array.from({ length: answer.value.length }, (_, i) => i));
  const all = answer.value;
  const show = (i: number) => {
    if (all === undefined) return;
    const mark = { row: all.threads[all.thread[i]].row, fromNs: all.fromNs[i], ns: all.ns[i] };
    showMark(view, mark, of !== 'sched');
  };
  const table = (
    <StatTable
      title={title}
      scope={all === undefined ? '' : `${scope}, ${countText(all, noun)}`}
      columns={all === undefined ? [] : columns(all, { view, ...rest })}
      rows={rows}
      order={{ column: 'took', descending: true }}
      empty={rest.empty}
      keyOf={String}
      rowOf={(i) => all?.threads[all.thread[i]].row}
      onActivate={show}
    >
      {children}
    </StatTable>
  );
  return (
    <div class="with-detail">
      {table}
      {all !== undefined && all.length > 0 && (
        <aside class="duration-detail" aria-label="Over time">
          <h4>Over time</h4>
          <Scatter
            fromNs={all.fromNs}
            ns={all.ns}
            extent={view.range.value ?? { from: 0, to: rest.info.lengthNs }}
            colour={rest.colour}
            textOf={(i) => visibleText(`${all.names[all.subject[i]]}, ${all.threads[all.thread[i]].name}`)}
            timeText={(ns) => exactTime(ns, view.timeStyle.value)}
            onChoose={show}
          />
        </aside>
      )}
    </div>
  );
}

function countText({ count, length }: Occurrences, noun: string): string {
  const text = plural(count, noun);
  return length < count ? `the longest ${formatCount(length)} of ${text}` : text;
}

function columns(
  { threads, names, thread, subject, file, fromNs, ns }: Occurrences,
  { view, info, what, colour }: Pick<EachTableProps, 'view' | 'info' | 'what' | 'colour'>,
): readonly Column<number>[] {
  const begin = numberColumn<number>('from', 'Begin', '120px', (i) => fromNs[i]);
  const took = durationColumn<number>('took', 'Took', 'minmax(104px, 1fr)', (i) => ns[i]);
  const pathOf = (i: number) => visibleText(names[file[i]]);
  const path = textColumn<number>('file', 'File', 'minmax(160px, 3fr)', pathOf);
  const isOfFiles = file.some((place) => names[place] !== '');
  return [
    {
      ...begin,
      copyTitle: 'Begin, ns',
      cell: (i) => <span class="mono">{exactTime(fromNs[i], view.timeStyle.value)}</span>,
    },
    // The first is the longest.
    barred(ns.length === 0 ? [] : [0], () => colour, took),
    { ...nameCell<number>(what, (i) => visibleText(names[subject[i]])), id: 'what' },
    ...(isOfFiles ? [{ ...path, wideOnly: false }] : []),
    nameCell<number>('Thread', (i) => visibleText(threads[thread[i]].name)),
    tidColumn<number>((i) => threads[thread[i]]),
    ...hostColumns<number>(info, (i) => threads[thread[i]].host),
  ];
}
