import { describe, expect, it } from 'vitest';
import { layoutRows, type RowLayout, type RowOptions } from './row-layout.ts';
import { foundRanks } from './row-order.ts';
import { PLAIN_LAYOUT, plainRow } from '../../../../test/support/timeline/plain-row.ts';

const ROWS = [
  plainRow('host', -1, 'host'),
  plainRow('cpu0', 0, 'cpu'),
  plainRow('idle', 0, 'thread', { cpuTimeNs: 1, tid: 9 }),
  plainRow('web', 0, 'process', { cpuTimeNs: 30, tid: 5 }),
  plainRow('web-a', 3, 'thread', { cpuTimeNs: 10, tid: 5 }),
  plainRow('web-b', 3, 'thread', { cpuTimeNs: 20, tid: 6 }),
  plainRow('kernel', 0, 'kernel-threads', { cpuTimeNs: 99 }),
  plainRow('kworker', 6, 'thread', { tid: 2 }),
];

const options = (more: Partial<RowOptions> = {}): RowOptions => ({ ...PLAIN_LAYOUT, sort: 'cpu', ...more });

const idsOf = (layout: RowLayout) => layout.slice(0, layout.length).map(({ row }) => row.id);
const ids = (more: Partial<RowOptions> = {}) => idsOf(layoutRows(ROWS, options(more)));

