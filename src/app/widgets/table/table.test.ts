import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterRows, nextOrder, sortRows, type Column } from './column.ts';
import { tableText } from './stat-table.tsx';
import { forAll } from '../../../../test/support/for-all.ts';

interface Row {
  readonly name: string;
  readonly count: number;
}
const column = (id: 'name' | 'count', numeric: boolean): Column<Row> => ({
  id,
  title: id,
  width: '1fr',
  numeric,
  value: (row) => row[id],
  cell: (row) => row[id],
});
const columns = [column('name', false), column('count', true)];
const rows: readonly Row[] = [
  { name: 'b', count: 2 },
  { name: 'a', count: 10 },
  { name: 'c,"d"', count: 1 },
];

describe('sorting', () => {
  it('orders numbers as numbers and texts as texts', () => {
    const order = { column: 'count', descending: true };
    expect(sortRows(rows, columns, order).map((r) => r.count)).toEqual([10, 2, 1]);
    const byName = { column: 'name', descending: false };
    expect(sortRows(rows, columns, byName).map((r) => r.name)).toEqual(['a', 'b', 'c,"d"']);
  });

  it('has what is not known below all numbers, and copies nothing for it', () => {
    const some = [NaN, 3, NaN, 1].map((count) => ({ name: 'x', count }));
    const sorted = (descending: boolean) =>
      sortRows(some, columns, { column: 'count', descending }).map(({ count }) => count);
    expect([sorted(true), sorted(false)]).toEqual([
      [3, 1, NaN, NaN],
      [NaN, NaN, 1, 3],
    ]);
    expect(tableText(some.slice(0, 2), columns, 'csv')).toBe('name,count\r\nx,\r\nx,3\r\n');
  });

  it('keeps all rows and is stable', () =>
    forAll(100, [fc.array(fc.record({ name: fc.string(), count: fc.constantFrom(1, 2, 3) }))], (list) => {
      const sorted = sortRows(list, columns, { column: 'count', descending: false });
      for (const count of [1, 2, 3]) {
        expect(sorted.filter((r) => r.count === count)).toEqual(list.filter((r) => r.count === count));
      }
      expect(sorted.length).toBe(list.length);
    }));

  it('sorts many numbers as a comparison of each two would', () => {
    const some = fc.constantFrom(NaN, -Infinity, -1, 0, -0, 2.5, Infinity);
    fc.assert(
      fc.property(fc.array(some, { minLength: 40, maxLength: 60 }), fc.boolean(), (counts, descending) => {
        const list = counts.map((count, i) => ({ name: `${i}`, count }));
        const rank = (count: number) => [-Infinity, -1, 0, 2.5, Infinity].indexOf(count || 0);
        const rankOf = ({ count }: Row) => (Number.isNaN(count) ? 0 : rank(count)) * (descending ? -1 : 1);
        const sorted = sortRows(list, columns, { column: 'count', descending });
        expect(sorted).toEqual(list.toSorted((a, b) => rankOf(a) - rankOf(b)));
      }),
    );
  });

  it('turns round at the second click and begins with the largest number', () => {
    const first = nextOrder({ column: 'name', descending: false }, columns[1]);
    expect(first).toEqual({ column: 'count', descending: true });
    expect(nextOrder(first, columns[1])).toEqual({ column: 'count', descending: false });
  });
});

describe('filtering', () => {
  it('finds parts of texts and whole numbers', () => {
    expect(filterRows(rows, columns, 'D').map((r) => r.name)).toEqual(['c,"d"']);
    expect(filterRows(rows, columns, '10').map((r) => r.name)).toEqual(['a']);
    expect(filterRows(rows, columns, '')).toBe(rows);
  });

  it('takes bounds of columns with numbers, in units, beside a text', () => {
    const sizes = [512, 4000, 4096, NaN].map((count, i) => ({ name: `${i} x<y`, count }));
    const found = (text: string) => filterRows(sizes, columns, text).map(({ count }) => count);
    expect(found('count>=4kB')).toEqual([4000, 4096]);
    expect(found('count>4kb COUNT<=4KiB')).toEqual([4096]);
    expect(found('count<4us')).toEqual([512]);
    expect(found('0 count<4096')).toEqual([512]);
    // Of a column of texts, of none, in no unit: text.
    expect([found('name>1'), found('x<y'), found('count>1parsec')]).toEqual([
      [],
      sizes.map((r) => r.count),
      [],
    ]);
  });

  it('looks for nothing in pictures', () => {
    const picture = { ...columns[0], id: 'picture', sortable: false };
    expect(filterRows(rows, [picture], 'd')).toEqual([]);
  });
});

describe('copying', () => {
  it('writes CSV with quotes where needed', () => {
    expect(tableText(rows, columns, 'csv')).toBe('name,count\r\nb,2\r\na,10\r\n"c,""d""",1\r\n');
  });

  it('disarms formulas', () => {
    expect(tableText([{ name: '=1+1', count: 0 }], columns, 'csv')).toContain("'=1+1");
  });

  it('writes Markdown with escaped bars', () => {
    expect(tableText([{ name: 'a|b', count: 3 }], columns, 'markdown')).toBe(
      '| name | count |\n| --- | ---: |\n| a\\|b | 3 |',
    );
  });

  it('writes JSON that reads back', () =>
    forAll(100, [fc.array(fc.record({ name: fc.string(), count: fc.integer() }))], (list) => {
      expect(JSON.parse(tableText(list, columns, 'json'))).toEqual(list);
    }));
});
