import { expect, it } from 'vitest';
import { plainRow, rowsOf, unpackRows } from './row-columns.ts';
import { packRows, columnsOf, rowsOfKind } from './row-writer.ts';
import type { RowInfo, RowKind } from '../../protocol/rows.ts';

it('keeps rows as they are', () => {
  const kinds: RowKind[] = [
    'host',
    'cpu',
    'process',
    'thread',
    'kernel-threads',
    'never-ran',
    'stream',
    'more-threads',
    'tracer',
  ];
  const rows = kinds.map((kind, i): RowInfo => {
    const known = i % 2 === 0 ? { tid: i - 1, pid: -1, cpu: i } : {};
    return {
      id: `${kind}:0:${i}`,
      name: `a\n"name" ${i}`,
      kind,
      parent: i - 1,
      host: 3,
      attribute: i % 3 === 0 ? -1 : 70_000 + i,
      cpuTimeNs: i * 1e12 + 1,
      events: i * 3,
      ran: i % 2 === 0,
      kernelThread: i % 3 === 0,
      firstNs: -i,
      lastNs: 2 ** 52 + i,
      ...known,
    };
  });
  const columns = structuredClone(packRows(rows));
  expect(unpackRows(columns)).toEqual(rows);
  expect(rowsOf(columns).map(({ id, name, cpu }) => [id, name, cpu])).toEqual(
    rows.map(({ id, name, cpu }) => [id, name, cpu]),
  );
  expect(rowsOfKind(columns, 'thread')).toEqual(['thread:0:3']);
  expect(unpackRows(packRows([]))).toEqual([]);
  const read = rowsOf(columns);
  expect(columnsOf(read)).toBe(columns);
  // Others have columns of their own, also where each of them reads some.
  for (const others of [rows, read.slice(1), read.toReversed(), [...read.slice(0, -1), rows[0]]])
    expect(unpackRows(columnsOf(others))).toEqual(others.map(plainRow));
});
