/** Bounds in the filter of a table: `size>=4kB took<1ms` beside any text. Pure. */

interface BoundColumn {
  readonly id: string;
  readonly title: string;
  readonly numeric: boolean;
}

interface Bound<Column> {
  readonly column: Column;
  /** False for what is not known. */
  holds(value: number): boolean;
}

/** Factors to the units of columns: ns, and bytes. */
const UNITS: Readonly<Partial<Record<string, number>>> = {
  '': 1,
  ...{ ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 },
  ...{ b: 1, kb: 1e3, mb: 1e6, gb: 1e9, kib: 2 ** 10, mib: 2 ** 20, gib: 2 ** 30 },
};

const BOUND = /(^|\s)([a-z][\w-]*)(<=|>=|<|>)(\d+(?:\.\d+)?)([a-zµ]*)(?=\s|$)/gi;

/**
 * Bounds that a text states of columns with numbers, by id or title, words of which are joined by `-`; and the rest of the
 * text. All that is about no such column is text.
 */
export function readBounds<Column extends BoundColumn>(
  text: string,
  columns: readonly Column[],
): { readonly bounds: readonly Bound<Column>[]; readonly rest: string } {
  const bounds: Bound<Column>[] = [];
  const rest = text.replace(
    BOUND,
    (whole, space: string, name: string, sign: string, digits: string, unit: string) => {
      const column = columns.find((one) => one.numeric && isCalled(one, name.toLowerCase()));
      const factor = UNITS[unit.toLowerCase()];
      if (column === undefined || factor === undefined) return whole;
      bounds.push({ column, holds: comparison(sign, Number(digits) * factor) });
      return space;
    },
  );
  return { bounds, rest };
}

function isCalled({ id, title }: BoundColumn, name: string): boolean {
  return id === name || title.toLowerCase().replaceAll(' ', '-') === name;
}

function comparison(sign: string, bound: number): (value: number) => boolean {
  switch (sign) {
    case '<':
      return (value) => value < bound;
    case '<=':
      return (value) => value <= bound;
    case '>':
      return (value) => value > bound;
    default:
      return (value) => value >= bound;
  }
}
