/** The parts of the page that the tab of locks uses, and functions that show its contents on the timeline. */
import { batch } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { DisplayNs } from '../../engine/base/units.ts';
import type { LockWaitLine, ThreadIndex } from '../../engine/protocol/locks.ts';
import type { App } from '../context/app-context.ts';
import type { PathState } from '../path/path-state.ts';
import type { TimeRange, ViewModel } from '../timeline/timeline.tsx';
import type { LocksState } from './locks-state.ts';
import type { ThingGroup } from '../commands/command.ts';
import { plural } from '../format/text.ts';

export const LOCKS_TAB = 'locks';

export interface LocksPage {
  readonly app: App;
  readonly view: ViewModel;
  readonly path: PathState;
  readonly locks: LocksState;
}

export interface LockViewProps {
  readonly page: LocksPage;
  /** Choices in the head of the table. */
  readonly children?: ComponentChildren;
}

/** Shows a wait below its thread and selects it. */
export function showWait(page: LocksPage, { waiter, from, to }: LockWaitLine): void {
  showThread(page, waiter, { from, to }, Math.floor((from + to) / 2));
}

/** Shows the thread that handed the lock over, or held it at the end, over the time of a wait. */
export function showHolder(page: LocksPage, { by, from, to, handOverNs = to }: LockWaitLine): void {
  showThread(page, by, { from, to }, Math.max(from, handOverNs - 1));
}

/** Shows the row of a lock, if it has one. The visible time and the tab stay. */
export function showLock({ app, view, locks }: LocksPage, lock: string): void {
  const row = locks.lockRows.peek().get(lock);
  if (row === undefined) return;
  batch(() => {
    view.show(row);
    app.drawer.show(LOCKS_TAB);
  });
}

/** Shows a thread over a range, and selects its wait or hold at a time in it. The tab stays. */
export function showThread(
  page: LocksPage,
  thread: ThreadIndex,
  { from, to }: TimeRange,
  at: DisplayNs = from,
): void {
  const row = page.locks.threads.peek()[thread]?.row;
  if (row !== undefined) showRow(page, row, { from, to }, at);
}

/** Shows the thread of a row in the same way. */
export function showRow(page: LocksPage, row: string, { from, to }: TimeRange, at: DisplayNs): void {
  batch(() => {
    page.view.show(row, { from, to: Math.max(to, from + 1) });
    void page.view.select(page.locks.lanes.peek().get(row) ?? row, at);
    page.app.drawer.show(LOCKS_TAB);
  });
}

/** Shows the path of a thread over its wait. */
export function explainWait({ app, view, path, locks }: LocksPage, { waiter, from, to }: LockWaitLine): void {
  const row = locks.threads.peek()[waiter]?.row;
  if (row === undefined) return;
  const range = { from, to: Math.max(to, from + 1) };
  batch(() => {
    view.show(row, range);
    view.selectRange(range);
    path.criterion.value = 'lock-holder';
    path.explainRow(row);
    app.drawer.show('path');
  });
}

/** Locks for the search. */
export const LOCK_NAMES: ThingGroup<LocksPage> = {
  title: 'Locks',
  things: (page) =>
    page.locks.locks.peek().map(({ id, shownName, contended }) => ({
      name: shownName,
      detail: plural(contended, 'wait'),
      open: () => {
        page.app.drawer.show(LOCKS_TAB);
        showLock(page, id);
      },
    })),
};
