import { signal } from '@preact/signals';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { LinkedPath } from '../path/path-target.ts';
import { createViewModel } from '../timeline/view/view-model.ts';
import { rangeOf } from '../timeline/view/viewport.ts';
import { createSyntheticSource } from '../../../test/support/timeline/synthetic-source.ts';
import { createViewSteps } from './view-steps.ts';

// The model animates with the browser's frames; here every jump is one step.
beforeAll(() => {
  vi.stubGlobal('window', { matchMedia: () => ({ matches: true }) });
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
});
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
afterAll(() => {
  vi.unstubAllGlobals();
});

const LENGTH = 5_850_000_000;
const PATH: LinkedPath = { row: 'thread:0:1', criterion: 'main-task', marked: [], foldLoops: false };

async function setUp() {
  const source = createSyntheticSource({ threads: 20, hosts: 1 });
  const view = createViewModel(source);
  const tab = signal('summary');
  const linked = signal<LinkedPath | undefined>(undefined);
  const path = { linked, showLinked: (wanted: LinkedPath | undefined) => (linked.value = wanted) };
  const steps = createViewSteps({ app: { drawer: { tab } }, view, path });
  const rest = () => vi.advanceTimersByTimeAsync(500);
  const grow = (lengthNs: number) => {
    const info = source.info.peek();
    if (info) source.info.value = { ...info, lengthNs };
  };
  await rest();
  return { view, tab, linked, steps, rest, grow };
}

it('lead back and forward through times that rested', async () => {
  const { view, steps, rest, grow } = await setUp();
  view.setRange({ from: 1000, to: 3000 });
  await rest();
  expect([steps.position.value, steps.length.value]).toEqual([1, 2]);
  steps.go(0);
  expect(rangeOf(view.viewport.value).to).toBe(LENGTH);
  steps.go(1);
  expect(rangeOf(view.viewport.value)).toEqual({ from: 1000, to: 3000 });
  // What was gone to stays in sight while the length grows.
  grow(2 * LENGTH);
  expect(rangeOf(view.viewport.value)).toEqual({ from: 1000, to: 3000 });
  await rest();
  expect([steps.position.value, steps.length.value]).toEqual([1, 2]);
});

it('lead back to all of it, however long it has become', async () => {
  const { view, steps, rest, grow } = await setUp();
  grow(2 * LENGTH);
  await rest();
  expect(steps.position.value).toBe(0);
  view.setRange({ from: 1000, to: 3000 });
  await rest();
  grow(3 * LENGTH);
  steps.go(0);
  expect(rangeOf(view.viewport.value)).toEqual({ from: 0, to: 3 * LENGTH });
});

it('lead from a path with its tab, time and range to what was read before', async () => {
  const { view, tab, linked, steps, rest } = await setUp();
  tab.value = 'locks';
  await rest();
  // A range alone is no step.
  view.selectRange({ from: 5, to: 50 });
  await rest();
  expect(steps.length.value).toBe(2);
  linked.value = PATH;
  tab.value = 'path';
  view.selectRange({ from: 1000, to: 3000 });
  view.setRange({ from: 900, to: 3100 });
  await rest();
  expect(steps.length.value).toBe(3);
  steps.go(1);
  expect(linked.value).toBeUndefined();
  expect(tab.value).toBe('locks');
  expect(view.range.value).toEqual({ from: 5, to: 50 });
  expect(rangeOf(view.viewport.value).to).toBe(LENGTH);
  steps.go(2);
  await rest();
  expect(linked.value).toEqual(PATH);
  expect(view.range.value).toEqual({ from: 1000, to: 3000 });
  // Nor is another criterion.
  linked.value = { ...PATH, criterion: 'exact' };
  await rest();
  expect(steps.length.value).toBe(3);
  steps.stop();
});
