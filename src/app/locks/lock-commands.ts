/** Commands of the keyboard and the palette for locks. */
import { commandsOf, type Command } from '../commands/command.ts';
import type { App } from '../context/app-context.ts';

const TITLE = 'Choose which events are about locks…';

export function lockCommands({ dialog }: App): readonly Command[] {
  return [commandsOf('Rows')('lock-events', TITLE, '', () => (dialog.value = { kind: 'lock-events' }))];
}
