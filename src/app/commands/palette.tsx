/** The command palette: type to find a command, Enter runs it. */
import { useComputed, useSignal } from '@preact/signals';
import { Dialog } from '../widgets/dialog/dialog.tsx';
import { Icon } from '../controls/icon.tsx';
import { useListKeys } from '../controls/ring-keys.ts';
import { isEnabled, searchCommands, shownChord, type Command, type CommandList } from './command.ts';

interface PaletteProps {
  readonly commands: CommandList;
  readonly mac: boolean;
  onClose(): void;
}

export function Palette({ commands, mac, onClose }: PaletteProps) {
  const query = useSignal('');
  const found = useComputed(() => searchCommands(commands.all.value.filter(isEnabled), query.value));
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const { at, list, onKeyDown } = useListKeys(
    () => found.value.length,
    (chosen) => run(found.value[chosen]),
  );
  return (
    <Dialog label="Commands" class="palette" onClose={onClose}>
      <div class="palette-field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={found.value.length > 0 ? `palette-${at.value}` : undefined}
          aria-label="Find a command"
          placeholder="Find a command"
          autofocus
          value={query}
          onInput={(event) => {
            query.value = event.currentTarget.value;
            at.value = 0;
          }}
          onKeyDown={onKeyDown}
        />
        <span class="key">Esc</span>
      </div>
      <ul id="palette-list" role="listbox" aria-label="Commands" ref={list}>
        {found.value.map((command, index) => (
          <li
            key={command.id}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at.value}
            onClick={() => run(command)}
            onPointerMove={() => (at.value = index)}
          >
            <span>{command.title}</span>
            <span class="faint">{command.group}</span>
            <span class="palette-key">
              {command.keys !== undefined && <kbd class="key">{shownChord(command.keys[0], mac)}</kbd>}
            </span>
          </li>
        ))}
      </ul>
      {found.value.length === 0 && <p class="palette-none">No command has these words in its name.</p>}
    </Dialog>
  );
}
