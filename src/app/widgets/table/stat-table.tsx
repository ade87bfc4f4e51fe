/** A table of statistics below a head with title, scope, filter, and Copy. */
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useComputedOf } from '../../controls/computed-of.ts';
import { copyText } from '../../controls/copy-button.tsx';
import { Icon } from '../../controls/icon.tsx';
import { MenuButton } from '../../controls/menu.tsx';
import { filterRows, type SortOrder, sortRows, type Column } from './column.ts';
import { useEmptyText } from './empty-text.ts';
import { Table, type TableProps } from './table.tsx';
import { download } from '../../browser/download.ts';
import { useEffect, useRef } from 'preact/hooks';
import { useChoices } from '../../controls/choices.ts';
import { csvCell } from '../../../engine/base/csv-cell.ts';
import { loadCode } from '../../../engine/base/later-code.ts';

interface StatTableProps<Row> extends Omit<TableProps<Row>, 'label' | 'rows' | 'onOrder'> {
  readonly title: string;
  /** Scope, shown when there are rows: "whole trace, 93 threads". */
  readonly scope: string;
  /** Undefined: not answered yet. */
  readonly rows: ReadonlySignal<readonly Row[] | undefined>;
  /** Whether there is a filter, which few rows do not need. */
  readonly filterable?: boolean;
  /** Choices of the section, at the left, where they do not move. */
  readonly children?: ComponentChildren;
}

const COPIES: readonly { readonly format: TextFormat; readonly title: string }[] = [
  { format: 'csv', title: 'Copy as CSV' },
  { format: 'markdown', title: 'Copy as Markdown' },
  { format: 'json', title: 'Copy as JSON' },
];

const FILTER_ABOUT = 'A part of a text, a number, or bounds of columns, as took>1ms size<=4kB';

const FILES = [
  { format: 'csv', title: 'Save as CSV' },
  { format: 'parquet', title: 'Save as Parquet' },
] as const;

export function StatTable<Row>(props: StatTableProps<Row>) {
  const { title, scope, rows, children, filterable = true, ...ofTable } = props;
  const { columns } = ofTable;
  const choices = useTableChoices(title, props.order);
  const emptyText = useEmptyText(ofTable.empty);
  // No rows, but not known to be none.
  const isUnknown = emptyText !== ofTable.empty && rows.value?.length === 0;
  const filter = () => (filterable ? choices.filter() : '');
  // Key, since another choice of rows may have other columns.
  const which = columns.map(({ id }) => id).join();
  const order = useComputedOf(() => {
    const chosen = choices.order();
    return chosen && columns.some(({ id }) => id === chosen.column) ? chosen : props.order;
  }, [which]);
  const shown = useComputedOf(
    () => sortRows(filterRows(rows.value ?? [], columns, filter()), columns, order.value),
    [rows, order],
  );
  return (
    <div class="stat-table">
      <div class="stat-head">
        {children}
        <div class="stat-title">
          <h3 class="ellipsis">{title}</h3>
          <span class="faint ellipsis">{rows.value !== undefined && !isUnknown && scope}</span>
        </div>
        {filterable && (
          <label class="field stat-filter">
            <Icon name="filter" />
            <input
              type="search"
              aria-label={`Filter ${title}`}
              placeholder="Filter"
              title={FILTER_ABOUT}
              value={filter()}
              onInput={(event) => choices.setFilter(event.currentTarget.value)}
            />
          </label>
        )}
        <MenuButton
          label="Copy the table"
          class="stat-copy"
          items={[
            ...COPIES.map((copy) => ({
              title: copy.title,
              run: () => void copyText(tableText(shown.value, columns, copy.format)),
            })),
            ...FILES.map((file, at) => ({
              title: file.title,
              begins: at === 0,
              run: () => void saveTable(title, tableObjects(shown.value, columns), file.format),
            })),
          ]}
        >
          <Icon name="copy" />
          <span>Copy</span>
        </MenuButton>
      </div>
      <Table
        {...ofTable}
        label={title}
        rows={shown}
        order={order.value}
        empty={rows.value === undefined ? 'Counting' : filter() === '' ? emptyText : 'No row has this text.'}
        onOrder={choices.setOrder}
      />
    </div>
  );
}

