/** Statistics that are sums over events: what their tables have in common. */
import { useComputed, type ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { plural } from '../format/text.ts';
import { MissingEvents, WithMissingNote } from '../opening/missing-events.tsx';
import type { Column } from '../widgets/table/column.ts';
import { StatTable, type StatTableProps } from '../widgets/table/stat-table.tsx';

interface Sums {
  readonly missing: readonly string[];
  /** Cut ends of the range could not be decoded. */
  readonly approximate?: boolean;
}

interface SumsTableProps<Stats extends Sums, Row> extends Omit<
  StatTableProps<Row>,
  'rows' | 'columns' | 'filterable'
> {
  readonly stats: ReadonlySignal<Stats | undefined>;
  rowsOf(stats: Stats): readonly Row[];
  columnsOf(rows: readonly Row[]): readonly Column<Row>[];
  /** What there is one of in a row: "thread". */
  readonly noun: string;
  /** By what this is known, where there is nothing, and what is wrong where only a part is missing: sentences. */
  readonly knownBy: string;
  readonly note: string;
  /** Choices of the section. */
  readonly children?: ComponentChildren;
}

/** In place of an empty table the events that were not recorded; below another one those that it lacks. */
export function SumsTable<Stats extends Sums, Row>(props: SumsTableProps<Stats, Row>) {
  const { stats, rowsOf, columnsOf, noun, knownBy, note, scope, ...table } = props;
  const rows = useComputed(() => stats.value && rowsOf(stats.value));
  const { missing = [], approximate = false } = stats.value ?? {};
  const shown = rows.value ?? [];
  if (rows.value?.length === 0 && missing.length > 0)
    return <MissingEvents missing={missing} what={knownBy} />;
  return (
    <WithMissingNote missing={missing} what={note}>
      <StatTable
        {...table}
        scope={`${approximate ? '≈ ' : ''}${scope}, ${plural(shown.length, noun)}`}
        columns={columnsOf(shown)}
        rows={rows}
      />
    </WithMissingNote>
  );
}
