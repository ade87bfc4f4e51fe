/** Commands on the timeline of the open experiment. */
import type { ReadonlySignal } from '@preact/signals';
import type { ViewHistory } from '../address/address.ts';
import type { Command } from '../commands/command.ts';
import type { Tab } from '../controls/tabs.tsx';
import type { OpenPage } from '../features/feature.ts';
import { FEATURES } from '../features/registry.ts';
import { tabCommands } from '../features/tabs.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { SEARCH_INPUT } from './search-box.tsx';

/** @param tabs of the drawer, in their order */
export function viewCommands(
  page: OpenPage,
  steps: ViewHistory,
  tabs: ReadonlySignal<readonly Tab<string>[]>,
): readonly Command[] {
  const { view } = page;
  const { drawer } = page.app;
  return [
    ...moveCommands(view, steps),
    ...selectCommands(page),
    ...rowCommands(view),
    ...tabCommands(FEATURES, drawer, tabs),
    {
      id: 'drawer',
      group: 'Details',
      title: 'Open or close the drawer',
      keys: ['X'],
      run: () => (drawer.open.value = !drawer.open.value),
    },
    ...timeCommands(view),
    ...FEATURES.flatMap((feature) => feature.commands?.(page) ?? []),
  ];
}

function moveCommands(view: ViewModel, steps: ViewHistory): readonly Command[] {
  const group = 'Move and zoom';
  return [
    { id: 'zoom-in', group, title: 'Zoom in', keys: ['W', '+', '='], run: view.zoomIn },
    { id: 'zoom-out', group, title: 'Zoom out', keys: ['S', '-'], run: view.zoomOut },
    { id: 'pan-left', group, title: 'Move to earlier', keys: ['A'], run: view.panLeft },
    { id: 'pan-right', group, title: 'Move to later', keys: ['D'], run: view.panRight },
    { id: 'fit', group, title: 'Fit the selection', keys: ['F'], run: () => void view.fitSelection() },
    { id: 'fit-all', group, title: 'Show everything', keys: ['0', 'Home'], run: view.fitAll },
    {
      id: 'back',
      group,
      title: 'Back to the view before',
      keys: ['Backspace'],
      enabled: () => view.step.value > 0,
      run: () => steps.go(-1),
    },
    {
      id: 'forward',
      group,
      title: 'Forward to the next view',
      keys: ['Shift+Backspace'],
      enabled: () => view.step.value < view.steps.value - 1,
      run: () => steps.go(1),
    },
  ];
}

function selectCommands(page: OpenPage): readonly Command[] {
  const { view } = page;
  const group = 'Select';
  const hasSelection = () => view.selected.value !== undefined || view.range.value !== undefined;
  /** Of the last of the features that has something to leave. */
  const leaving = () =>
    FEATURES.reduce<(() => void) | undefined>((found, one) => one.leaves?.(page) ?? found, undefined);
  return [
    {
      id: 'previous-interval',
      group,
      title: 'Select the interval before',
      keys: ['ArrowLeft'],
      run: () => void view.previousInterval(),
    },
    {
      id: 'next-interval',
      group,
      title: 'Select the interval after',
      keys: ['ArrowRight'],
      run: () => void view.nextInterval(),
    },
    { id: 'row-up', group, title: 'Go to the row above', keys: ['ArrowUp'], run: view.rowUp },
    { id: 'row-down', group, title: 'Go to the row below', keys: ['ArrowDown'], run: view.rowDown },
    {
      id: 'select-visible',
      group,
      title: 'Select the visible range',
      keys: ['R'],
      run: () => {
        const { start, span } = view.viewport.value;
        view.selectRange({ from: start, to: start + Math.ceil(span) });
      },
    },
    {
      id: 'escape',
      group,
      title: 'Clear the selection, one level back',
      keys: ['Escape'],
      enabled: () => leaving() !== undefined || hasSelection() || view.isolated.value !== undefined,
      run: () => (leaving() ?? view.escape)(),
    },
  ];
}

function rowCommands(view: ViewModel): readonly Command[] {
  const group = 'Rows';
  const onRow = (act: (row: string) => void) => () => {
    const row = view.focusedRow.value;
    if (row !== undefined) act(row);
  };
  return [
    {
      id: 'search',
      group,
      title: 'Find a thread by name or tid',
      keys: ['/', 'Mod+F'],
      run: () => document.getElementById(SEARCH_INPUT)?.focus(),
    },
    {
      id: 'fold',
      group,
      title: 'Fold or unfold the row',
      keys: ['Enter'],
      run: onRow((row) => view.rows.toggleFold(row)),
    },
    {
      id: 'pin',
      group,
      title: 'Pin or unpin the row',
      run: onRow((row) => view.rows.togglePin(row)),
    },
    {
      id: 'fold-all',
      group,
      title: 'Fold or unfold all rows',
      run: () => view.rows.toggleAllFolds(),
    },
    {
      id: 'sort-cpu',
      group,
      title: 'Sort rows by time on CPU, or number of events',
      run: () => (view.rows.sort.value = 'cpu'),
    },
    {
      id: 'sort-name',
      group,
      title: 'Sort rows by name',
      run: () => (view.rows.sort.value = 'name'),
    },
  ];
}

function timeCommands(view: ViewModel): readonly Command[] {
  const group = 'Times';
  return [
    {
      id: 'time-relative',
      group,
      title: 'Times from the begin of the trace',
      run: () => (view.timeMode.value = 'relative'),
    },
    { id: 'time-utc', group, title: 'Times in UTC', run: () => (view.timeMode.value = 'utc') },
    {
      id: 'time-local',
      group,
      title: 'Times in local time',
      run: () => (view.timeMode.value = 'local'),
    },
  ];
}
