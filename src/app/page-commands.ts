/** Commands that are always there. */
import type { App, Dialog } from './context/app-context.ts';
import { commandsOf, type Command } from './commands/command.ts';
import { isReading } from './opening/progress-row.tsx';

export function pageCommands(app: App): readonly Command[] {
  const { experiment, theme, dialog } = app;
  const isRead = () => isReading(experiment.progress.value);
  const isOpen = () => experiment.stage.value !== 'start';
  const show = (kind: Dialog['kind']) => () => (dialog.value = { kind });
  const command = commandsOf('Page');
  return [
    command('open-folder', 'Open a folder', 'Mod+O', app.chooseFolder),
    command('open-files', 'Open files', 'Mod+Shift+O', app.chooseFiles),
    command('open-address', 'Open by address…', '', show('address')),
    command('recording', 'How to record a trace…', '', show('recording')),
    command('lessons', 'Show the lessons', '', show('lessons')),
    command('palette', 'Show all commands', 'Mod+K Mod+Shift+P', show('palette')),
    command('help', 'Show keys and pointer', '? F1', show('help')),
    command('theme', 'Switch between light and dark', 'T', theme.toggle),
    command('theme-system', 'Follow the theme of the system', '', () => theme.choose('system')),
    command('stop', 'Stop reading, keep what is here', '', () => void experiment.cancel(), isRead),
    command('close', 'Close the trace, back to the start page', '', () => void experiment.close(), isOpen),
  ];
}
