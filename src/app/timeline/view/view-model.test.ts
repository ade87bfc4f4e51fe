import { afterAll, describe, expect, it, vi } from 'vitest';
import { assert } from '../../../engine/base/assert.ts';
import type { PathAnswer } from '../../../engine/protocol/paths.ts';
import { STATE_KERNEL, stateOf } from '../../../engine/linux/events/values.ts';
import { createSyntheticSource } from '../../../../test/support/timeline/synthetic-source.ts';
import { createViewModel } from './view-model.ts';
import { rangeOf } from './viewport.ts';

// The model animates with the browser's frames; here every jump is one step.
vi.stubGlobal('window', { matchMedia: () => ({ matches: true }) });
vi.stubGlobal('cancelAnimationFrame', () => undefined);
afterAll(() => vi.unstubAllGlobals());

const LENGTH = 5_850_000_000;
const setUp = () => {
  const source = createSyntheticSource({ threads: 20, hosts: 1 });
  const view = createViewModel(source);
  view.rows.height.value = 400;
  const thread = source.rows.peek().find((r) => r.kind === 'thread' && r.ran && !r.kernelThread);
  return { source, view, thread: thread?.id ?? '' };
};

describe('view model', () => {
  it('shows everything, and goes on doing so while the length grows', () => {
    const { source, view } = setUp();
    expect(rangeOf(view.viewport.value)).toEqual({ from: 0, to: LENGTH });
    const info = source.info.peek();
    if (info) source.info.value = { ...info, lengthNs: 2 * LENGTH };
    expect(rangeOf(view.viewport.value).to).toBe(2 * LENGTH);
    view.setRange({ from: 10, to: 1010 });
    if (info) source.info.value = { ...info, lengthNs: 3 * LENGTH };
    expect(rangeOf(view.viewport.value)).toEqual({ from: 10, to: 1010 });
  });

  it('keeps by which clock times are written', () => {
    const kept = new Map<string, string>();
    vi.stubGlobal('localStorage', {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, text: string) => void kept.set(name, text),
    });
    const { view } = setUp();
    expect(view.timeMode.value).toBe('relative');
    view.timeMode.value = 'utc';
    expect(setUp().view.timeMode.value).toBe('utc');
    kept.set('wakepath.times', '"sundial"');
    expect(setUp().view.timeMode.value).toBe('relative');
    vi.stubGlobal('localStorage', undefined);
  });

  it('selects an interval and steps to its neighbours', async () => {
    const { view, thread } = setUp();
    await view.select(thread, 3_000_000_000);
    const first = view.selected.value;
    expect(first?.info?.row).toBe(thread);
    await view.nextInterval();
    expect(view.selected.value?.from).toBe(first?.to);
    await view.previousInterval();
    expect(view.selected.value).toMatchObject({ from: first?.from, to: first?.to });
  });

  it('lets a late answer not undo a later choice', async () => {
    const { view, thread } = setUp();
    const slow = view.select(thread, 1_000_000_000, { from: 1, to: 2 });
    const later = view.select(thread, 4_000_000_000, { from: 3, to: 4 });
    await Promise.all([slow, later]);
    expect(view.selected.value?.info?.from).toBeGreaterThan(3_000_000_000);
  });

  it('a segment stepped to stays one when its details come after the path was left', async () => {
    const { view, thread } = setUp();
    const worker = { row: thread, name: 'a', tid: 5, host: 0, cpu: undefined };
    const [from, to] = [Float64Array.of(3_000_000_000), Float64Array.of(3_100_000_000)];
    const segments = { length: 1, worker: Int32Array.of(0), from, to };
    view.showPath({ row: thread, workers: [worker], segments } as unknown as PathAnswer);
    view.goToSegment(0);
    expect(view.escape()).toBe(true);
    expect(view.path.value).toBeUndefined();
    await expect.poll(() => view.selected.value?.info?.row).toBe(thread);
  });

  it('steps as often as was asked, from what was clicked', async () => {
    const { view, thread } = setUp();
    const steps = [view.select(thread, 3_000_000_000), view.nextInterval(), view.nextInterval()];
    await Promise.all(steps);
    const there = view.selected.value;
    await view.select(thread, 3_000_000_000);
    for (let i = 0; i < 2; i++) await view.nextInterval();
    expect(view.selected.value).toEqual(there);
    const late = view.nextInterval();
    const later = view.select(thread, 3_000_000_000);
    await Promise.all([late, later]);
    expect(view.selected.value?.from).toBeLessThanOrEqual(3_000_000_000);
    expect(view.selected.value?.to).toBeGreaterThan(3_000_000_000);
  });

  it('follows the rows that are gone to, however fast', async () => {
    const { view, thread } = setUp();
    await view.select(thread, 3_000_000_000);
    view.rowDown();
    view.rowDown();
    expect(await view.settled()).toBe(true);
    expect(view.selected.value?.row).toBe(view.focusedRow.value);
    expect(view.focusedRow.value).not.toBe(thread);
    void view.nextInterval();
    view.rowUp();
    expect(await view.settled()).toBe(true);
    expect(view.selected.value?.row).toBe(view.focusedRow.value);
  });

  it('fits all of an interval of which a piece was clicked', async () => {
    const { view, thread } = setUp();
    void view.select(thread, 3_000_000_000, { from: 3_000_000_000, to: 3_000_000_001 });
    await view.fitSelection();
    const { from, to } = view.selected.value?.info ?? { from: 0, to: 0 };
    const seen = rangeOf(view.viewport.value);
    expect(seen.from).toBeLessThan(from);
    expect(seen.to).toBeGreaterThan(to);
  });

  it('tells of a choice before it is known, and forgets one that was left', async () => {
    const changes: string[] = [];
    const source = createSyntheticSource({ threads: 20, hosts: 1 });
    const view = createViewModel(source, false, () => changes.push('chosen'));
    const thread = source.rows.peek().find((r) => r.kind === 'thread' && r.ran)?.id ?? '';
    const chosen = view.select(thread, 3_000_000_000);
    expect(changes).toEqual(['chosen']);
    view.escape();
    await chosen;
    expect(view.selected.value).toBeUndefined();
    void view.select('no row', 3_000_000_000);
    expect(changes).toEqual(['chosen']);
  });

  it('is cleared of all that was chosen, and of what is on its way', async () => {
    const { view, thread } = setUp();
    const { rows } = view;
    view.selectRange({ from: 1000, to: 2000 });
    view.isolated.value = 1;
    rows.filter.value = 'none such';
    rows.hide(thread);
    rows.togglePin('host:0');
    rows.toggleFold('host:0');
    const late = view.select(thread, 3_000_000_000);
    view.clear();
    await late;
    expect(view.question.value).toEqual({ row: undefined, interval: undefined, range: undefined });
    expect(view.isolated.value).toBeUndefined();
    const { layout } = setUp().view.rows;
    expect(rows.layout.value.length).toBe(layout.value.length);
    expect(rows.layout.value.positionOf(thread)).toBe(layout.value.positionOf(thread));
  });

  it('fits what was selected last, then everything', async () => {
    const { view, thread } = setUp();
    view.selectRange({ from: 1000, to: 2000 });
    await view.fitSelection();
    expect(rangeOf(view.viewport.value)).toEqual({ from: 950, to: 2050 });
    await view.select(thread, 3_000_000_000);
    await view.fitSelection();
    const { from = 0, to = 0 } = view.selected.value ?? {};
    const margin = Math.round((to - from) / 20);
    expect(rangeOf(view.viewport.value)).toEqual({ from: from - margin, to: to + margin });
    view.selectRange({ from: 5000, to: 6000 });
    await view.fitSelection();
    expect(rangeOf(view.viewport.value)).toEqual({ from: 4950, to: 6050 });
    expect(view.escape()).toBe(true);
    expect(view.escape()).toBe(false);
    view.focusedRow.value = 'host:0';
    await view.fitSelection();
    expect(rangeOf(view.viewport.value)).toEqual({ from: 0, to: LENGTH });
  });

  it('fits the life of a row, or the path that is shown of it', async () => {
    const { source, view, thread } = setUp();
    const rows = source.rows.peek().map((row) => {
      return row.id === thread ? { ...row, firstNs: 1_000_000, lastNs: 3_000_000 } : row;
    });
    source.rows.value = rows;
    view.setRange({ from: 0, to: 1000 });
    view.show(thread);
    await view.fitSelection();
    expect(rangeOf(view.viewport.value)).toEqual({ from: 900_000, to: 3_100_000 });
    const segments = { length: 0, worker: new Int32Array(0), from: [], to: [] };
    const answer = { row: thread, from: 200_000, to: 300_000, workers: [], segments };
    view.showPath(answer as unknown as PathAnswer);
    await view.fitSelection();
    expect(rangeOf(view.viewport.value)).toEqual({ from: 195_000, to: 305_000 });
  });

  it('asks about what was selected last', async () => {
    const { source, view, thread } = setUp();
    const range = { from: 1000, to: 2000 };
    await view.select(thread, 3_000_000_000);
    expect(view.question.value).toMatchObject({ row: thread, interval: { kind: 'interval' } });
    view.selectRange(range);
    expect(view.question.value).toEqual({ row: thread, interval: undefined, range });
    expect(view.selected.value).toBeUndefined();
    await view.select(thread, 3_000_000_000);
    expect(view.question.value).toMatchObject({ interval: { row: thread }, range: undefined });
    view.selectRow(thread);
    expect(view.question.value).toEqual({ row: thread, interval: undefined, range });
    const call = source
      .intervals(
        source.rows.peek().find(({ id }) => id === thread)!,
        0,
        LENGTH,
      )
      .find(({ value }) => stateOf(value) === STATE_KERNEL);
    assert(call !== undefined, 'it is in the kernel once');
    await view.selectCall(thread, call.from);
    expect(view.question.value.interval).toMatchObject({ kind: 'call', from: call.from, to: call.to });
  });

  it('gives up the interval that is being found when a range is selected', async () => {
    const { view, thread } = setUp();
    const late = view.select(thread, 3_000_000_000, { from: 1, to: 2 });
    view.selectRange({ from: 1000, to: 2000 });
    await late;
    expect(view.selected.value).toBeUndefined();
    expect(view.question.value.range).toEqual({ from: 1000, to: 2000 });
  });

  it('opens the groups around a row that is shown, and scrolls to it', () => {
    const { source, view } = setUp();
    const kernel = source.rows.peek().findLast((r) => r.kernelThread);
    expect(view.rows.layout.value.find(kernel?.id ?? '')).toBeUndefined();
    view.rows.height.value = 100;
    view.show(kernel?.id ?? '');
    const laid = view.rows.layout.value.find(kernel?.id ?? '');
    assert(laid !== undefined, 'it is shown now');
    expect(laid.y).toBeGreaterThanOrEqual(view.rows.scrollTop.value);
    expect(laid.y + laid.height).toBeLessThanOrEqual(view.rows.scrollTop.value + 100);
  });

  it('keeps the row of the selection in its place when rows come above it', () => {
    const { source, view } = setUp();
    const { layout, scrollTop, height } = view.rows;
    height.value = 100;
    const kernel = source.rows.peek().findLast((r) => r.kernelThread);
    view.show(kernel?.id ?? '');
    const onScreen = () => (layout.value.find(kernel?.id ?? '')?.y ?? NaN) - scrollTop.value;
    const before = onScreen();
    const cpu = source.rows.peek().find((r) => r.kind === 'cpu');
    assert(cpu !== undefined, 'there is a CPU');
    const { length } = layout.value;
    source.rows.value = [...source.rows.peek(), { ...cpu, id: `${cpu.id}0` }];
    expect(layout.value.length).toBe(length + 1);
    expect(onScreen()).toBe(before);
  });

  it('sorts by CPU time when reading ends, unless another order was asked for', () => {
    const { source, view } = setUp();
    expect(view.rows.sort.value).toBe('cpu');
    view.rows.sort.value = 'name';
    const progress = source.progress.peek();
    if (progress) source.progress.value = { ...progress };
    expect(view.rows.sort.value).toBe('name');
  });
});
