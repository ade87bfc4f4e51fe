/**
 * Tables under construction: one typed array per column, grown by doubling. They begin empty, so that the first row of
 * the first table already replaces all columns: V8 treats a field as constant until it is set again, and would discard
 * the code compiled until then.
 */
export type Column = Uint8Array | Int32Array | Uint32Array | Float64Array | BigUint64Array;

/** Columns by name, equally long. */
export type Columns<Name extends string = string> = Record<Name, Column>;

/** Columns that may be replaced while they grow. */
export type Growing<Table> = { -readonly [Name in keyof Omit<Table, 'length'>]: Table[Name] };

/** A copy of a column with room for `capacity` values. */
export function widened<C extends Column>(column: C, capacity: number): C {
  // A column's values fit another of its kind, which the type of a union does not express.
  type Same = C & { set(values: C): void };
  const wider = new (column.constructor as new (length: number) => Same)(capacity);
  wider.set(column);
  return wider;
}

/** Empty columns for tables of which many are made: allocating an array takes longer than the rows of most. */
export const NO_INTEGERS = new Int32Array(0);
export const NO_NUMBERS = new Float64Array(0);

const FIRST_CAPACITY = 256;

/** Makes room in a full table: doubles the columns, to at least `first` rows, in place, for the same hidden class. */
export function widen<Name extends string>(columns: Columns<Name>, first = FIRST_CAPACITY): void {
  for (const name in columns) {
    const column = columns[name];
    columns[name] = widened(column, Math.max(first, 2 * column.length));
  }
}

/** The first `length` rows in new buffers, which can be transferred to another thread. */
export function trimmed<Table extends object>(columns: Table, length: number): Table {
  const rows = { ...(columns as Columns) };
  for (const name in rows) rows[name] = rows[name].slice(0, length);
  return rows as unknown as Table;
}

/** Numbers of the rows [from, to). */
export function rowNumbers(from: number, to: number): Int32Array {
  const rows = new Int32Array(to - from);
  for (let i = 0; i < rows.length; i++) rows[i] = from + i;
  return rows;
}

/** The rows in the given order, in new buffers. */
export function ordered<Table extends object>(columns: Table, order: Uint32Array | Int32Array): Table {
  const sorted = Object.entries(columns as Columns).map(([name, column]) => {
    const copy = column.slice(0, order.length);
    if (copy instanceof Float64Array) pickNumbers(column as Float64Array, order, copy);
    else if (copy instanceof Int32Array) pickIntegers(column as Int32Array, order, copy);
    else if (copy instanceof Uint8Array) pickBytes(column as Uint8Array, order, copy);
    else for (let i = 0; i < order.length; i++) copy[i] = column[order[i]];
    return [name, copy];
  });
  return Object.fromEntries(sorted) as Table;
}

// One loop for all kinds of columns would be several times slower: V8 would compile it for none of them.

function pickNumbers(from: Float64Array, order: Uint32Array | Int32Array, to: Float64Array): void {
  for (let i = 0; i < order.length; i++) to[i] = from[order[i]];
}

function pickIntegers(from: Int32Array, order: Uint32Array | Int32Array, to: Int32Array): void {
  for (let i = 0; i < order.length; i++) to[i] = from[order[i]];
}

function pickBytes(from: Uint8Array, order: Uint32Array | Int32Array, to: Uint8Array): void {
  for (let i = 0; i < order.length; i++) to[i] = from[order[i]];
}

/** A table that is written row by row. */
export class GrowingTable<Table extends Columns> {
  length = 0;
  readonly rows: Table;
  #capacity = 0;
  readonly #first: number;

  /** @param first number of rows allocated first */
  constructor(empty: Table, first = FIRST_CAPACITY) {
    this.rows = empty;
    this.#first = first;
  }

  /** @returns number of a new row, filled with zeros */
  addRow(): number {
    if (this.length === this.#capacity) {
      widen(this.rows, this.#first);
      this.#capacity = Math.max(this.#first, 2 * this.#capacity);
    }
    return this.length++;
  }

  /** The rows so far, in new buffers. */
  toTable(): Table & { readonly length: number } {
    return { ...trimmed(this.rows, this.length), length: this.length };
  }
}