describe('layoutRows', () => {
  it('sorts by CPU time below CPUs and folds kernel threads', () => {
    expect(ids()).toEqual(['host', 'cpu0', 'web', 'web-b', 'web-a', 'idle', 'kernel']);
  });

  it('keeps the order in which rows were found, so that nothing jumps while reading', () => {
    expect(ids({ sort: 'found' })).toEqual(['host', 'cpu0', 'idle', 'web', 'web-a', 'web-b', 'kernel']);
    const [host, cpu, idle, ...others] = ROWS;
    const first = { rows: [host, idle], ranks: Float64Array.of(0, 1) };
    expect([...foundRanks(ROWS, first)]).toEqual([0, 2, 1, 3, 4, 5, 6, 7]);
    const later = [
      host,
      cpu,
      plainRow('new', 0, 'thread'),
      ...others.map((r) => ({ ...r, parent: r.parent && 3 })),
      { ...idle },
    ];
    const found = foundRanks(later, { rows: ROWS, ranks: foundRanks(ROWS, first) });
    expect(idsOf(layoutRows(later, options({ sort: 'found', found }))).slice(2, 4)).toEqual(['idle', 'web']);
    expect(idsOf(layoutRows(later, options({ sort: 'found', found }))).at(-2)).toBe('new');
  });

  it('leaves out rows that are not active in view, and tells how many', () => {
    // web-b and kworker are active.
    const inView = {
      rows: ROWS,
      onCpuNs: Float64Array.of(),
      isActive: Uint8Array.of(1, 1, 0, 1, 0, 1, 1, 1),
    };
    const laid = layoutRows(ROWS, options({ activeOnly: true, inView }));
    expect(idsOf(laid)).toEqual(['host', 'cpu0', 'web', 'web-b', 'kernel']);
    expect(laid.hidden).toBe(2);
    const idle = { ...inView, isActive: new Uint8Array(ROWS.length) };
    const none = layoutRows(ROWS, options({ activeOnly: true, inView: idle }));
    expect(idsOf(none)).toEqual(['host', 'cpu0']);
    // Of folded groups only themselves.
    expect(none.hidden).toBe(5);
    const [keptIds, pinned] = [new Set(['web-a']), new Set(['idle'])];
    const kept = options({ activeOnly: true, inView: idle, kept: keptIds, pinned });
    expect(idsOf(layoutRows(ROWS, kept))).toEqual(['host', 'cpu0', 'idle', 'web', 'web-a']);
    expect(layoutRows(ROWS, options({ inView: idle })).hidden).toBe(0);
    expect(layoutRows(ROWS, options({ activeOnly: true })).hidden).toBe(0);
  });

  it('sorts by time on CPU in view, or in the whole trace where that is seen', () => {
    const onCpuNs = Float64Array.of(0, 0, 9, 8, 8, 0, 0, 0);
    const inView = { rows: ROWS, onCpuNs, isActive: new Uint8Array(ROWS.length) };
    expect(ids({ sort: 'view', inView }).slice(2)).toEqual(['idle', 'web', 'web-a', 'web-b', 'kernel']);
    expect(ids({ sort: 'view' })).toEqual(ids({ sort: 'cpu' }));
  });

  it('groups by namespace, or sorts what is in one among the others', () => {
    const rows = [
      ...ROWS,
      plainRow('ns', 0, 'namespace', { cpuTimeNs: 15 }),
      plainRow('inside', 8, 'process', { cpuTimeNs: 15, tid: 40 }),
      plainRow('inside-a', 9, 'thread', { cpuTimeNs: 15, tid: 40 }),
    ];
    const shown = (more: Partial<RowOptions>) => {
      const layout = layoutRows(rows, options(more));
      const shownRows = layout.slice(0, layout.length).map((laid) => `${laid.depth} ${laid.row.id}`);
      return shownRows.filter((text) => !/host|cpu0|web$/.test(text));
    };
    expect(shown({})).toEqual(['2 web-b', '2 web-a', '1 idle', '1 ns', '2 inside', '3 inside-a', '1 kernel']);
    expect(shown({ byNamespace: false })).toEqual([
      '2 web-b',
      '2 web-a',
      '1 inside',
      '2 inside-a',
      '1 idle',
      '1 kernel',
    ]);
    // A namespace that was folded hides nothing then.
    expect(shown({ byNamespace: false, toggled: new Set(['ns']) })).toContain('2 inside-a');
    expect(shown({ byNamespace: false, filter: 'inside-a' })).toEqual(['1 inside', '2 inside-a']);
  });

  it('puts rows below others than their parents, but not where a path orders them', () => {
    const parents = Int32Array.from(ROWS, ({ parent }) => parent);
    // `web` below `idle`.
    parents[3] = 2;
    expect(ids({ parents })).toEqual(['host', 'cpu0', 'idle', 'web', 'web-b', 'web-a', 'kernel']);
    const [busy, few] = [
      plainRow('busy', 0, 'thread', { cpuTimeNs: 20 }),
      plainRow('few', 0, 'thread', { cpuTimeNs: 40 }),
    ];
    const others = Int32Array.of(...parents, 0, 0);
    const laid = layoutRows([...ROWS, busy, few], options({ parents: others }));
    // 1 and 30 below it are less than 40 and more than 20.
    expect(idsOf(laid).slice(2)).toEqual(['few', 'idle', 'web', 'web-b', 'web-a', 'busy', 'kernel']);
    expect(ids({ parents, filter: 'web-a' })).toEqual(['host', 'idle', 'web', 'web-a']);
    expect(ids({ parents, toggled: new Set(['idle']) })).toEqual(['host', 'cpu0', 'idle', 'kernel']);
    const isActive = Uint8Array.of(1, 0, 0, 1, 1, 0, 0, 0);
    const inView = { rows: ROWS, onCpuNs: Float64Array.of(), isActive };
    expect(ids({ parents, activeOnly: true, inView })).toEqual(['host', 'cpu0', 'idle', 'web', 'web-a']);
    const timeOnPath = new Map([
      ['web', 1],
      ['web-a', 1],
    ]);
    expect(ids({ parents, sort: 'path', timeOnPath })).toEqual(['host', 'cpu0', 'web', 'web-a']);
  });

  it.each<[string, Partial<RowOptions>, string]>([
    [
      'opens and folds what was toggled',
      { toggled: new Set(['web', 'kernel']) },
      'host cpu0 web idle kernel kworker',
    ],
    [
      'shows what matches every word of the filter, and its groups open',
      { filter: 'WEB 6' },
      'host web web-b',
    ],
    ['opens for it what is folded', { filter: 'kwork' }, 'host kernel kworker'],
    ['shows nothing where nothing matches', { filter: 'nothing' }, ''],
    [
      'leaves out what is hidden, with all below it',
      { hiddenIds: new Set(['web', 'cpu0']) },
      'host idle kernel',
    ],
    ['puts pinned rows after CPUs', { pinned: new Set(['idle']) }, 'host cpu0 idle web web-b web-a kernel'],
    ['sorts by tid', { sort: 'tid' }, 'host cpu0 web web-a web-b idle kernel'],
    ['sorts by name', { sort: 'name' }, 'host cpu0 idle web web-a web-b kernel'],
  ])('%s', (_, more, expected) => expect(ids(more).join(' ')).toBe(expected));

  it('shows rows of layers below their thread, also when only its name is looked for', () => {
    const rows = [...ROWS, plainRow('request', 5, 'layer'), plainRow('function', 5, 'layer')];
    const shown = (filter: string, more: Partial<RowOptions> = {}) =>
      idsOf(layoutRows(rows, options({ filter, ...more })));
    expect(shown('').slice(2, 6)).toEqual(['web', 'web-b', 'request', 'function']);
    expect(shown('web-b')).toEqual(['host', 'web', 'web-b', 'request', 'function']);
    expect(shown('web-b request')).toEqual(['host', 'web', 'web-b', 'request']);
    expect(shown('func')).toEqual(['host', 'web', 'web-b', 'function']);
    const onPath = shown('', {
      sort: 'path',
      timeOnPath: new Map([
        ['web', 1],
        ['web-b', 1],
      ]),
    });
    expect(onPath).toContain('request');
    expect(onPath).not.toContain('web-a');
  });

  it('finds rows by their place', () => {
    const layout = layoutRows(ROWS, options());
    expect(layout.height).toBe(24 + 6 * 20);
    expect([-5, 0, 23, 24, 44, 1000].map((y) => layout.positionAt(y))).toEqual([0, 0, 0, 1, 2, 6]);
    expect(layoutRows([], options()).positionAt(10)).toBe(-1);
    expect(layout.positionOf('cpu0')).toBe(1);
    expect(layout.find('web-b')).toMatchObject({ depth: 2, y: layout.at(layout.positionOf('web-b')).y });
    expect(layout.find('nobody')).toBeUndefined();
    expect(layout.slice(5, 100).map(({ row }) => row.id)).toEqual(idsOf(layout).slice(5));
    expect(layout.at(2)).toBe(layout.at(2));
  });
});
