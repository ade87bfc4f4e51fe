/** Commands on the timeline of the open experiment. */
import type { ReadonlySignal } from '@preact/signals';
import type { ViewHistory } from '../address/address.ts';
import { commandsOf, inMenu, type Command } from '../commands/command.ts';
import type { Tab } from '../controls/tabs.tsx';
import type { OpenPage } from '../features/feature.ts';
import { FEATURES } from '../features/registry.ts';
import { tabCommands } from '../features/tabs.ts';
import {
  type SortBy,
  type TimeMode,
  type ViewModel,
  type TimeRange,
  isLayerRow,
  rowById,
} from '../timeline/timeline.tsx';
import { SEARCH_INPUT } from './search-box.tsx';
import { copyText } from '../controls/copy-button.tsx';
import { drawCodeOf, withoutTone } from '../draw/draw-codes.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';

/** @param tabs of the drawer, in their order */
export function viewCommands(
  page: OpenPage,
  steps: ViewHistory,
  tabs: ReadonlySignal<readonly Tab<string>[]>,
): readonly Command[] {
  const { view } = page;
  const { drawer } = page.app;
  const toggleDrawer = () => (drawer.open.value = !drawer.open.value);
  return [
    ...moveCommands(view, steps),
    ...selectCommands(page),
    ...rowCommands(view),
    ...selectedCommands(page),
    ...tabCommands(FEATURES, drawer, tabs),
    commandsOf('Details')('drawer', 'Open or close the drawer', 'X', toggleDrawer),
    ...timeCommands(view),
    ...FEATURES.flatMap((feature) => feature.commands?.(page) ?? []),
  ];
}

function moveCommands(view: ViewModel, steps: ViewHistory): readonly Command[] {
  const command = commandsOf('Move and zoom');
  const stepBy = (by: -1 | 1) => [() => steps.go(by), () => steps.canGo(by)] as const;
  return [
    command('zoom-in', 'Zoom in', 'W + =', view.zoomIn),
    command('zoom-out', 'Zoom out', 'S -', view.zoomOut),
    command('pan-left', 'Move to earlier', 'A', view.panLeft),
    command('pan-right', 'Move to later', 'D', view.panRight),
    inMenu(
      command('fit', 'Fit the selection', 'F', () => void view.fitSelection()),
      'show',
      'Fit',
      () => view.question.value.row !== undefined,
    ),
    command('fit-all', 'Show everything', '0 Home', view.fitAll),
    command('back', 'Back to the view before', 'Backspace', ...stepBy(-1)),
    command('forward', 'Forward to the next view', 'Shift+Backspace', ...stepBy(1)),
  ];
}

function selectCommands(page: OpenPage): readonly Command[] {
  const { view } = page;
  const command = commandsOf('Select');
  /** `leaves` of the last feature that has something to leave; undefined: none has. */
  const leaving = () =>
    FEATURES.reduce<(() => void) | undefined>((found, one) => one.leaves?.(page) ?? found, undefined);
  const leave = () => (leaving() ?? view.escape)();
  const isSet = () => [view.selected, view.range, view.isolated].some(({ value }) => value !== undefined);
  const canLeave = () => leaving() !== undefined || isSet();
  const previous = () => void view.previousInterval();
  return [
    command('previous-interval', 'Select the interval before', 'ArrowLeft', previous),
    command('next-interval', 'Select the interval after', 'ArrowRight', () => void view.nextInterval()),
    command('row-up', 'Go to the row above', 'ArrowUp', view.rowUp),
    command('row-down', 'Go to the row below', 'ArrowDown', view.rowDown),
    command('select-visible', 'Select the visible range', 'R', () => {
      const { start, span } = view.viewport.value;
      view.selectRange({ from: start, to: start + Math.ceil(span) });
    }),
    command('range-begin', 'Begin the range at the pointer (A)', 'Shift+A', markEnd(view, 'from')),
    command('range-end', 'End the range at the pointer (B)', 'Shift+B', markEnd(view, 'to')),
    command('escape', 'Clear the selection, one level back', 'Escape', leave, canLeave),
  ];
}

/** Sets an end of the range at the pointer, or else at the same end of the selected interval. */
function markEnd(view: ViewModel, end: 'from' | 'to'): () => void {
  return () => {
    const at = view.hover.value?.timeNs ?? view.question.value.interval?.[end];
    if (at === undefined) return;
    const { start, span } = view.viewport.value;
    view.selectRange(withEnd(view.range.value, end, at, { from: start, to: start + span }));
  };
}

