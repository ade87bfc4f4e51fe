import { signal } from '@preact/signals';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { PartPacker } from '../../engine/answers/paths/packed-parts.ts';
import { STATE_KERNEL, stateOf } from '../../engine/linux/events/values.ts';
import type { ExperimentInfo, Progress } from '../../engine/protocol/session.ts';
import type { LockEvents, PackedPathParts, PathAnswer, PathRequest } from '../../engine/protocol/paths.ts';
import { answering } from '../../../test/support/timeline/answering.ts';
import { createSyntheticSource } from '../../../test/support/timeline/synthetic-source.ts';
import { createViewModel } from '../timeline/timeline.tsx';
import { createPathState } from './path-state.ts';
import type { LinkedPath } from './path-target.ts';

vi.stubGlobal('window', { matchMedia: () => ({ matches: true }) });
vi.stubGlobal('cancelAnimationFrame', () => undefined);
afterAll(() => vi.unstubAllGlobals());

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
function setUp(isKnown: () => boolean = () => true, lockEvents: () => LockEvents = () => 'none') {
  const source = createSyntheticSource({ threads: 20, hosts: 1 });
  const view = createViewModel(source);
  const parts: (() => void)[] = [];
  const asked: PathRequest[] = [];
  const session = answering({
    path: (request) => {
      asked.push(request);
      return isKnown() ? answerOf(request) : undefined;
    },
    lockEvents,
    interval: (request) => source.ask('interval', request),
    call: (request) => source.ask('call', request),
    pathParts: () =>
      new Promise((resolve) =>
        parts.push(() => resolve({ parts: new PartPacker().finish() } as PackedPathParts)),
      ),
  });
  const rows = signal(source.rows.peek());
  const info = signal(source.info.peek());
  const progress = signal<Progress | undefined>(source.progress.peek());
  const lockNames = signal(new Map<string, string>());
  const path = createPathState(session, { rows, guests: signal([]), info, progress }, view, lockNames);
  const [thread, other] = source.rows.peek().filter((row) => row.kind === 'thread' && row.ran);
  const cpu = source.rows.peek().find((row) => row.kind === 'cpu');
  const ids = { thread: thread.id, other: other.id, cpu: cpu?.id };
  const kernel = source
    .intervals(thread, 0, 4_000_000_000)
    .find(({ value }) => stateOf(value) === STATE_KERNEL) ?? { from: 0, to: 0 };
  return { view, path, parts, asked, rows, info, progress, kernel, ...ids };
}

const MAIN = { criterion: 'main-task', marked: [], foldLoops: false } as const;
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

  it('is that of a range selected since, also when that of the interval is shown', async () => {
    const { view, path, asked, thread } = setUp();
    const range = { from: 1000, to: 2000 };
    await view.select(thread, 3_000_000_000);
    view.selectRange(range);
    await path.explain();
    await rest();
    expect(asked).toMatchObject([{ row: thread, range }]);
    await view.select(thread, 3_000_000_000);
    await path.explain();
    await rest();
    expect(asked.at(-1)?.range).not.toEqual(range);
    const later = { from: 3000, to: 4000 };
    view.selectRange(later);
    await rest();
    expect(asked.at(-1)).toMatchObject({ row: thread, range: later });
    expect(path.interval.value).toBeUndefined();
  });

  it('is that of a system call from entry to return, also by a link', async () => {
    const { view, path, asked, kernel, thread } = setUp();
    await view.selectCall(thread, kernel.from);
    await path.explain();
    await rest();
    const range = { from: kernel.from, to: kernel.to };
    expect(asked).toMatchObject([{ row: thread, range }]);
    expect(path.interval.value).toMatchObject({ isCall: true, ...range });
    const written = path.linked.value;
    expect(written).toMatchObject({ row: thread, isCall: true });
    path.leave();
    path.showLinked(written);
    await rest();
    expect(path.interval.value).toMatchObject({ isCall: true, ...range });
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

  it('is asked for again where the rows come before the answer', async () => {
    let questions = 0;
    const { path, rows, thread } = setUp(() => ++questions > 1);
    path.explainRow(thread);
    rows.value = [...rows.value];
    await rest();
    expect(path.answer.value?.row).toBe(thread);
  });

  it('is not asked for again when it was left', async () => {
    const { path, rows, asked, thread } = setUp(() => false);
    path.explainRow(thread);
    await rest();
    path.leave();
    const before = asked.length;
    rows.value = [...rows.value];
    await rest();
    expect(asked).toHaveLength(before);
  });
});

