/** A table of statistics with its head: title, what it covers, filter, and Copy. */
import type { ReadonlySignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useComputedOf } from '../../controls/computed-of.ts';
import { copyText } from '../../controls/copy-button.tsx';
import { Icon } from '../../controls/icon.tsx';
import { MenuButton } from '../../controls/menu.tsx';
import { filterRows, type SortOrder, sortRows } from './column.ts';
import { useEmptyText } from './empty-text.ts';
import { useTableChoices } from './table-choices.ts';
import { tableObjects, tableText, type TextFormat } from './table-text.ts';
import { Table, type TableProps } from './table.tsx';
import { download } from '../../browser/download.ts';

type OfTable<Row> = Pick<
  TableProps<Row>,
  'columns' | 'empty' | 'keyOf' | 'rowOf' | 'onActivate' | 'isSelected'
>;

export interface StatTableProps<Row> extends OfTable<Row> {
  readonly title: string;
  /** Time and rows that it covers, said when there are rows: "whole trace, 93 threads". */
  readonly scope: string;
  /** Undefined: not answered yet. */
  readonly rows: ReadonlySignal<readonly Row[] | undefined>;
  readonly order: SortOrder;
  /** False: few rows, which need no filter. */
  readonly filterable?: boolean;
  /** Choices of the section, between filter and Copy. */
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
  // That there are none is not known.
  const isUnknown = emptyText !== ofTable.empty && rows.value?.length === 0;
  const filter = () => (filterable ? choices.filter() : '');
  // By another choice of rows a table may have other columns.
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
        <h3>{title}</h3>
        <span class="faint ellipsis">{rows.value !== undefined && !isUnknown && scope}</span>
        <span class="grow" />
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
        {children}
        <MenuButton
          label="Copy the table"
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
          Copy
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

/** Saves objects of one form, a row each. What writes files is loaded with the first. */
async function saveTable(name: string, objects: readonly object[], format: 'csv' | 'parquet'): Promise<void> {
  const [{ objectTable }, { tableFile }] = await Promise.all([
    import('../../../engine/export/tables/object-table.ts'),
    import('../../../engine/export/tables/table-file.ts'),
  ]);
  const pieces: Blob[] = [];
  for await (const piece of tableFile(objectTable(objects), format)) pieces.push(new Blob([piece]));
  download(new Blob(pieces, { type: 'application/octet-stream' }), `${name}.${format}`);
}
