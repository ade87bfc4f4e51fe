import { describe, expect, it } from 'vitest';
import type { RowInfo, RowKind } from '../../engine/protocol/rows.ts';
import { groupedByProgram, hasPrograms } from './row-programs.ts';

const row = (
  id: string,
  parent: number,
  kind: RowKind,
  name: string,
  more: Partial<RowInfo> = {},
): RowInfo => ({
  ...{ id, parent, kind, name, host: 0, attribute: 1, cpuTimeNs: 10, events: 0 },
  ...{ ran: true, kernelThread: false, firstNs: 5, lastNs: 9, ...more },
});

const shell = row('process:0:1', 0, 'process', 'sh');
const thread = row('thread:0:2', 1, 'thread', 'wc');
const first = row('thread:0:3', 0, 'thread', 'wc', { firstNs: 2, cpuTimeNs: 30 });
const second = row('thread:0:4', 0, 'thread', 'wc', { lastNs: 20, cpuTimeNs: 12 });
const kernel = row('kernel-threads:0', 0, 'kernel-threads', 'Kernel threads');
const HOST = row('host:0', -1, 'host', 'one');
const rows = [
  HOST,
  shell,
  thread,
  first,
  kernel,
  row('thread:0:5', 4, 'thread', 'kworker'),
  row('thread:0:6', 4, 'thread', 'kworker'),
  second,
  row('thread:0:7', 0, 'thread', 'cc'),
];

describe('rows by program', () => {
  const grouped = groupedByProgram(rows);
  const parentOf = (id: string) => grouped[grouped.find((one) => one.id === id)?.parent ?? -1]?.id;

  it('stand below one row with their sums', () => {
    const program = grouped.find(({ kind }) => kind === 'program');
    expect(program).toMatchObject({ name: 'wc', cpuTimeNs: 42, firstNs: 2, lastNs: 20, parent: 0 });
    expect(parentOf('thread:0:3')).toBe(program?.id);
    expect(parentOf('thread:0:4')).toBe(program?.id);
  });

  it('stay where they are alone, a thread of a process, or in another group', () => {
    expect(grouped.filter(({ kind }) => kind === 'program')).toHaveLength(1);
    expect(parentOf('thread:0:2')).toBe('process:0:1');
    expect(parentOf('thread:0:5')).toBe('kernel-threads:0');
    expect(parentOf('thread:0:7')).toBe('host:0');
    expect(grouped).toHaveLength(rows.length + 1);
  });

  it('follow the row that they stand below', () => {
    for (const [i, { parent }] of grouped.entries()) expect(parent).toBeLessThan(i);
  });

  it('are the rows given where no program has several processes', () => {
    const alone = [HOST, shell, thread];
    expect(groupedByProgram(alone)).toBe(alone);
    expect([alone, rows].map(hasPrograms)).toEqual([false, true]);
  });
});
