/** Objects of one form as a table: a column for each property, those of objects in it as `outer.inner`, lists as JSON. */
import { type ColumnKind, type ExportCell, type ExportTable, rowTable } from './table.ts';

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

/** Cells of an object; what is not known, null or NaN, is left out, and says nothing about its column. */
function* cellsOf(object: object, prefix: string): Iterable<[string, KindOfCell]> {
  for (const [key, value] of Object.entries(object) as [string, unknown][]) {
    const name = prefix + key;
    if (typeof value === 'string') yield [name, { kind: 'text', cell: value }];
    else if (typeof value === 'boolean') yield [name, { kind: 'text', cell: String(value) }];
    else if (typeof value === 'number') {
      if (!Number.isNaN(value)) yield [name, { kind: numberKind(value), cell: value }];
    } else if (Array.isArray(value)) yield [name, { kind: 'json', cell: JSON.stringify(value) }];
    else if (typeof value === 'object' && value !== null) yield* cellsOf(value, `${name}.`);
  }
}

function numberKind(value: number): ColumnKind {
  return Number.isSafeInteger(value) ? 'integer' : 'number';
}