describe('the path of a link', () => {
  it('is the one that was shown when the link was written', async () => {
    const { view, path, thread, other } = setUp();
    expect(path.linked.value).toBeUndefined();
    await view.select(thread, 3_000_000_000);
    await path.explain();
    path.toggleMark(other);
    path.foldLoops.value = true;
    const { linked, target } = path;
    const [written, interval] = [linked.value, target.value?.interval];
    expect(written).toMatchObject({
      row: thread,
      criterion: 'marked-unrelated',
      marked: [other],
      foldLoops: true,
    });
    path.leave();
    expect(linked.value).toBeUndefined();
    path.toggleMark(other);
    path.foldLoops.value = false;
    path.showLinked(written);
    await rest();
    expect(target.value).toEqual({ row: thread, interval });
    expect(linked.value).toEqual(written);
    expect(path.marked.value).toEqual(new Set([other]));
    path.showLinked(undefined);
    expect(target.value).toBeUndefined();
  });

  it('may be that of a thread over its life, by the criterion of the link', async () => {
    const { path, asked, thread } = setUp();
    path.criterion.value = 'exact';
    path.showLinked({ ...MAIN, row: thread });
    await rest();
    expect(asked).toMatchObject([{ row: thread, range: undefined, criterion: 'main-task' }]);
  });

  it('is shown when all is read, and stays in the link until then', async () => {
    const { path, progress, asked, thread } = setUp();
    const done = progress.value;
    progress.value = done && { ...done, phase: 'reading' };
    const written: LinkedPath = { ...MAIN, row: thread };
    path.showLinked(written);
    await rest();
    expect(asked).toEqual([]);
    expect(path.linked.value).toEqual(written);
    progress.value = done;
    await rest();
    // On a busy machine other criteria may have been asked for as well.
    expect(asked.at(0)).toMatchObject({ row: thread, criterion: 'main-task' });
  });

  it('is not shown when another was asked for meanwhile', async () => {
    const { path, thread, other } = setUp();
    path.showLinked({ ...MAIN, row: thread, at: 3_000_000_000 });
    path.explainRow(other);
    await rest();
    expect(path.target.value).toEqual({ row: other, interval: undefined });
  });

  it('is none where the link makes no sense, or what of it does', async () => {
    const { path, cpu = '', asked, thread } = setUp();
    const nonsense = [{ row: 'thread:0:-1' }, { row: cpu }, { row: '' }, { row: thread, at: -1e15 }];
    for (const part of nonsense) {
      path.showLinked({ ...MAIN, ...part });
      await rest();
      expect(path.linked.value).toBeUndefined();
    }
    expect(asked).toEqual([]);
    path.showLinked({ row: thread, criterion: 'marked-unrelated', marked: [cpu, 'x'], foldLoops: false });
    await rest();
    expect(asked).toMatchObject([{ row: thread, criterion: 'main-task', marked: [] }]);
  });
});

it('a path is asked for anew when all is read, and when something else is open, but not while it is read', async () => {
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

describe('the path by lock holder', () => {
  it('says what hinders it, and is asked for when the locks are known', async () => {
    let lockEvents: LockEvents = 'not read yet';
    const { path, rows, asked, thread } = setUp(
      () => lockEvents === 'there',
      () => lockEvents,
    );
    path.showLinked({ ...MAIN, row: thread, criterion: 'lock-holder' });
    await rest();
    expect(path.isUnknown.value).toBe(true);
    expect(path.hindranceOf('lock-holder')?.word).toBe('locks not read yet');
    expect(path.hindranceOf('exact')).toBeUndefined();
    expect(path.hindranceOf('marked-unrelated')?.word).toBe('nothing is marked');
    lockEvents = 'there';
    rows.value = [...rows.value];
    await rest();
    expect(path.hindranceOf('lock-holder')).toBeUndefined();
    expect(asked.at(-1)?.criterion).toBe('lock-holder');
    expect(path.answer.value).toMatchObject({ row: thread, criterion: 'lock-holder' });
  });

  it('tells how to record locks where there are none', async () => {
    const { path } = setUp();
    await rest();
    expect(path.hindranceOf('lock-holder')?.command).toContain('lttng_ust_pthread');
  });
});
