/** Commands of keyboard and palette about overlays. */
import { commandsOf, type Command } from '../commands/command.ts';
import type { App } from '../context/app-context.ts';

const TITLE = 'Choose overlays: pairs of events as rows below their threads…';

export function overlayCommands({ dialog }: App): readonly Command[] {
  return [commandsOf('Rows')('overlays', TITLE, 'O', () => (dialog.value = { kind: 'overlays' }))];
}
