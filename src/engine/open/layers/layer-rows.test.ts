import { describe, expect, it } from 'vitest';
import { ClockTransform, SAME_CLOCK } from '../../sync/clock-transform.ts';
import type { RowInfo } from '../../protocol/rows.ts';
import { unpackRows } from '../../answers/rows/row-columns.ts';
import { packRows } from '../../answers/rows/row-writer.ts';
import { type PlacedRow, withLayerRows } from './layer-rows.ts';

function row(id: string, parent: number, more: Partial<RowInfo>): RowInfo {
  return {
    id,
    parent,
    kind: 'thread',
    name: id,
    host: 0,
    attribute: 1,
    cpuTimeNs: 0,
    events: 0,
    ran: true,
    kernelThread: false,
    firstNs: 0,
    lastNs: 1000,
    ...more,
  };
}

const ROWS = [
  row('host:0', -1, { kind: 'host' }),
  row('cpu:0:1', 0, { kind: 'cpu', cpu: 1 }),
  row('process:0:5', 0, { kind: 'process' }),
  row('thread:0:5', 2, { tid: 5 }),
  row('thread:0:6', 2, { tid: 6 }),
  row('thread:0:6#2', 2, { tid: 6, firstNs: 500 }),
];

const ONE = { word: 'one', host: 0, clock: new ClockTransform(SAME_CLOCK) };

/** The rows of a thread. */
function levels(tid: number, first: number, { count = 1, ns = 0 } = {}): PlacedRow[] {
  return Array.from({ length: count }, (_, level) => ({
    ...ONE,
    id: `${tid}:${level}`,
    key: `${tid}:${level}`,
    name: level === 0 ? 'work' : `work, level ${level + 1}`,
    attribute: level,
    subject: 'work',
    below: { tid, ns, pid: 4, process: 'app' },
    first,
  }));
}

/** Names of rows, by depth. */
function outline(rows: readonly PlacedRow[], below = ROWS): string[] {
  const all = unpackRows(withLayerRows(packRows(below), rows));
  const depth = ({ parent }: RowInfo): number => (parent < 0 ? 0 : 1 + depth(all[parent]));
  return all.map((one) => `${'  '.repeat(depth(one))}${one.name}`);
}

describe('withLayerRows', () => {
  it('puts the levels of a thread directly below it, and changes no other row', () => {
    expect(outline(levels(5, 100, { count: 2 }))).toEqual([
      'host:0',
      '  cpu:0:1',
      '  process:0:5',
      '    thread:0:5',
      '      work',
      '      work, level 2',
      '    thread:0:6',
      '    thread:0:6#2',
    ]);
  });

  it('takes the life of a thread id that the first span lies in', () => {
    const names = outline(levels(6, 600));
    expect(names[names.indexOf('      work') - 1]).toBe('    thread:0:6#2');
    const earlier = outline(levels(6, 400));
    expect(earlier[earlier.indexOf('      work') - 1]).toBe('    thread:0:6');
  });

  it('does so in whatever order the rows of its lives come', () => {
    const life = (number: number, firstNs: number) => row(`life ${number}`, 0, { tid: 6, firstNs });
    for (const order of [
      [1, 2, 3],
      [3, 1, 2],
      [2, 3, 1],
      [3, 2, 1],
    ]) {
      const rows = [ROWS[0], ...order.map((number) => life(number, 100 * number))];
      const rowAbove = (first: number) => {
        const names = outline(levels(6, first), rows);
        return names[names.indexOf('    work') - 1];
      };
      expect([50, 100, 150, 299, 900].map(rowAbove)).toEqual(
        [1, 1, 1, 2, 3].map((number) => `  life ${number}`),
      );
    }
  });

  it('puts what idle threads do below their CPU', () => {
    expect(outline(levels(-3, 100)).slice(1, 3)).toEqual(['  cpu:0:1', '    work']);
  });

  it('makes a row for a thread that the kernel tells nothing of', () => {
    expect(outline([...levels(9, 100), ...levels(-1, 100)]).slice(6)).toEqual([
      '  app',
      '    work',
      '  No known thread',
      '    work',
    ]);
  });

  it('tells threads of namespaces from those of the host with the same number', () => {
    const rows = [
      ROWS[0],
      row('svc', 0, { tid: 4711, vtid: 7, ns: 500 }),
      row('kworker', 0, { tid: 7 }),
      row('of events', 0, { tid: 7, ns: 600 }),
    ];
    const below = (ns: number, tid: number) => {
      const names = outline(levels(tid, 100, { ns }), rows);
      return names[names.findIndex((name) => name.trim() === 'work') - 1].trim();
    };
    expect([below(0, 4711), below(0, 7), below(600, 7)]).toEqual(['svc', 'kworker', 'of events']);
    // Nobody knows which thread of the host it is: it has a row of its own.
    expect(below(700, 7)).toBe('app');
  });

  it('makes groups of a layer, and one row of a thread for all layers', () => {
    const grouped = { ...levels(0, 100)[0], below: 'Locks' };
    const others = [...levels(9, 50), grouped].map((row) => ({ ...row, word: 'other' }));
    expect(outline([...levels(9, 100), grouped, ...others]).slice(6)).toEqual([
      '  app',
      '    work',
      '    work',
      '  Locks',
      '    work',
      '  Locks',
      '    work',
    ]);
  });

  it('makes one group about the machine for all layers', () => {
    const counted = { ...levels(0, 100)[0], below: 'Resources', isOfMachine: true };
    expect(outline([counted, { ...counted, word: 'other' }]).slice(6)).toEqual([
      '  Resources',
      '    work',
      '    work',
    ]);
  });
});
