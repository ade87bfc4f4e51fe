/** Tables that are being written: one typed array per column, which grow by doubling. */
export type Column = Uint8Array | Int32Array | Float64Array;

/** Columns by name, equally long. */
export type Columns<Name extends string = string> = Record<Name, Column>;

/** Columns that may be replaced while they grow. */
export type Growing<Table> = { -readonly [Name in keyof Omit<Table, 'length'>]: Table[Name] };

/** The values of a column with room for `capacity`. */
export function widened<C extends Column>(column: C, capacity: number): C {
  const wider = new (column.constructor as new (length: number) => C)(capacity);
  wider.set(column);
  return wider;
}

/** Doubles all columns of a table in place, so that it keeps its hidden class. */
export function widen<Name extends string>(columns: Columns<Name>): void {
  for (const name in columns) columns[name] = widened(columns[name], 2 * columns[name].length);
}

/** The first `length` rows, in buffers of their own: such can be transferred to another thread. */
export function trimmed<Table extends object>(columns: Table, length: number): Table {
  const rows = Object.entries(columns as Columns).map(([name, column]) => [name, column.slice(0, length)]);
  return Object.fromEntries(rows) as Table;
}
