/** Tables of statistics as data: columns with id, title, unit and value, for the page and `inspect`. Pure. */
import type { ErrorCount } from '../../linux/sums/error-counts.ts';
import type { TimeRange } from '../../protocol/range.ts';
import type { EventKind } from '../../trace/event-kinds.ts';
import type {
  CpuStat,
  DurationMark,
  DurationStat,
  OccurrencesRequest,
  StatisticRequest,
} from '../../protocol/statistics.ts';

/** The unit of a column's values, by which they are shown: `ms` are ns shown as milliseconds, `ns` durations of any size. */
export type Unit =
  | ('count' | 'id' | 'mean' | 'share' | 'bytes' | 'ns' | 'ms' | 'time')
  | ('name' | 'text' | 'tid' | 'host' | 'picture');

/** A bar of parts of a whole: states of a thread or a CPU, or causes of blocked time, in ns. */
export type Picture = { readonly total: number } & (
  | { readonly states: ArrayLike<number>; readonly causes: ArrayLike<number> | undefined }
  | { readonly cpu: CpuStat }
  | { readonly causes: ArrayLike<number> | undefined }
);

export interface StatColumn<Row> {
  readonly id: string;
  /** Head on the page, with the unit where cells have none: "On CPU, ms". */
  readonly title: string;
  readonly unit: Unit;
  /** The value for sorting, copying and printing: ns, bytes, or 0 to 1 for a share; NaN: not known. */
  value(row: Row): number | string;
  /** Tooltip of the head. */
  readonly about?: string;
  /** Head in copied tables; default: the title. */
  readonly copyTitle?: string;
  /** Track of the CSS grid. */
  readonly width: string;
  /** True: shown on wide screens only, the default for texts. */
  readonly wide?: boolean;
  /** True: the values of the parts of a range add up to that of the range. */
  readonly adds?: boolean;
  /** False: only printed. */
  readonly drawn?: boolean;
  /** CSS variable of the colour of a bar behind the number. */
  readonly bar?: string;
  /** Text shown instead of the value. */
  text?(row: Row): string;
  /** Value printed instead of `value`. */
  printed?(row: Row): number | string;
  /** False: the cell stays empty. */
  isShown?(row: Row): boolean;
  /** Sign before the number where it is a bound. */
  readonly sign?: string;
  /** Id of the timeline's row for the thread whose tid the column shows; undefined: not known. */
  rowOf?(row: Row): string | undefined;
  /** Index of the host that a name belongs to, printed before it where there are several hosts. */
  hostOf?(row: Row): number;
  errors?(row: Row): readonly ErrorCount[];
  picture?(row: Row): Picture;
}

type More<Row> = Partial<Omit<StatColumn<Row>, 'title' | 'unit' | 'value'>>;

function columnOf(unit: Unit, width: string) {
  return <Row>(
    id: string,
    title: string,
    value: (row: Row) => number | string,
    more?: More<Row>,
  ): StatColumn<Row> => ({ id, title, unit, value, width, ...more });
}

export const count = columnOf('count', 'minmax(80px, 1fr)');
export const id = columnOf('id', '72px');
export const mean = columnOf('mean', 'minmax(72px, 1fr)');
export const share = columnOf('share', '80px');
export const bytes = columnOf('bytes', 'minmax(96px, 1fr)');
export const duration = columnOf('ns', '84px');
export const ms = columnOf('ms', '80px');
export const time = columnOf('time', '132px');
export const text = columnOf('text', '72px');

/** The first column, of names. */
export function name<Row>(
  title: string,
  value: (row: Row) => number | string,
  more?: More<Row>,
): StatColumn<Row> {
  return { id: 'name', title, unit: 'name', value, width: 'minmax(120px, 1fr)', ...more };
}

/** A bar of parts; without a value it is neither sortable nor copied. */
export function picture<Row>(
  id: string,
  title: string,
  picture: (row: Row) => Picture,
  more: More<Row> & Partial<Pick<StatColumn<Row>, 'value'>>,
): StatColumn<Row> {
  return { id, title, unit: 'picture', value: () => '', width: 'minmax(88px, 2fr)', picture, ...more };
}

