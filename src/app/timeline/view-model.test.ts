import { describe, expect, it, vi } from 'vitest';
import { assert } from '../../engine/base/assert.ts';
import type { PathAnswer } from '../../workers/session-api.ts';
import { createSyntheticSource } from './testing/synthetic-source.ts';
import { createViewModel } from './view-model.ts';
import { rangeOf } from './viewport.ts';

// The model animates with the browser's frames; here every jump is one step.
vi.stubGlobal('window', { matchMedia: () => ({ matches: true }) });
vi.stubGlobal('cancelAnimationFrame', () => undefined);

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
    expect(view.selected.value?.isStep).toBe(true);
    await view.nextInterval();
    expect(view.selected.value?.isStep).toBe(false);
  });

  it('fits the selection, then a range, then everything', async () => {
    const { view } = setUp();
    view.range.value = { from: 1000, to: 2000 };
    view.fitSelection();
    expect(rangeOf(view.viewport.value)).toEqual({ from: 950, to: 2050 });
    expect(view.escape()).toBe(true);
    expect(view.escape()).toBe(false);
    view.fitSelection();
    expect(rangeOf(view.viewport.value).to).toBe(LENGTH);
  });

  it('steps back and forward through views that rested', async () => {
    vi.useFakeTimers();
    const { view } = setUp();
    await vi.advanceTimersByTimeAsync(500);
    view.setRange({ from: 1000, to: 3000 });
    await vi.advanceTimersByTimeAsync(500);
    expect(view.step.value).toBe(1);
    view.back();
    expect(rangeOf(view.viewport.value).to).toBe(LENGTH);
    view.forward();
    expect(rangeOf(view.viewport.value)).toEqual({ from: 1000, to: 3000 });
    vi.useRealTimers();
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

  it('sorts by CPU time when reading ends, unless another order was asked for', () => {
    const { source, view } = setUp();
    expect(view.rows.sort.value).toBe('cpu');
    view.rows.sort.value = 'name';
    const progress = source.progress.peek();
    if (progress) source.progress.value = { ...progress };
    expect(view.rows.sort.value).toBe('name');
  });
});
