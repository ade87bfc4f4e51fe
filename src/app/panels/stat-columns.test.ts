import { expect, it } from 'vitest';
import type { VNode } from 'preact';
import { barred, msColumn } from './stat-columns.tsx';

it('the longest bar is that of the largest number, of however many rows', () => {
  const rows = Array.from({ length: 200_000 }, (_, i) => 1000 * (i % 100));
  const column = barred(
    rows,
    () => 'red',
    msColumn('busy', 'Busy, ms', '1fr', (ns) => ns),
  );
  const bar = (ns: number) => (column.cell(ns) as VNode).props;
  expect(bar(99_000)).toMatchObject({ share: 1, colour: 'red' });
  expect(bar(49_500)).toMatchObject({ share: 0.5 });
});
