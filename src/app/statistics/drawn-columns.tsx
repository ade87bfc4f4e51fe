/** Columns of statistics as the page draws them. */
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { Picture, StatColumn } from '../../engine/answers/statistics/columns.ts';
import { errorsText } from '../format/errno.ts';
import { visibleText } from '../format/text.ts';
import { exactTime, type TimeStyle } from '../timeline/timeline.tsx';
import { blockedParts, cpuParts, PartsBar, stateParts } from '../widgets/table/bars.tsx';
import type { Column } from '../widgets/table/column.ts';
import {
  barred,
  bytesColumn,
  durationColumn,
  hostColumns,
  msColumn,
  nameCell,
  numberColumn,
  shareColumn,
  textColumn,
  tidColumn,
} from '../widgets/table/stat-columns.tsx';

/** @param rows whose largest number has the longest bar */
export function drawnColumns<Row>(
  columns: readonly StatColumn<Row>[],
  rows: readonly Row[],
  info: ExperimentInfo,
  style: TimeStyle,
): readonly Column<Row>[] {
  return columns.flatMap((column) => {
    const { unit, drawn = true, bar, about, copyTitle, wide } = column;
    if (!drawn) return [];
    if (unit === 'host') return hostColumns<Row>(info, (row) => Number(column.value(row)));
    const shown = withCell(column, columnOf(column, style));
    const drawnColumn = {
      ...(bar === undefined ? shown : barred(rows, () => `var(--${bar})`, shown)),
      ...(about !== undefined && { about }),
      ...(copyTitle !== undefined && { copyTitle }),
      ...(wide !== undefined && { wideOnly: wide }),
    };
    return [drawnColumn];
  });
}

function columnOf<Row>(column: StatColumn<Row>, style: TimeStyle): Column<Row> {
  const { id, title, width, unit } = column;
  const number = (row: Row) => Number(column.value(row));
  const value = (row: Row) => {
    const own = column.value(row);
    return typeof own === 'number' ? own : visibleText(own);
  };
  const text = (row: Row) => column.text?.(row) ?? String(value(row));
  switch (unit) {
    case 'name':
      return { ...nameCell(title, text, value, width), id };
    case 'text':
      return textColumn(id, title, width, text);
    case 'tid':
      return { ...tidColumn((row: Row) => ({ row: column.rowOf?.(row), tid: number(row) })), width };
    case 'id':
      return numberColumn(id, title, width, number, true);
    case 'mean':
      return { ...numberColumn(id, title, width, number), cell: (row) => number(row).toFixed(2) };
    case 'share':
      return { ...shareColumn(title, width, number), id };
    case 'bytes':
      return { ...bytesColumn(id, title, number), width };
    case 'ns':
      return durationColumn(id, title, width, number);
    case 'ms':
      return msColumn(id, title, width, number);
    case 'time': {
      // Events of streams without a clock have no time.
      const cell = (row: Row) => (
        <span class="mono">{Number.isNaN(number(row)) ? '–' : exactTime(number(row), style)}</span>
      );
      return { id, title, width, numeric: true, wideOnly: true, value: number, cell };
    }
    case 'picture': {
      const sortable = column.copyTitle !== undefined;
      return { id, title, width, numeric: false, sortable, value, cell: (row) => pictureOf(column, row) };
    }
    default:
      return numberColumn(id, title, width, number);
  }
}

/** The column with a cell that shows more than its number, or something else. */
function withCell<Row>(column: StatColumn<Row>, shown: Column<Row>): Column<Row> {
  const { unit, sign, errors, isShown } = column;
  const cell: Column<Row>['cell'] = (row) => {
    if (isShown?.(row) === false) return '';
    const number = column.value(row);
    if (errors) return <span title={errorsText(errors(row), '\n')}>{number === 0 ? '' : number}</span>;
    if (Number.isNaN(number) && (unit === 'count' || unit === 'bytes')) return UNKNOWN;
    if (unit === 'ms' && column.picture !== undefined) {
      return (
        <span class="blocked-cell">
          {shown.cell(row)}
          {pictureOf(column, row)}
        </span>
      );
    }
    return sign === undefined ? shown.cell(row) : [sign, shown.cell(row)];
  };
  return { ...shown, cell };
}

const UNKNOWN = (
  <span class="faint" title="Events were lost">
    unknown
  </span>
);

function pictureOf<Row>({ unit, picture }: StatColumn<Row>, row: Row) {
  const sums = picture?.(row);
  // Below a number, it is shown only if it adds something.
  if (sums === undefined || (unit === 'ms' && sums.total === 0)) return undefined;
  const parts = partsOf(sums);
  return parts && <PartsBar parts={parts} total={sums.total} />;
}

function partsOf(picture: Picture) {
  if ('cpu' in picture) return cpuParts(picture.cpu);
  if ('states' in picture) return stateParts(picture.states, picture.causes);
  return picture.causes && blockedParts(picture.causes);
}
