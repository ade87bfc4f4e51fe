/** Commands that are always there. */
import type { App } from './context/app-context.ts';
import type { Command } from './commands/command.ts';
import { isReading } from './opening/progress-row.tsx';

export function pageCommands(app: App): readonly Command[] {
  const { experiment, theme, overlay } = app;
  const isOpen = () => experiment.stage.value !== 'start';
  const group = 'Page';
  return [
    { id: 'open-folder', group, title: 'Open a folder', keys: ['Mod+O'], run: app.chooseFolder },
    { id: 'open-files', group, title: 'Open files', keys: ['Mod+Shift+O'], run: app.chooseFiles },
    {
      id: 'open-address',
      group,
      title: 'Open by address…',
      run: () => (overlay.value = { kind: 'address' }),
    },
    {
      id: 'palette',
      group,
      title: 'Show all commands',
      keys: ['Mod+K', 'Mod+Shift+P'],
      run: () => (overlay.value = { kind: 'palette' }),
    },
    {
      id: 'help',
      group,
      title: 'Show keys and pointer',
      keys: ['?', 'F1'],
      run: () => (overlay.value = { kind: 'help' }),
    },
    { id: 'theme', group, title: 'Switch between light and dark', keys: ['T'], run: theme.toggle },
    { id: 'theme-system', group, title: 'Follow the theme of the system', run: () => theme.choose('system') },
    {
      id: 'overlays',
      group: 'Rows',
      title: 'Choose overlays: pairs of events as rows below their threads…',
      keys: ['O'],
      enabled: isOpen,
      run: () => (overlay.value = { kind: 'overlays' }),
    },
    {
      id: 'stop',
      group,
      title: 'Stop reading, keep what is here',
      enabled: () => isReading(experiment.progress.value),
      run: () => void experiment.cancel(),
    },
    {
      id: 'close',
      group,
      title: 'Close the trace, back to the start page',
      enabled: isOpen,
      run: () => void experiment.close(),
    },
  ];
}
