/** Tables of statistics as the command line prints them, and writes them as JSON. */
import { assert } from '../../engine/base/assert.ts';
import {
  rowsOf,
  type StatColumn,
  type StatisticTables,
  type StatTable,
} from '../../engine/answers/statistics/columns.ts';
import type { MissingEvents } from '../../engine/protocol/statistics.ts';
import { print } from '../output.ts';
import type { TraceSession } from '../trace-session.ts';
import type { StatFilter } from './stat-filter.ts';
import { binsOf, hostName, prefixOf, printMissing, type Statistic, workerOf } from './statistic.ts';
import { type Cell, printTable } from './table.ts';

/** Answer of a statistic, whose other properties its tables know. */
export interface Answer extends MissingEvents {
  readonly approximate?: boolean;
}

/** Part of a row that filters look at. */
interface NamedRow {
  readonly name: string;
  readonly tid: number;
  readonly cpu?: number | undefined;
  readonly host?: number;
}

/**
 * Prepares a statistic to be printed by its tables.
 * @param needs events that the statistic may lack
 */
export function statisticOfTables(
  tables: StatisticTables<Answer>,
  needs: readonly unknown[],
  stats: Answer,
  session: TraceSession,
  filter: StatFilter,
): Statistic {
  const lists = tables.tables.flatMap((table) => {
    if ('each' in table) return [];
    const all = rowsOf(table, stats);
    return all === undefined ? [] : [{ table, rows: chosenRows(table, all, session, filter) }];
  });
  const { missing } = stats;
  return {
    get json() {
      const output: Record<string, unknown> = {};
      for (const { table, rows } of lists) {
        const { list, json = withHost } = table;
        if (list !== undefined) output[list] = rows.map((row) => outputOf(session, json(row)));
      }
      const others = Object.entries(outputOf(session, stats)).filter(([key]) => !NOT_LISTED.has(key));
      for (const [key, value] of others) output[key] ??= value;
      return needs.length > 0 ? { ...output, missing } : output;
    },
    print() {
      printMissing(missing);
      const { events, printed } = tables.remark?.(stats) ?? { events: 0, printed: '' };
      if (events > 0) print(`${printed}: ${events} events`);
      let isFirst = true;
      for (const { table, rows } of lists) {
        if (table.printed === undefined) continue;
        if (!isFirst) print();
        isFirst = false;
        if (table.caption !== undefined) print(table.caption);
        const first = table.first === undefined ? [] : [table.first(stats)];
        printRows(table, [...first, ...rows.filter((row) => table.isPrinted?.(row) ?? true)], session);
      }
    },
  };
}

/** Properties of an answer that come last or are for the page alone. */
const NOT_LISTED: ReadonlySet<string> = new Set(['missing', 'approximate']);

function withHost(row: unknown): object {
  return { host: (row as NamedRow).host, ...(row as object) };
}

/**
 * Prints rows of a table.
 * @param rows gone through twice
 */
export function printRows<Row>(
  table: Pick<StatTable<never, Row>, 'columns' | 'printed'>,
  rows: Iterable<Row>,
  session: TraceSession,
): void {
  const { printed = {} } = table;
  const context = { rows: [], lengthNs: 0, isWhole: true, isApproximate: false, kind: undefined };
  const columns = table.columns({ ...context, hosts: session.experiment.hosts.length });
  const shown = Object.keys(printed).map((id) => {
    const column = columns.find((one) => one.id === id);
    assert(column !== undefined, `the printed column ${id} is declared`);
    return column;
  });
  printTable(Object.values(printed), {
    *[Symbol.iterator]() {
      for (const row of rows) yield shown.map((column) => cellOf(column, row, session));
    },
  });
}

function cellOf<Row>(column: StatColumn<Row>, row: Row, session: TraceSession): Cell {
  const value = (column.printed ?? column.value)(row);
  if (column.unit === 'tid') {
    const id = column.rowOf?.(row);
    return id === undefined ? 'unknown' : workerOf(session, id);
  }
  if (column.unit === 'host') return hostName(session, Number(value)).host ?? '';
  if (column.unit === 'time') return Number(value) - session.firstNs;
  if (Number.isNaN(value)) return 'unknown';
  if (column.unit === 'mean') return Number(value).toFixed(2);
  const prefix = column.hostOf === undefined ? '' : prefixOf(session, column.hostOf(row));
  return prefix === '' ? value : `${prefix}${value}`;
}

/** Rows that the filter keeps, in the order in which they are printed and written. */
function chosenRows<Row>(
  { chosenBy, compare }: StatTable<never, Row>,
  rows: readonly Row[],
  session: TraceSession,
  filter: StatFilter,
): readonly Row[] {
  if (chosenBy === undefined) return rows;
  const chosen = rows.filter((row) => {
    const { name, tid, cpu = -1 } = row as NamedRow;
    if (chosenBy === 'thread') return filter.isThread({ tid, name });
    if (chosenBy === 'name') return filter.isNamed(name);
    if (chosenBy === 'cpu') return filter.isNamed(name) && filter.isCpu(cpu);
    return true;
  });
  const threads = chosenBy === 'whole' || chosenBy === 'one' ? filter.threadsOf(session) : undefined;
  const isOfAll = threads === undefined || (chosenBy === 'one' && threads.length === 1);
  return filter.limited(isOfAll ? (compare === undefined ? chosen : chosen.sort(compare)) : []);
}

/** Part of an answer as the command line writes it: bins as triples, times from its own origin, workers and hosts by name. */
export function outputOf(session: TraceSession, part: object): object {
  const since = (time: unknown) => Number(time) - session.firstNs;
  const mark = ({ row, fromNs, ns, name: _, ...more }: Mark) => {
    return { worker: workerOf(session, row), from: since(fromNs), ns, ...more };
  };
  const output: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(part) as [string, unknown][]) {
    if (key === 'host') Object.assign(output, hostName(session, Number(value)));
    else if (key === 'row')
      output.worker = value === undefined ? undefined : workerOf(session, String(value));
    else if (key === 'bins') output.bins = binsOf(value as readonly number[]);
    else if (key === 'longest')
      output.longest = Array.isArray(value) ? value.map(mark) : value && mark(value as Mark);
    else if (TIMES.has(key)) output[key] = since(value);
    else if (typeof value === 'object' && value !== null && !Array.isArray(value))
      output[key] = outputOf(session, value);
    else if (key !== 'tid') output[key] = value;
  }
  return output;
}

const TIMES: ReadonlySet<string> = new Set(['firstNs', 'lastNs', 'peakNs']);

interface Mark {
  readonly row: string;
  readonly fromNs: number;
  readonly ns: number;
  readonly name: string;
}
