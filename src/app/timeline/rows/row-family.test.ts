import { expect, it } from 'vitest';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { parentsByFork } from './row-family.ts';
import { plainRow } from '../../../../test/support/timeline/plain-row.ts';

const process = (id: string, parent: number, pid: number, ppid: number, more: Partial<RowInfo> = {}) =>
  plainRow(id, parent, 'thread', { tid: pid, pid, ppid, ...more });

/** "child < parent" of the rows that stand elsewhere than their kind does. */
function moved(rows: readonly RowInfo[]): string[] {
  const parents = parentsByFork(rows);
  return rows.flatMap(({ id, parent }, i) =>
    parents[i] === parent ? [] : [`${id} < ${parents[i] < 0 ? '' : rows[parents[i]].id}`],
  );
}

it('puts processes below the one that forked them, whatever comes first', () => {
  const rows = [
    plainRow('host', -1, 'host'),
    process('make', 0, 20, 10),
    process('cc', 0, 30, 20),
    plainRow('server', 0, 'process', { tid: 40, pid: 40, ppid: 10 }),
    process('server-main', 3, 40, 10),
    process('shell', 0, 10, 1),
    process('worker', 0, 50, 40),
  ];
  expect(moved(rows)).toEqual(['make < shell', 'cc < make', 'server < shell', 'worker < server']);
});

it('takes processes out of the group of those that never ran where others are below them', () => {
  const rows = [
    plainRow('host', -1, 'host'),
    process('child', 0, 30, 20),
    plainRow('never-ran', 0, 'never-ran'),
    process('init', 2, 1, 0, { ppid: undefined }),
    process('shell', 2, 20, 1),
    process('other', 2, 21, 1),
  ];
  expect(moved(rows)).toEqual(['child < shell', 'init < host', 'shell < init']);
});

it('takes the life of a pid that began before the child', () => {
  const rows = [
    plainRow('host', -1, 'host'),
    process('first', 0, 20, 1, { firstNs: 0 }),
    process('second', 0, 20, 1, { firstNs: 100 }),
    process('early', 0, 30, 20, { firstNs: 50 }),
    process('late', 0, 31, 20, { firstNs: 150 }),
  ];
  expect(moved(rows)).toEqual(['early < first', 'late < second']);
});

it('leaves hosts, the tracer and threads of the kernel apart', () => {
  const rows = [
    plainRow('host', -1, 'host'),
    plainRow('other', -1, 'host', { host: 1 }),
    process('shell', 0, 20, 1),
    process('elsewhere', 1, 30, 20, { host: 1 }),
    plainRow('tracer', 0, 'tracer'),
    process('sessiond', 4, 40, 20),
    process('of-tracer', 0, 41, 40),
    plainRow('kernel', 0, 'kernel-threads'),
    plainRow('kworker', 7, 'thread', { tid: 5, pid: 5, ppid: 20, kernelThread: true }),
  ];
  expect(moved(rows)).toEqual([]);
});

it('ends where processes would be below themselves, or too deep', () => {
  const loop = [
    plainRow('host', -1, 'host'),
    process('a', 0, 1, 2),
    process('b', 0, 2, 1),
    process('c', 0, 3, 3),
  ];
  expect(moved(loop)).toEqual(['a < b']);
  const chain = [plainRow('host', -1, 'host')];
  for (let pid = 1; pid <= 1000; pid++) chain.push(process(`p${pid}`, 0, pid, pid - 1));
  const parents = parentsByFork(chain);
  const depthOf = (i: number): number => (parents[i] < 0 ? 0 : 1 + depthOf(parents[i]));
  expect(Math.max(...chain.map((_, i) => depthOf(i)))).toBeLessThanOrEqual(101);
});
