/** The command palette: type to find a command, Enter runs it (ARIA pattern "combobox with listbox"). */
import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Dialog } from '../widgets/dialog/dialog.tsx';
import { Icon } from '../controls/icon.tsx';
import { steppedTo } from '../controls/ring-keys.ts';
import { isEnabled, searchCommands, shownChord, type Command, type CommandList } from './command.ts';

interface PaletteProps {
  readonly commands: CommandList;
  readonly mac: boolean;
  onClose(): void;
}

export function Palette({ commands, mac, onClose }: PaletteProps) {
  const query = useSignal('');
  const at = useSignal(0);
  const found = useComputed(() => searchCommands(commands.all.value.filter(isEnabled), query.value));
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at.value]);

  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Enter') {
      event.preventDefault();
      run(found.value[at.value]);
      return;
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    at.value = steppedTo(event.key, at.value, Math.max(1, found.value.length)) ?? 0;
  };
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