/** The tid of a row's thread. */
export function tid<
  Row extends { readonly row: string | undefined; readonly tid: number },
>(): StatColumn<Row> {
  return {
    id: 'tid',
    title: 'tid',
    unit: 'tid',
    value: (row) => row.tid,
    width: '72px',
    rowOf: ({ row }) => row,
  };
}

/** Column of a row's host, where there are several. */
export function host<Row extends { readonly host: number }>(): StatColumn<Row> {
  return { id: 'host', title: 'Host', unit: 'host', value: (row) => row.host, width: '88px' };
}

export function distribution<Row>(width: string, statOf: (row: Row) => DurationStat) {
  const column = (id: string, title: string, ns: (stat: DurationStat) => number, more: More<Row> = {}) =>
    duration<Row>(id, title, (row) => ns(statOf(row)), { width, ...more });
  return {
    mean: column('mean', 'Mean', ({ meanNs }) => meanNs),
    p50: column('p50', 'Median', ({ p50Ns }) => p50Ns, { wide: true }),
    p95: column('p95', '95 %', ({ p95Ns }) => p95Ns, { wide: true, about: '95 of 100 took no longer' }),
    p99: column('p99', '99 %', ({ p99Ns }) => p99Ns, { about: '99 of 100 took no longer' }),
    max: column('max', 'Longest', ({ maxNs }) => maxNs),
  };
}

/** Printed heads of a distribution. */
export const DISTRIBUTION = {
  ...{ count: 'count', total: 'total ns', mean: 'mean ns' },
  ...{ p50: 'p50 ns', p95: 'p95 ns', p99: 'p99 ns', max: 'max ns' },
};

/** Properties of the trace and range that columns may depend on. */
interface ColumnContext<Row> {
  readonly rows: readonly Row[];
  /** Hosts of the trace. */
  readonly hosts: number;
  /** ns that the statistic covers. */
  readonly lengthNs: number;
  /** Whether the range is the whole trace. */
  readonly isWhole: boolean;
  /** Whether numbers are bounds. */
  readonly isApproximate: boolean;
  /** The chosen kind of rows. */
  readonly kind: string | undefined;
}

interface ThreadName {
  readonly row: string | undefined;
  readonly name: string;
  readonly tid: number;
}

/** Durations shown beside a table: those of the selected row, else of the row with most time. */
export interface Details<Stats, Row> {
  /** Heading of the list of the longest durations: "Longest waits". */
  readonly longest: string;
  readonly parts: readonly {
    readonly title: string;
    /** CSS variable of the colour. */
    readonly colour: string;
    stat(row: Row): DurationStat;
  }[];
  /** Whether the durations are system calls, and selected as such. */
  readonly areCalls?: boolean;
  /** Name of the row; '' where its thread is enough. */
  title(row: Row): string;
  /** Thread of the row; undefined: none. */
  thread?(row: Row): ThreadName | undefined;
  /** Shown while no row is selected, instead of the row with most time. */
  readonly all?: { readonly title: string; row(stats: Stats): Row };
}

/** A table. The page draws it if it has a choice, the command line prints it if it has heads. */
export interface StatTable<Stats, Row> {
  /** Name of the list in the answer and in JSON; undefined: rows are in no list. */
  readonly list?: string & keyof Stats;
  /** Default: the list. */
  rows?(stats: Stats): readonly Row[] | undefined;
  columns(context: ColumnContext<Row>): readonly StatColumn<Row>[];

