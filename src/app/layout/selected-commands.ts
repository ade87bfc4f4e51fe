/** Commands for the row or the interval that is selected: entries of its menu. */
import { commandsOf, inMenu, type Command } from '../commands/command.ts';
import { copyText } from '../controls/copy-button.tsx';
import { drawCodeOf, withoutTone } from '../draw/draw-codes.ts';
import type { OpenPage } from '../features/feature.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { isLayerRow, rowById } from '../timeline/timeline.tsx';

export function selectedCommands({ app, view }: OpenPage): readonly Command[] {
  const { rows } = view;
  const command = commandsOf('Rows');
  const rowNow = () => rowById(app.experiment.rows.value, view.question.value.row ?? '');
  const onRow = (act: (row: RowInfo) => void) => () => {
    const row = rowNow();
    if (row !== undefined) act(row);
  };
  const hasRow = () => rowNow() !== undefined;
  const isNamed = () => (rowNow()?.name ?? '') !== '';
  const canHide = () => hasRow() && rowNow()?.kind !== 'host';
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
  const isolate = () => {
    const code = stateNow();
    view.isolated.value = view.isolated.value === code ? undefined : code;
  };
  return [
    inMenu(
      command('filter-to', 'Filter the rows to those with the name of the selected one', '', filter, isNamed),
      'show',
      'Filter rows to this',
      isNamed,
    ),
    inMenu(command('hide', 'Hide the row', '', hide, canHide), 'show', 'Hide', canHide),
    inMenu(
      command('show-hidden', 'Show the rows that were hidden', '', () => rows.showHidden(), areHidden),
      'show',
      () => `Show hidden rows (${rows.hiddenIds.value.size})`,
      areHidden,
    ),
    inMenu(
      command(
        'isolate',
        'Show the state of the interval alone, or all again',
        '',
        isolate,
        () => stateNow() !== undefined,
      ),
      'show',
      () => (view.isolated.value === stateNow() ? 'Show all states' : 'Isolate this state'),
      () => stateNow() !== undefined,
    ),
    inMenu(
      command('copy-name', 'Copy the name of the row', '', copyName, isNamed),
      'copy',
      'Copy name',
      isNamed,
    ),
  ];
}
