/** The timeline's commands for the page's registry: palette, help sheet and keys. */
import type { ViewModel } from './view-model.ts';

export interface TimelineCommand {
  readonly id: string;
  readonly title: string;
  /** `KeyboardEvent.key`, lower case; with 'shift+', 'alt+' before it. */
  readonly keys: readonly string[];
  run(): void;
}

export function timelineCommands(view: ViewModel): readonly TimelineCommand[] {
  const command = (
    id: string,
    title: string,
    keys: readonly string[],
    run: () => unknown,
  ): TimelineCommand => ({
    id: `timeline.${id}`,
    title,
    keys,
    run: () => void run(),
  });
  return [
    command('zoom-in', 'Zoom in', ['w', '+', '='], view.zoomIn),
    command('zoom-out', 'Zoom out', ['s', '-'], view.zoomOut),
    command('pan-left', 'Earlier', ['a'], view.panLeft),
    command('pan-right', 'Later', ['d'], view.panRight),
    command('next-interval', 'Next interval of the row', ['arrowright'], view.nextInterval),
    command('previous-interval', 'Previous interval of the row', ['arrowleft'], view.previousInterval),
    command('row-up', 'Row above', ['arrowup'], view.rowUp),
    command('row-down', 'Row below', ['arrowdown'], view.rowDown),
    command('fit-selection', 'Fit the selection', ['f'], view.fitSelection),
    command('fit-all', 'Show everything', ['0', 'home'], view.fitAll),
    command('back', 'Back to the view before', ['backspace'], view.back),
    command('forward', 'Forward to the next view', ['shift+backspace'], view.forward),
    command('fold', 'Fold or unfold the row', ['enter'], () => {
      const row = view.focusedRow.peek();
      if (row !== undefined) view.rows.toggleFold(row);
    }),
    command('fold-all', 'Fold or unfold all', [], view.rows.toggleAllFolds),
    command('pin', 'Pin or unpin the row', [], () => {
      const row = view.focusedRow.peek();
      if (row !== undefined) view.rows.togglePin(row);
    }),
    command('escape', 'Deselect', ['escape'], view.escape),
  ];
}
