/** Commands of keyboard and palette about plots. */
import { commandsOf, type Command } from '../commands/command.ts';
import type { App } from '../context/app-context.ts';

const TITLE = 'Choose plots: numbers of events over time as rows…';

export function plotCommands({ dialog }: App): readonly Command[] {
  return [commandsOf('Rows')('plots', TITLE, '', () => (dialog.value = { kind: 'plots' }))];
}
