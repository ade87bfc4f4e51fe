import { expect, it } from 'vitest';
import { createSyntheticSource } from '../../../../test/support/timeline/synthetic-source.ts';
import { RowView, showRows, writeRows } from './row-view.ts';

it('a link says which rows are shown in which order, as far as the reader chose', () => {
  const rows = new RowView(createSyntheticSource({ threads: 20, hosts: 1 }), false);
  const linked = () => {
    const parts = new URLSearchParams();
    writeRows(parts, rows);
    return parts.toString();
  };
  expect(linked()).toBe('');
  showRows(new URLSearchParams('sort=view&rows=active'), rows);
  expect(rows.isActiveOnly.value).toBe(true);
  expect(linked()).toBe('sort=view&rows=active');
  showRows(new URLSearchParams('sort=path&rows=some'), rows);
  expect(rows.sort.value).toBe('cpu');
  expect(linked()).toBe('');
  rows.activeOnly.value = false;
  expect(linked()).toBe('rows=all');
  rows.dispose();
});

it('only active rows are shown from a hundred threads on', () => {
  const isActiveOnly = (threads: number) => {
    const rows = new RowView(createSyntheticSource({ threads, hosts: 1 }), false);
    rows.dispose();
    return rows.isActiveOnly.value;
  };
  expect(isActiveOnly(20)).toBe(false);
  expect(isActiveOnly(400)).toBe(true);
});
