import { describe, expect, it } from 'vitest';
import { rowTree, type ThreadEntry } from './row-tree.ts';

const thread = (
  key: string,
  pid: number,
  cpuTimeNs: number,
  more: Partial<ThreadEntry> = {},
): ThreadEntry => ({
  key,
  tid: Number.parseInt(key, 10),
  pid,
  name: `t${key}`,
  kernelThread: false,
  attribute: 0,
  cpuTimeNs,
  ran: true,
  firstNs: 0,
  lastNs: 100,
  ...more,
});

const tree = (threads: ThreadEntry[]) =>
  rowTree([{ index: 0, name: 'h', cpus: [], threads, streams: [], firstNs: 0, lastNs: 100 }]);

const shape = (threads: ThreadEntry[]) => {
  const rows = tree(threads);
  return rows.map((r) => `${r.parent < 0 ? '' : rows[r.parent].id} > ${r.id}`);
};

describe('rowTree', () => {
  it('shows a process with one thread as one row, busiest process first', () => {
    expect(shape([thread('1', 1, 5), thread('2', 2, 9)])).toEqual([
      ' > host:0',
      'host:0 > thread:0:2',
      'host:0 > thread:0:1',
    ]);
  });

  it('groups the threads of a process under its leader', () => {
    expect(shape([thread('10', 10, 1), thread('11', 10, 7)])).toEqual([
      ' > host:0',
      'host:0 > process:0:10',
      'process:0:10 > thread:0:11',
      'process:0:10 > thread:0:10',
    ]);
  });

  it('keeps two lives of one pid apart', () => {
    const rows = shape([
      thread('10', 10, 1, { firstNs: 0, lastNs: 10 }),
      thread('10#2', 10, 1, { firstNs: 20 }),
      thread('12', 10, 1, { firstNs: 25 }),
    ]);
    expect(rows).toContain('host:0 > thread:0:10');
    expect(rows).toContain('process:0:10#2 > thread:0:12');
  });

  it('puts kernel threads and threads that never ran into groups of their own', () => {
    const rows = tree([thread('3', 3, 4, { kernelThread: true }), thread('4', 4, 0, { ran: false })]);
    expect(rows.map((r) => r.kind)).toEqual(['host', 'kernel-threads', 'thread', 'never-ran', 'thread']);
    expect(rows[1].cpuTimeNs).toBe(4);
  });
});
