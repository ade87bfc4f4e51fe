/** The parts of the page that the tab uses, and the way from an execution to its place. */
import { batch } from '@preact/signals';
import type { App } from '../context/app-context.ts';
import type { PathState } from '../path/path-state.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import type { CompareState } from './compare-state.ts';
import type { Comparison } from './comparison.ts';

export const COMPARE_TAB = 'compare';

export interface ComparePage {
  readonly app: App;
  /** Undefined when only executions are open, without their trace. */
  readonly view?: ViewModel;
  readonly path?: PathState;
  readonly compare: CompareState;
}

/** A part of the tab, once there are executions. */
export interface ComparedProps {
  readonly page: ComparePage;
  readonly comparison: Comparison;
}

/** Shows an execution of the open trace on its thread's row, selects its time and, with a kernel's trace, asks for its path. */
export function showExecution(
  { app, view, path, compare }: ComparePage,
  { answer, others }: Comparison,
  execution: number,
): void {
  if (view === undefined || path === undefined || execution < others) return;
  const { row } = answer.threads[answer.thread[execution]];
  const range = { from: answer.from[execution], to: answer.to[execution] };
  batch(() => {
    compare.shown.value = execution;
    view.show(row, range);
    view.selectRange(range);
    if (answer.isElapsed) view.selectRow(row);
    else path.explainRow(row);
    app.drawer.maximised.value = false;
    app.drawer.show(answer.isElapsed ? 'selection' : 'path');
  });
}
