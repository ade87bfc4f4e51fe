/** A section of the Statistics tab: the tables of a statistic, of which one is chosen. */
import { type ReadonlySignal, useComputed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import {
  rowsOf,
  type Details,
  type EachChoice,
  type StatisticTables,
  type StatTable,
} from '../../engine/answers/statistics/columns.ts';
import { type StatisticName, TABLES } from '../../engine/answers/statistics/tables.ts';
import { capitalised } from '../../engine/base/first-letter.ts';
import type { RequestOf } from '../../engine/protocol/queries.ts';
import type { MissingEvents as Lacking } from '../../engine/protocol/statistics.ts';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import { useApp } from '../context/app-context.ts';
import { useChoice } from '../controls/choices.ts';
import { Segmented } from '../controls/segmented.tsx';
import { useLatestAnswer, useLiveAnswer } from '../experiment/live-answer.ts';
import { errorsText } from '../format/errno.ts';
import { joined, plural, visibleText } from '../format/text.ts';
import { tidWords } from '../format/tid.ts';
import { MissingEvents, WithMissingNote } from '../recording/missing-events.tsx';
import { isReading } from '../opening/progress-row.tsx';
import { isOver } from '../opening/reading.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { type ChosenRow, useChosenRow } from '../widgets/table/chosen-row.ts';
import { StatTable as DrawnTable } from '../widgets/table/stat-table.tsx';
import { drawnColumns } from './drawn-columns.tsx';
import { DurationDetail, showMark } from './duration-detail.tsx';
import { EachTable } from './each-table.tsx';
import { useStatistics } from './use-statistics.ts';

/** An answer; its other parts are known to the tables of its statistic. */
interface Answer extends Lacking {
  readonly approximate?: boolean;
}
type Tables = StatisticTables<Answer>;
type Table = StatTable<Answer, unknown>;

interface SectionProps {
  readonly name: StatisticName;
  readonly view: ViewModel;
  readonly info: ExperimentInfo;
}

export function StatisticView({ name, view, info }: SectionProps) {
  const tables = TABLES[name] as Tables;
  const { stats: first, scope, lengthNs } = useStatistics(view, name);
  const stats = useLater(name, tables, first, info);
  const drawn = drawnTables(tables);
  const options = drawn.map((table) => ({ id: table.by ?? '', title: choiceTitle(table) }));
  const by = useChoice(`${tables.choice?.name}.by`, options);
  const wanted = drawn.find((table) => (table.by ?? '') === by.value) ?? drawn[0];
  const [firstTable] = drawn.filter((table) => !('each' in table));
  // If there are none, single ones cannot be listed either.
  const isEmpty = isNotedEmpty(tables, firstTable, stats.value);
  const table = 'each' in wanted && isEmpty ? firstTable : wanted;
  const chosen = useChosenRow<unknown>(...keyAndTime(table));
  const { knownBy = '', note } = tables;
  const missing = stats.value?.missing ?? [];
  if (tables.knownBy !== undefined && note === undefined && missing.length > 0)
    return <MissingEvents missing={missing} what={knownBy} />;
  const common = { name, tables, view, info, scope: scope.value, lengthNs: lengthNs.value };
  const choice = tables.choice && (
    <Segmented label={tables.choice.label} options={options} chosen={by.value} onChoose={by.choose} />
  );
  if ('each' in table) {
    const { each } = table;
    const list = (
      <EachTable key={each} of={each} view={view} info={info} scope={scope.value}>
        {choice}
      </EachTable>
    );
    if (note === undefined || tables.knownBy !== undefined) return list;
    return (
      <WithMissingNote missing={missing} what={note}>
        {list}
      </WithMissingNote>
    );
  }
  const { events, shown } = (stats.value && tables.remark?.(stats.value)) ?? { events: 0, shown: '' };
  const TableOf = table.request === undefined ? TableView : AskedTable;
  return (
    <>
      <TableOf key={table.by} {...common} table={table} stats={stats} chosen={chosen}>
        {choice}
      </TableOf>
      {events > 0 && (
        <p class="missing-note">
          {plural(events, 'event')} {shown}
        </p>
      )}
    </>
  );
}

/** Choices in their order. */
function drawnTables({ tables, choices }: Tables): readonly (Table | EachChoice)[] {
  const drawn = tables.filter((table) => 'each' in table || table.title !== undefined);
  if (choices === undefined) return drawn;
  return choices.flatMap((by) => drawn.filter((table) => table.by === by));
}

function choiceTitle(table: Table | EachChoice): string {
  const { by = '' } = table;
  return ('choice' in table && table.choice) || capitalised(by);
}

function keyAndTime(table: Table | EachChoice): Parameters<typeof useChosenRow<unknown>> {
  if ('each' in table) return [String, () => 0];
  return [(row) => table.keyOf?.(row) ?? '', (row) => table.details?.parts[0].stat(row).totalNs ?? 0];
}

/** Whether a table is empty because events are missing, and there is a note that says so. */
function isNotedEmpty({ knownBy, note }: Tables, table: Table | EachChoice, stats: Answer | undefined) {
  if (knownBy === undefined || note === undefined || stats === undefined || 'each' in table) return false;
  return rowsOf(table, stats)?.length === 0;
}

/** The answer; when all is read, a more complete one follows that takes longer. */
function useLater(
  name: StatisticName,
  tables: Tables,
  stats: ReadonlySignal<Answer | undefined>,
  info: ExperimentInfo,
): ReadonlySignal<Answer | undefined> {
  const { session, experiment } = useApp();
  const isRead = useComputed(() => isOver(experiment.progress.value));
  const answer = useLiveAnswer(
    () => (tables.later !== undefined && isRead.value ? stats.value : undefined),
    async (of, signal) => {
      if (of === undefined) return undefined;
      const range = isWhole(tables, of, info) ? undefined : tables.range?.(of);
      const request = { range, ...tables.later } as RequestOf<StatisticName>;
      return { of, stats: await session.ask(name, request, { signal }) };
    },
  );
  return useComputed(
    () => (answer.value?.of === stats.value ? answer.value?.stats : undefined) ?? stats.value,
  );
}

function isWhole({ range }: Tables, stats: Answer | undefined, { lengthNs }: ExperimentInfo): boolean {
  const { from, to } = (stats && range?.(stats)) ?? { from: 0, to: lengthNs };
  return from <= 0 && to >= lengthNs;
}

interface TableProps extends SectionProps {
  readonly tables: Tables;
  readonly table: Table;
  /** Undefined: not answered yet. */
  readonly stats: ReadonlySignal<Answer | undefined>;
  /** "whole trace" or the range. */
  readonly scope: string;
  /** Length of the time that the statistic covers, ns. */
  readonly lengthNs: number;
  readonly chosen: ChosenRow<unknown>;
  readonly children: ComponentChildren;
}

/** A table that is asked for when it is shown. */
function AskedTable(props: TableProps) {
  const { session, experiment } = useApp();
  const { name, table, view } = props;
  const stats = useLatestAnswer(
    () => ({
      range: view.range.value,
      isReading: isReading(experiment.progress.value),
      hasFiles: experiment.hasFiles.value,
    }),
    ({ range }, signal) =>
      session.ask(name, { range, ...table.request } as RequestOf<StatisticName>, { signal }),
  );
  return <TableView {...props} stats={stats} chosen={useChosenRow<unknown>(...keyAndTime(table))} />;
}

function TableView(props: TableProps) {
  const { tables, table, stats, info, scope, lengthNs, view, chosen, children } = props;
  const { keyOf = String, rowOf, leadsTo = rowOf, kinds, details } = table;
  const { experiment } = useApp();
  const kind = useChoice(kinds?.name ?? '', kinds?.options ?? [{ id: 'all' }]);
  const rows = useComputed(() => {
    if (stats.value === undefined) return undefined;
    const all = rowsOf(table, stats.value) ?? [];
    return kinds && kind.value !== 'all' ? all.filter((row) => kinds.of(row) === kind.value) : all;
  });
  const shown = rows.value ?? [];
  const answered = stats.value;
  const missing = answered?.missing ?? [];
  const selected = view.focusedRow.value;
  const isApproximate = answered?.approximate ?? false;
  const columns = table.columns({
    ...{ rows: shown, hosts: info.hosts.length, lengthNs, isApproximate, kind: kind.value },
    isWhole: isWhole(tables, answered, info),
  });
  const activate = (row: unknown) => {
    if (details !== undefined) chosen.choose(row);
    const to = leadsTo?.(row);
    if (typeof to === 'string') view.show(to);
    else if (to !== undefined) showMark(view, to, true);
  };
  const isSelected = (row: unknown) => {
    const own = rowOf?.(row);
    return own !== undefined && own === selected;
  };
  const isMarked = details === undefined ? rowOf && leadsTo === rowOf && isSelected : chosen.isChosen;
  const needed = experiment.hasFiles.value ? undefined : table.needsFiles;
  const isLacking = isNotedEmpty(tables, table, answered) && missing.length > 0;
  const drawn = (
    <DrawnTable
      title={table.title ?? ''}
      scope={scopeText(table, answered, shown, scope)}
      columns={drawnColumns(columns, shown, info, view.timeStyle.value)}
      rows={rows}
      order={table.order ?? tables.order}
      empty={needed ?? (answered && table.empty?.(answered)) ?? tables.empty}
      keyOf={keyOf}
      {...(rowOf && { rowOf })}
      {...((leadsTo ?? details) && { onActivate: activate })}
      {...(isMarked && { isSelected: isMarked })}
    >
      {children}
      {kinds && <Segmented label="Kind" options={kinds.options} chosen={kind.value} onChoose={kind.choose} />}
    </DrawnTable>
  );
  const noted = isLacking ? (
    <MissingEvents missing={missing} what={tables.knownBy ?? ''} />
  ) : tables.note === undefined ? (
    drawn
  ) : (
    <WithMissingNote missing={missing} what={tables.note}>
      {drawn}
    </WithMissingNote>
  );
  if (details === undefined) return noted;
  return (
    <div class="with-detail">
      {noted}
      {answered && <RowDetails details={details} stats={answered} rows={shown} chosen={chosen} view={view} />}
    </div>
  );
}

/** "≈ whole trace, 93 threads", "whole trace, 3 files of 12, failed: EAGAIN 12, EPIPE 1". */
function scopeText(table: Table, stats: Answer | undefined, rows: readonly unknown[], scope: string): string {
  if (stats === undefined) return '';
  const { noun = '', nouns, isSizeBound = false } = table;
  const sign = stats.approximate === true ? '≈ ' : '';
  const size = plural(table.size?.(stats, rows) ?? rows.length, noun, nouns);
  const of = table.of === undefined ? '' : ` of ${table.of(stats)}`;
  const errors = table.errors?.(stats) ?? [];
  const failed = errors.length === 0 ? '' : `, failed: ${errorsText(errors, ', ')}`;
  return isSizeBound ? `${scope}, ${sign}${size}` : `${sign}${scope}, ${size}${of}${failed}`;
}

interface RowDetailsProps extends Pick<TableProps, 'chosen' | 'view'> {
  readonly details: Details<Answer, unknown>;
  readonly stats: Answer;
  readonly rows: readonly unknown[];
}

function RowDetails({ details, stats, rows, chosen, view }: RowDetailsProps) {
  const { all, parts, longest, areCalls = false } = details;
  const row = all === undefined ? chosen.rowOf(rows) : rows.find(chosen.isChosen);
  const shown = row ?? all?.row(stats);
  if (shown === undefined) return null;
  return (
    <DurationDetail
      title={row === undefined ? (all?.title ?? '') : rowTitle(details, row)}
      parts={parts.map(({ title, colour, stat }) => ({
        title,
        colour: `var(--${colour})`,
        stat: stat(shown),
      }))}
      longest={longest}
      areCalls={areCalls}
      view={view}
    />
  );
}

function rowTitle({ title, thread }: Details<Answer, unknown>, row: unknown): string {
  const of = thread?.(row);
  const words = of && `${visibleText(of.name)} ${tidWords({ id: of.row ?? '', tid: of.tid })}`;
  return joined([visibleText(title(row)), words]);
}