/** Saves objects of one form as rows of a file. The code that writes files is loaded with the first. */
async function saveTable(name: string, objects: readonly object[], format: 'csv' | 'parquet'): Promise<void> {
  const [{ objectTable }, { tableFile }] = await Promise.all([
    loadCode(() => import('../../../engine/export/tables/table.ts')),
    loadCode(() => import('../../../engine/export/tables/table-file.ts')),
  ]);
  const pieces: Blob[] = [];
  for await (const piece of tableFile(objectTable(objects), format)) pieces.push(new Blob([piece]));
  download(new Blob(pieces, { type: 'application/octet-stream' }), `${name}.${format}`);
}

/**
 * Order and filter of a table as choices. The order outlives the table, the filter does not.
 * @param title of the table, which names its choices
 * @param first default order
 */
function useTableChoices(title: string, first: SortOrder) {
  const choices = useChoices();
  const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const [orderName, filterName] = [`${name}.order`, `${name}.filter`];
  const filter = choices.text(filterName) ?? '';
  const shown = useRef(filter);
  shown.current = filter;
  useEffect(
    () => () => {
      // Not if a link has set one for the next table of this name.
      if ((choices.text(filterName) ?? '') === shown.current) choices.choose(filterName, undefined);
    },
    [],
  );
  return {
    /** The chosen order, if any. Reads a signal. */
    order: () => readOrder(choices.text(orderName)),
    setOrder: (order: SortOrder) => {
      const text = orderText(order);
      choices.choose(orderName, text === orderText(first) ? undefined : text);
    },
    /** Reads a signal. */
    filter: () => choices.text(filterName) ?? '',
    setFilter: (text: string) => choices.choose(filterName, text === '' ? undefined : text),
  };
}

function orderText({ column, descending }: SortOrder): string {
  return `${column}~${descending ? 'down' : 'up'}`;
}

function readOrder(text: string | undefined): SortOrder | undefined {
  const [, column, direction] = /^(.+)~(up|down)$/.exec(text ?? '') ?? [];
  return column === undefined ? undefined : { column, descending: direction === 'down' };
}

type TextFormat = 'csv' | 'markdown' | 'json';

/** The table as text to paste elsewhere; all digits, in the order shown. @internal */
export function tableText<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  format: TextFormat,
): string {
  const copiedColumns = columns.filter((column) => column.sortable !== false);
  const heads = copiedColumns.map((column) => column.copyTitle ?? column.title);
  const known = (value: number | string) => (Number.isNaN(value) ? '' : value);
  const cells = rows.map((row) => copiedColumns.map((column) => known(column.value(row))));
  switch (format) {
    case 'csv':
      return [heads, ...cells].map((line) => line.map(csvCell).join(',')).join('\r\n') + '\r\n';
    case 'markdown':
      return [heads, copiedColumns.map((column) => (column.numeric ? '---:' : '---')), ...cells]
        .map((line) => `| ${line.map(markdownCell).join(' | ')} |`)
        .join('\n');
    case 'json':
      return JSON.stringify(tableObjects(rows, columns), undefined, 2);
  }
}

/** An object for each row, with values by the heads of columns. */
function tableObjects<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): readonly Readonly<Record<string, number | string>>[] {
  const copiedColumns = columns.filter((column) => column.sortable !== false);
  return rows.map((row) =>
    Object.fromEntries(copiedColumns.map((column) => [column.copyTitle ?? column.title, column.value(row)])),
  );
}

function markdownCell(value: number | string): string {
  return String(value)
    .replaceAll('\\', '\\\\')
    .replaceAll('|', '\\|')
    .replace(/[\r\n]+/g, ' ');
}
