/** A table of statistics with its head: title, what it covers, filter, and Copy. */
import { useComputed, type ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { copyText } from '../../controls/copy-button.tsx';
import { Icon } from '../../controls/icon.tsx';
import { MenuButton } from '../../controls/menu.tsx';
import { filterRows, sortRows, type Column, type SortOrder } from './column.ts';
import { useEmptyText } from './empty-text.ts';
import { useTableChoices } from './table-choices.ts';
import { tableText, type TextFormat } from './table-text.ts';
import { Table } from './table.tsx';

interface StatTableProps<Row> {
  readonly title: string;
  /** What it covers, said when there are rows: "whole trace, 93 threads". */
  readonly scope: string;
  readonly columns: readonly Column<Row>[];
  /** Undefined: not answered yet. */
  readonly rows: ReadonlySignal<readonly Row[] | undefined>;
  readonly order: SortOrder;
  readonly empty: string;
  /** False: few rows, which need no filter. */
  readonly filterable?: boolean;
  /** Choices of the section, between filter and Copy. */
  readonly children?: ComponentChildren;
  keyOf(row: Row): string;
  onActivate?(row: Row): void;
  isSelected?(row: Row): boolean;
}

const COPIES: readonly { readonly format: TextFormat; readonly title: string }[] = [
  { format: 'csv', title: 'Copy as CSV' },
  { format: 'markdown', title: 'Copy as Markdown' },
  { format: 'json', title: 'Copy as JSON' },
];

export function StatTable<Row>({
  title,
  scope,
  columns,
  rows,
  empty,
  filterable = true,
  children,
  ...props
}: StatTableProps<Row>) {
  const choices = useTableChoices(title, props.order);
  const emptyText = useEmptyText(empty);
  const filter = () => (filterable ? choices.filter() : '');
  // By another choice of rows a table may have other columns.
  const order = useComputed(() => {
    const chosen = choices.order();
    return chosen && columns.some(({ id }) => id === chosen.column) ? chosen : props.order;
  });
  const shown = useComputed(() =>
    sortRows(filterRows(rows.value ?? [], columns, filter()), columns, order.value),
  );
  return (
    <div class="stat-table">
      <div class="stat-head">
        <h3>{title}</h3>
        <span class="faint ellipsis">{rows.value !== undefined && scope}</span>
        <span class="grow" />
        {filterable && (
          <label class="field stat-filter">
            <Icon name="filter" />
            <input
              type="search"
              aria-label={`Filter ${title}`}
              placeholder="Filter"
              value={filter()}
              onInput={(event) => choices.setFilter(event.currentTarget.value)}
            />
          </label>
        )}
        {children}
        <MenuButton
          label="Copy the table"
          items={COPIES.map((copy) => ({
            title: copy.title,
            run: () => void copyText(tableText(shown.value, columns, copy.format)),
          }))}
        >
          <Icon name="copy" />
          Copy
        </MenuButton>
      </div>
      <Table
        label={title}
        columns={columns}
        rows={shown}
        order={order.value}
        empty={rows.value === undefined ? 'Counting' : filter() === '' ? emptyText : 'No row has this text.'}
        keyOf={props.keyOf}
        onOrder={choices.setOrder}
        onActivate={props.onActivate}
        isSelected={props.isSelected}
      />
    </div>
  );
}
