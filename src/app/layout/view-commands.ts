/** Commands on the timeline of the open experiment. */
import type { ReadonlySignal } from '@preact/signals';
import type { ViewHistory } from '../address/address.ts';
import type { Command } from '../commands/command.ts';
import type { Tab } from '../controls/tabs.tsx';
import type { Notes } from '../notes/notes.ts';
import type { PathState } from '../path/path-state.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import type { Drawer, DrawerTab } from '../context/drawer-state.ts';
import { SEARCH_INPUT } from './search-box.tsx';

/** The drawer's tabs in their order. */
export type ShownTabs = ReadonlySignal<readonly Tab<DrawerTab>[]>;

export function viewCommands(
  view: ViewModel,
  drawer: Drawer,
  path: PathState,
  notes: Notes,
  steps: ViewHistory,
  tabs: ShownTabs,
): readonly Command[] {
  return [
    ...moveCommands(view, steps),
    ...selectCommands(view, path, notes),
    ...rowCommands(view),
    ...tabCommands(drawer, tabs),
    {
      id: 'drawer',
      group: 'Details',
      title: 'Open or close the drawer',
      keys: ['X'],
      run: () => (drawer.open.value = !drawer.open.value),
    },
    ...timeCommands(view),
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

function selectCommands(view: ViewModel, path: PathState, notes: Notes): readonly Command[] {
  const group = 'Select';
  const isPathAsked = () => path.target.value !== undefined;
  const hasSelection = () => view.selected.value !== undefined || view.range.value !== undefined;
  const isCardShown = () => notes.current.value?.shown === 'card';
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
      enabled: () => isCardShown() || isPathAsked() || hasSelection() || view.isolated.value !== undefined,
      run: () => {
        if (isCardShown()) notes.close();
        // A path may be on its way.
        else if (isPathAsked()) path.leave();
        else view.escape();
      },
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

const TAB_TITLES: Record<DrawerTab, string> = {
  selection: 'Show the selection',
  path: 'Show the path',
  statistics: 'Show statistics',
  events: 'Show events',
  sync: 'Show how clocks were aligned',
  notes: 'Show the notes',
  info: 'Show what was read',
};

/** Their keys are the places of the tabs that are shown. */
export function tabCommands(drawer: Pick<Drawer, 'show'>, tabs: ShownTabs): readonly Command[] {
  return Object.entries(TAB_TITLES).map(([tab, title]) => {
    const place = () => tabs.value.findIndex(({ id }) => id === tab) + 1;
    return {
      id: `tab-${tab}`,
      group: 'Details',
      title,
      get keys() {
        return place() > 0 ? [String(place())] : undefined;
      },
      enabled: () => place() > 0,
      run: () => drawer.show(tab as DrawerTab),
    };
  });
}