  /** Name of the choice on the page. */
  readonly by?: string;
  /** Title of the choice; default: `by`, capitalised. */
  readonly choice?: string;
  readonly title?: string;
  readonly noun?: string;
  /** Plural of the noun; default: with an s. */
  readonly nouns?: string;
  /** Count of the nouns, where it is not the number of rows; `isSizeBound`: it is a bound where numbers are. */
  size?(stats: Stats, rows: readonly Row[]): number;
  readonly isSizeBound?: boolean;
  /** Number of rows of all kinds. */
  of?(stats: Stats): number;
  /** Errors that the calls of all rows returned. */
  errors?(stats: Stats): readonly ErrorCount[];
  /** Order of rows on the page; default: that of the statistic. */
  readonly order?: { readonly column: string; readonly descending: boolean };
  /** Text of an empty table; default: that of the statistic. */
  empty?(stats: Stats): string | undefined;
  /** Text of a table that is empty because files are missing. */
  readonly needsFiles?: string;
  /** Request that is made when the table is shown. */
  readonly request?: StatisticRequest & Readonly<Record<string, unknown>>;
  keyOf?(row: Row): string;
  /** Id of the timeline's row that a row describes. */
  rowOf?(row: Row): string | undefined;
  /** Place on the timeline that a click leads to; default: the row. */
  leadsTo?(row: Row): string | DurationMark | undefined;
  readonly kinds?: Kinds<Row>;
  readonly details?: Details<Stats, Row>;

  /** Printed heads by column id, in order of printing. */
  readonly printed?: Readonly<Record<string, string>>;
  /** Line printed before the table. */
  readonly caption?: string;
  /** A row that is printed first. */
  first?(stats: Stats): Row;
  /** How `--tid`, `--name` and `--cpu` select rows; `whole`: rows of all threads; `one`: of one thread or all. */
  readonly chosenBy?: 'thread' | 'name' | 'cpu' | 'whole' | 'one';
  /** Order of printed and written rows. */
  compare?(a: Row, b: Row): number;
  /** False: the row is not printed. */
  isPrinted?(row: Row): boolean;
  /** JSON of a row, with properties in their order; default: the host and all others. */
  json?(row: Row): object;
}

/** A second choice, of kinds of rows; `all`: all kinds. */
interface Kinds<Row> {
  readonly name: string;
  readonly options: readonly { readonly id: string; readonly title: string }[];
  of(row: Row): string;
}

/** A choice that lists single durations. */
export interface EachChoice {
  readonly by: string;
  readonly each: OccurrencesRequest['of'];
}

/** Analyses whose results a trace keeps (`DamageInfo.parts`). */
type KeptPart = 'states' | 'call-failures' | 'interrupts' | 'io' | 'network' | 'memory' | 'counts';

/** Events that tables leave out: on the page "3 events tell nothing", printed "without process: 3 events". */
interface Remark {
  readonly events: number;
  readonly shown: string;
  readonly printed: string;
}

/** All tables of a statistic, for its answer and its request. */
export interface StatisticTables<Stats, Request extends StatisticRequest = StatisticRequest> {
  readonly title: string;
  /** Name of the choice of a table in links, and its label. */
  readonly choice?: { readonly name: string; readonly label: string };
  /** Order of the choices; default: that of the tables. */
  readonly choices?: readonly string[];
  /** Results of analyses that the answer is made of. */
  readonly kept: readonly KeptPart[];
  /** Whether a trace without a kernel trace has it. */
  readonly withoutKernel?: boolean;
  /** Kinds of events that the statistic needs to say anything. */
  readonly essential: readonly EventKind[];
  readonly order: { readonly column: string; readonly descending: boolean };
  readonly empty: string;
  /** Sentence instead of tables where all needed events are missing; with a note, instead of empty tables only. */
  readonly knownBy?: string;
  /** Sentence below the tables where events are missing. */
  readonly note?: string;
  /** Sentence below the tables, and a line before the printed ones. */
  remark?(stats: Stats): Remark;
  /** Request for what takes longer, made when the rest is shown and all is read. */
  readonly later?: Partial<Request>;
  /** Time range of the answer; default: all. */
  range?(stats: Stats): TimeRange;
  readonly tables: readonly (StatTable<Stats, unknown> | EachChoice)[];
}

/** @returns undefined where the answer lacks the list as it was not asked for */
export function rowsOf<Stats, Row>(
  { rows, list }: StatTable<Stats, Row>,
  stats: Stats,
): readonly Row[] | undefined {
  if (rows !== undefined) return rows(stats);
  return list && (stats[list] as readonly Row[] | undefined);
}
