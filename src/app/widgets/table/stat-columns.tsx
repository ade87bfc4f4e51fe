/** Kinds of columns that the statistics share. */
import type { ComponentChildren } from 'preact';
import type { ExperimentInfo } from '../../../engine/protocol/session.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatExact,
  formatMs,
  formatShare,
} from '../../format/numbers.ts';
import { hostName } from '../../format/text.ts';
import { tidAbout, tidText } from '../../format/tid.ts';
import { CellBar } from './bars.tsx';
import type { Column } from './column.ts';

/** Cell of the first column: a name, underlined when the row is hovered. */
export function nameCell<Row>(
  title: string,
  name: (row: Row) => string,
  value: (row: Row) => number | string = name,
  width = 'minmax(120px, 1fr)',
): Column<Row> {
  const cell = (row: Row) => (
    <span class="table-name ellipsis" title={name(row)}>
      {name(row)}
    </span>
  );
  return { id: 'name', title, width, numeric: false, value, cell };
}

/** Column of thread ids, which says which of the threads with that id it is. */
export function tidColumn<Row>(
  threadOf: (row: Row) => { row: string | undefined; tid: number },
): Column<Row> {
  const cell = (row: Row) => {
    const { row: id = '', tid } = threadOf(row);
    return (
      <span class="mono faint" title={tidAbout({ id, tid })}>
        {tidText({ id, tid })}
      </span>
    );
  };
  return { ...numberColumn<Row>('tid', 'tid', '72px', (row) => threadOf(row).tid), cell };
}

/** Column of hosts if there are several, also on narrow screens, since nothing else may distinguish two rows. */
export function hostColumns<Row>(
  info: ExperimentInfo | undefined,
  hostOf: (row: Row) => number,
): readonly Column<Row>[] {
  const hosts = info?.hosts ?? [];
  if (hosts.length < 2) return [];
  const column = textColumn<Row>('host', 'Host', '88px', (row) => hostName(hosts, hostOf(row)));
  return [{ ...column, wideOnly: false }];
}

/** The column with a hover title. */
export function explained<Row>(about: string, column: Column<Row>): Column<Row> {
  return { ...column, about };
}

/** The column, on wide screens only. */
export function wide<Row>(column: Column<Row>): Column<Row> {
  return { ...column, wideOnly: true };
}

/** The column, on all screens. */
export function inAllWidths<Row>(column: Column<Row>): Column<Row> {
  return { ...column, wideOnly: false };
}

/** The column of numbers with bars, the longest for the largest number; colours are CSS colours. */
export function barred<Row>(
  rows: readonly Row[],
  colourOf: (row: Row) => string,
  column: Column<Row>,
): Column<Row> {
  const numberOf = (row: Row) => Number(column.value(row));
  const most = rows.reduce((largest, row) => Math.max(largest, numberOf(row)), 1);
  const cell = (row: Row) => (
    <CellBar share={numberOf(row) / most} colour={colourOf(row)}>
      {column.cell(row)}
    </CellBar>
  );
  return { ...column, cell };
}

/** Column of a row's part of a whole, 0 to 1. */
export function shareColumn<Row>(title: string, width: string, share: (row: Row) => number): Column<Row> {
  return { id: 'share', title, width, numeric: true, value: share, cell: (row) => formatShare(share(row)) };
}

/** Column of texts with its own cells. */
export function cellColumn<Row>(
  id: string,
  title: string,
  width: string,
  value: (row: Row) => string,
  cell: (row: Row) => ComponentChildren,
): Column<Row> {
  return { id, title, width, numeric: false, value, cell };
}

type NumberOf<Row> = (row: Row) => number;
type TextOf<Row> = (row: Row) => string;

export function textColumn<Row>(id: string, title: string, width: string, text: TextOf<Row>): Column<Row> {
  const cell = (row: Row) => <span class="muted ellipsis">{text(row)}</span>;
  return { id, title, width, numeric: false, wideOnly: true, value: text, cell };
}

export function numberColumn<Row>(
  id: string,
  title: string,
  width: string,
  value: (row: Row) => number,
  identifier = false,
): Column<Row> {
  const cell = (row: Row): ComponentChildren =>
    identifier ? <span class="mono faint">{value(row)}</span> : formatCount(value(row));
  return { id, title, width, numeric: true, value, cell };
}

/** Column of times in milliseconds with three decimals, all digits on hover; copied in ns. */
export function msColumn<Row>(id: string, title: string, width: string, ns: NumberOf<Row>): Column<Row> {
  const plain = `${title.replace(/, ms$/, '')}, ns`;
  return { ...measureColumn(id, title, width, ns, formatMs, formatExact), copyTitle: plain };
}

/** Column of durations, each in the unit that fits, for values of very different sizes; ns. */
export function durationColumn<Row>(
  id: string,
  title: string,
  width: string,
  ns: NumberOf<Row>,
): Column<Row> {
  const text = (value: number) => (value === 0 ? '' : formatDuration(value));
  return { ...measureColumn(id, title, width, ns, text, formatExact), copyTitle: `${title}, ns` };
}

export function bytesColumn<Row>(id: string, title: string, bytes: (row: Row) => number): Column<Row> {
  const exact = (value: number) => `${formatCount(value)} bytes`;
  const column = measureColumn(id, title, 'minmax(96px, 1fr)', bytes, formatBytes, exact);
  return { ...column, copyTitle: `${title}, bytes` };
}

/** A number rounded to be read; hovering shows the exact number. */
function measureColumn<Row>(
  id: string,
  title: string,
  width: string,
  value: (row: Row) => number,
  text: (value: number) => string,
  exact: (value: number) => string,
): Column<Row> {
  const cell = (row: Row) => <span title={exact(value(row))}>{text(value(row))}</span>;
  return { id, title, width, numeric: true, value, cell };
}
