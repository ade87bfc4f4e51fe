import { expect, it } from 'vitest';
import type { VNode } from 'preact';
import type { ExperimentInfo } from '../../../engine/protocol/session.ts';
import { barred, hostColumns, msColumn } from './stat-columns.tsx';

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

it('the host is told where there are several, however narrow the screen', () => {
  const hosts = ['client', 'server'].map((name, index) => ({ name, index }));
  const info = (count: number) => ({ hosts: hosts.slice(0, count) }) as unknown as ExperimentInfo;
  const hostOf = (row: number) => row;
  expect(hostColumns(info(1), hostOf)).toEqual([]);
  const [host] = hostColumns(info(2), hostOf);
  expect([host.value(1), host.wideOnly]).toEqual(['server', false]);
});
