import { signal } from '@preact/signals';
import { describe, expect, it, vi } from 'vitest';
import { PartPacker } from '../../engine/session/paths/packed-parts.ts';
import type {
  ExperimentInfo,
  PathAnswer,
  PathRequest,
  Progress,
  SessionApi,
} from '../../workers/session-api.ts';
import { createSyntheticSource } from '../timeline/testing/synthetic-source.ts';
import { createViewModel } from '../timeline/timeline.tsx';
import { createPathState } from './path-state.ts';

vi.stubGlobal('window', { matchMedia: () => ({ matches: true }) });
vi.stubGlobal('cancelAnimationFrame', () => undefined);

const NO_SEGMENTS = {
  length: 0,
  worker: new Int32Array(0),
  from: new Float64Array(0),
  to: new Float64Array(0),
};

const answerOf = ({ row, range, criterion }: PathRequest) =>
  ({
    row,
    from: range?.from,
    to: range?.to,
    criterion,
    workers: [],
    segments: NO_SEGMENTS,
  }) as unknown as PathAnswer;

/** A session whose parts come when they are released. @param isKnown whether it knows the threads yet */
function setUp(isKnown: () => boolean = () => true) {
  const source = createSyntheticSource({ threads: 20, hosts: 1 });
  const view = createViewModel(source);
  const parts: (() => void)[] = [];
  const asked: PathRequest[] = [];
  const session = {
    path: (request: PathRequest) => {
      asked.push(request);
      return Promise.resolve(isKnown() ? answerOf(request) : undefined);
    },
    pathParts: () =>
      new Promise((resolve) => parts.push(() => resolve({ parts: new PartPacker().finish() }))),
  } as unknown as SessionApi;
  const rows = signal(source.rows.peek());
  const info = signal(source.info.peek());
  const progress = signal<Progress | undefined>(source.progress.peek());
  const path = createPathState(session, { rows, guests: signal([]), info, progress }, view);
  const [thread, other] = source.rows.peek().filter((row) => row.kind === 'thread' && row.ran);
  const cpu = source.rows.peek().find((row) => row.kind === 'cpu');
  return { view, path, parts, asked, rows, info, progress, thread: thread.id, other: other.id, cpu: cpu?.id };
}

const rest = () => new Promise((resolve) => setTimeout(resolve, 5));

describe('the path of what is selected', () => {
  it('is that of the whole interval, of which a piece was clicked', async () => {
    const { view, path, asked, thread } = setUp();
    void view.select(thread, 3_000_000_000, { from: 3_000_000_000, to: 3_000_000_001 });
    await path.explain();
    await rest();
    const { from, to } = view.selected.value?.info ?? { from: 0, to: 0 };
    expect(to - from).toBeGreaterThan(1);
    expect(asked.map(({ range }) => range)).toEqual([{ from, to }]);
    expect(path.interval.value).toMatchObject({ from, to });
  });

  it('is that of the row gone to since, not of the interval that was selected before', async () => {
    const { view, path, asked, thread, other } = setUp();
    await view.select(thread, 3_000_000_000);
    view.focusedRow.value = other;
    await path.explain();
    await rest();
    expect(asked).toMatchObject([{ row: other, range: undefined }]);
    expect(path.interval.value).toBeUndefined();
  });

  it('is none where no thread is selected, whatever path there was before', async () => {
    const { view, path, cpu, thread } = setUp();
    await view.select(thread, 3_000_000_000);
    await path.explain();
    view.focusedRow.value = cpu;
    await path.explain();
    expect(path.target.value).toBeUndefined();
  });

  it('is that of the interval that is shown, though another row was gone to', async () => {
    const { view, path, thread, other } = setUp();
    await view.select(thread, 3_000_000_000);
    const interval = view.selected.value?.info;
    view.focusedRow.value = other;
    if (interval !== undefined) path.explainInterval(interval);
    expect(path.target.value).toEqual({ row: thread, interval });
  });

  it('is not that of what is selected after it was asked for, nor is it asked for after it was left', async () => {
    const { view, path, asked, thread } = setUp();
    void view.select(thread, 3_000_000_000);
    const late = path.explain();
    void view.select(thread, 4_000_000_000);
    await late;
    await rest();
    expect(path.target.value).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it('is not told in the words of the one before', async () => {
    const { view, path, parts, thread } = setUp();
    await view.select(thread, 3_000_000_000);
    await path.explain();
    await rest();
    parts.shift()?.();
    await rest();
    expect(path.explained.value).toBeDefined();
    await view.nextInterval();
    await path.explain();
    await rest();
    expect(path.answer.value?.from).toBe(view.selected.value?.from);
    expect(path.interval.value?.from).toBe(view.selected.value?.from);
    expect(path.explained.value).toBeUndefined();
    parts.shift()?.();
    await rest();
    expect(path.explained.value?.from).toBe(view.selected.value?.from);
  });
});

describe('a path of which nothing is known', () => {
  it('is asked for again when there are rows anew', async () => {
    let isKnown = false;
    const { path, rows, thread } = setUp(() => isKnown);
    path.explainRow(thread);
    expect(path.isUnknown.value).toBe(false);
    await rest();
    expect(path.isUnknown.value).toBe(true);
    isKnown = true;
    rows.value = [...rows.value];
    await rest();
    expect(path.isUnknown.value).toBe(false);
    expect(path.answer.value?.row).toBe(thread);
  });

  it('is not asked for again when it was left', async () => {
    const { path, rows, asked, thread } = setUp(() => false);
    path.explainRow(thread);
    await rest();
    path.leave();
    rows.value = [...rows.value];
    await rest();
    expect(asked).toHaveLength(1);
  });
});

describe('a path', () => {
  it('is asked for anew when all is read, and when something else is open, but not while it is read', async () => {
    const { path, rows, info, progress, asked, thread } = setUp();
    const done = progress.value;
    path.explainRow(thread);
    await rest();
    expect(asked).toHaveLength(1);
    progress.value = done && { ...done, phase: 'reading' };
    await rest();
    const before = asked.length;
    rows.value = [...rows.value];
    info.value = { ...info.value } as ExperimentInfo;
    await rest();
    expect(asked).toHaveLength(before);
    progress.value = done;
    await rest();
    expect(asked).toHaveLength(before + 1);
    info.value = { ...info.value } as ExperimentInfo;
    await rest();
    expect(asked).toHaveLength(before + 2);
  });
});