function rowCommands({ rows, focusedRow }: ViewModel): readonly Command[] {
  const command = commandsOf('Rows');
  const sort = (by: SortBy) => () => (rows.sort.value = by);
  const onRow = (act: (row: string) => void) => () => {
    const row = focusedRow.value;
    if (row !== undefined) act(row);
  };
  const fold = onRow((row) => rows.toggleFold(row));
  const pin = onRow((row) => rows.togglePin(row));
  const search = () => document.getElementById(SEARCH_INPUT)?.focus();
  const hasForks = () => rows.hasForks.value;
  const hasPrograms = () => rows.hasPrograms.value;
  const hasNamespaces = () => rows.hasNamespaces.value && !rows.byFork.value;
  return [
    command('search', 'Find threads, events, calls, files, locks', '/ Mod+F', search),
    command('fold', 'Fold or unfold the row', 'Enter', fold),
    inMenu(
      command('pin', 'Pin or unpin the row', '', pin),
      'show',
      () => (rows.pinned.value.has(focusedRow.value ?? '') ? 'Unpin' : 'Pin'),
      () => /^(thread|process):/.test(focusedRow.value ?? ''),
    ),
    command('fold-all', 'Fold or unfold all rows', '', () => rows.toggleAllFolds()),
    command('sort-cpu', 'Sort rows by time on CPU, or number of events', '', sort('cpu')),
    command('sort-view', 'Sort rows by time on CPU in view', '', sort('view')),
    command('sort-name', 'Sort rows by name', '', sort('name')),
    command('active-only', 'Show only rows that are active in view, or all', '', rows.toggleActiveOnly),
    command(
      'by-fork',
      'Show processes below those that forked them, or not',
      '',
      rows.toggleByFork,
      hasForks,
    ),
    command('by-program', 'Group processes by program, or not', '', rows.toggleByProgram, hasPrograms),
    command('by-namespace', 'Group rows by pid namespace, or not', '', rows.toggleByNamespace, hasNamespaces),
  ];
}

function timeCommands(view: ViewModel): readonly Command[] {
  const command = commandsOf('Times');
  const show = (mode: TimeMode) => () => (view.timeMode.value = mode);
  return [
    command('time-relative', 'Times since the beginning of the trace', '', show('relative')),
    command('time-utc', 'Times in UTC', '', show('utc')),
    command('time-local', 'Times in local time', '', show('local')),
  ];
}

/**
 * The range with one end moved to a time. If it would end before it begins, the other end becomes that of the view.
 * @param range undefined: none is selected
 * @param view visible times
 * @internal
 */
export function withEnd(range: TimeRange | undefined, end: 'from' | 'to', time: number, view: TimeRange) {
  const at = Math.round(time);
  if (end === 'from') {
    const to = range !== undefined && range.to > at ? range.to : Math.ceil(view.to);
    return { from: at, to: Math.max(at + 1, to) };
  }
  const from = range !== undefined && range.from < at ? range.from : Math.floor(view.from);
  return { from: Math.min(at - 1, from), to: at };
}

/** Commands for the row or the interval that is selected: entries of its menu. */
function selectedCommands({ app, view }: OpenPage): readonly Command[] {
  const { rows } = view;
  const command = commandsOf('Rows');
  const rowNow = () => rowById(app.experiment.rows.value, view.question.value.row ?? '');
  const onRow = (act: (row: RowInfo) => void) => () => {
    const row = rowNow();
    if (row !== undefined) act(row);
  };
  const isNamed = () => (rowNow()?.name ?? '') !== '';
  const canHide = () => (rowNow()?.kind ?? 'host') !== 'host';
  const filter = onRow((row) => (rows.filter.value = row.name));
  const hide = onRow((row) => rows.hide(row.id));
  const areHidden = () => rows.hiddenIds.value.size > 0;
  const copyName = onRow((row) => void copyText(row.name));
  /** The state of the interval; undefined: none is selected. */
  const stateNow = () => {
    const { interval } = view.question.value;
    const row = rowNow();
    if (interval?.info === undefined || row === undefined || isLayerRow(row)) return undefined;
    return withoutTone(drawCodeOf(row.kind, interval.info.value));
  };
  const hasState = () => stateNow() !== undefined;
  const isolate = () => {
    const code = stateNow();
    view.isolated.value = view.isolated.value === code ? undefined : code;
  };
  return [
    inMenu(
      command('filter-to', 'Filter the rows to those with the name of the selected one', '', filter, isNamed),
      'show',
      'Filter rows to this',
    ),
    inMenu(command('hide', 'Hide the row', '', hide, canHide), 'show', 'Hide'),
    inMenu(
      command('show-hidden', 'Show the rows that were hidden', '', () => rows.showHidden(), areHidden),
      'show',
      () => `Show hidden rows (${rows.hiddenIds.value.size})`,
    ),
    inMenu(
      command('isolate', 'Show the state of the interval alone, or all again', '', isolate, hasState),
      'show',
      () => (view.isolated.value === stateNow() ? 'Show all states' : 'Isolate this state'),
    ),
    inMenu(command('copy-name', 'Copy the name of the row', '', copyName, isNamed), 'copy', 'Copy name'),
  ];
}
