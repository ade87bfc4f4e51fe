/** A table to be written to a file: columns with their kinds, and groups of rows as columns of numbers and bytes. */
import { ByteText } from '../../base/byte-text.ts';
import { widened } from '../../base/columns.ts';

/**
 * Kinds of columns. `integer`: whole numbers that a double holds. `number`: doubles. `json`: JSON text. `text`: any
 * text, as it came from the trace. `value`: JSON, for which formats without objects use the plain text or number.
 */
export type ColumnKind = 'integer' | 'number' | 'text' | 'json' | 'value';

export interface ExportColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  /** Added to every integer of the column; the sum may not fit a double, so JSON has it as text. Default: 0. */
  readonly base?: bigint;
}

/** Columns of one kind. */
export function columnsOf(kind: ColumnKind, ...names: readonly string[]): ExportColumn[] {
  return names.map((name) => ({ name, kind }));
}

/** null: not known, or none. */
export type ExportCell = string | number | null;
/** Cells by column. */
export type ExportRow = readonly ExportCell[];

export interface ExportTable {
  readonly columns: readonly ExportColumn[];
  /** Consecutive groups of rows; iterated once, each valid until the next one. */
  readonly groups: AsyncIterable<GroupOfRows> | Iterable<GroupOfRows>;
}

/** Consecutive pieces of a file, each valid until the next one is asked for. */
export type FilePieces = AsyncIterable<Uint8Array<ArrayBuffer>>;

const encoder = new TextEncoder();

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Maximum number of rows of a group: readers of Parquet read a group at a time, and prefer large ones. */
const GROUP_ROWS = 65_536;
/** Bytes of texts after which a group gets no further row. */
const GROUP_BYTES = 2 ** 25;
/** Bytes of the length before each text. */
const PREFIX = 4;

/** Texts of a column, each once or several times: concatenated in UTF-8, each after its length, as in Parquet. */
class Texts {
  readonly out = new ByteText();
  length = 0;
  #begins = new Uint32Array(1024);
  readonly #known = new Map<string, number>();
  /** Latest text asked for. */
  #last: string | undefined;
  #lastNumber = 0;

  /** Begins a text, which the caller then writes to `out`. */
  begin(): void {
    const { out } = this;
    out.reserve(PREFIX);
    out.length += PREFIX;
    if (this.length === this.#begins.length) this.#begins = widened(this.#begins, 2 * this.length);
    this.#begins[this.length] = out.length;
  }

  /** Ends the text. @returns its number */
  end(): number {
    const begin = this.#begins[this.length];
    const size = this.out.length - begin;
    for (let i = 0; i < PREFIX; i++) this.out.bytes[begin - PREFIX + i] = size >>> (8 * i);
    return this.length++;
  }

  /** Number of a text; a repeated text is written once. */
  numberOf(text: string): number {
    if (text === this.#last) return this.#lastNumber;
    this.#last = text;
    return (this.#lastNumber = this.#numberOf(text));
  }

  #numberOf(text: string): number {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.begin();
    this.out.text(text);
    this.#known.set(text, this.length);
    return this.end();
  }

  beginOf(text: number): number {
    return this.#begins[text];
  }

  endOf(text: number): number {
    return text + 1 < this.length ? this.#begins[text + 1] - PREFIX : this.out.length;
  }

  clear(): void {
    this.out.length = 0;
    this.length = 0;
    this.#known.clear();
    this.#last = undefined;
  }
}

/** Cells of a column in a group. */
export interface Cells {
  /** Numbers, or numbers of texts; NaN: not known, or none. */
  readonly values: Float64Array;
  readonly texts: Texts;
}

type GroupOfRows = Pick<RowGroup, 'length' | 'cells'>;

export class RowGroup {
  length = 0;
  readonly cells: readonly Cells[];

  constructor(columns: readonly ExportColumn[]) {
    this.cells = columns.map(() => ({ values: new Float64Array(GROUP_ROWS), texts: new Texts() }));
  }

  /** Whether the group is full, so that no row is added. */
  get isFull(): boolean {
    if (this.length === GROUP_ROWS) return true;
    let bytes = 0;
    for (const { texts } of this.cells) bytes += texts.out.length;
    return bytes > GROUP_BYTES;
  }

  clear(): void {
    this.length = 0;
    for (const { texts } of this.cells) texts.clear();
  }
}

/** Table of rows that come in pieces of any length. */
export function rowTable(
  columns: readonly ExportColumn[],
  rows: AsyncIterable<readonly ExportRow[]> | Iterable<readonly ExportRow[]>,
): ExportTable {
  return { columns, groups: groupsOf(columns, rows) };
}

async function* groupsOf(
  columns: readonly ExportColumn[],
  rows: Parameters<typeof rowTable>[1],
): AsyncIterable<RowGroup> {
  const group = new RowGroup(columns);
  for await (const piece of rows)
    for (const row of piece) {
      for (const [i, { values, texts }] of group.cells.entries()) {
        const cell = row[i];
        values[group.length] = typeof cell === 'string' ? texts.numberOf(cell) : (cell ?? NaN);
      }
      group.length++;
      if (!group.isFull) continue;
      yield group;
      group.clear();
    }
  if (group.length > 0) yield group;
}

/** Table of objects of one form: a column for each property, with nested ones as `outer.inner`, and lists as JSON. */
export function objectTable(objects: readonly object[]): ExportTable {
  const rows = objects.map((one) => new Map(cellsOf(one, '')));
  const kinds = new Map<string, ColumnKind>();
  for (const row of rows)
    for (const [name, { kind }] of row) if (kinds.get(name) !== 'number') kinds.set(name, kind);
  const columns = Array.from(kinds, ([name, kind]) => ({ name, kind }));
  return rowTable(columns, [rows.map((row) => columns.map(({ name }) => row.get(name)?.cell ?? null))]);
}

interface KindOfCell {
  readonly kind: ColumnKind;
  readonly cell: ExportCell;
}

/** Cells of an object; unknown values (null or NaN) are left out, as they do not tell the kind of their column. */
function* cellsOf(object: object, prefix: string): Iterable<[string, KindOfCell]> {
  for (const [key, value] of Object.entries(object) as [string, unknown][]) {
    const name = prefix + key;
    if (typeof value === 'string') yield [name, { kind: 'text', cell: value }];
    else if (typeof value === 'boolean') yield [name, { kind: 'text', cell: String(value) }];
    else if (typeof value === 'number') {
      if (!Number.isNaN(value))
        yield [name, { kind: Number.isSafeInteger(value) ? 'integer' : 'number', cell: value }];
    } else if (Array.isArray(value)) yield [name, { kind: 'json', cell: JSON.stringify(value) }];
    else if (typeof value === 'object' && value !== null) yield* cellsOf(value, `${name}.`);
  }
}
