import { describe, expect, it, vi } from 'vitest';
import {
  chordOf,
  createCommands,
  inMenu,
  menuCommands,
  searchCommands,
  shownChord,
  type Command,
} from './command.ts';

const press = (key: string, modifiers: Partial<KeyboardEvent> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...modifiers,
});

const command = (id: string, title: string, more: Partial<Command> = {}): Command => ({
  id,
  title,
  group: 'View',
  run: () => {},
  ...more,
});

describe('chords', () => {
  it('name letters in upper case whatever the caps lock', () => {
    expect(chordOf(press('w'))).toBe('W');
    expect(chordOf(press('W'))).toBe('W');
  });

  it('name Ctrl and Cmd alike', () => {
    expect(chordOf(press('k', { ctrlKey: true }))).toBe('Mod+K');
    expect(chordOf(press('k', { metaKey: true }))).toBe('Mod+K');
  });

  it('leave Shift out of signs that need it', () => {
    expect(chordOf(press('?', { shiftKey: true }))).toBe('?');
    expect(chordOf(press('P', { shiftKey: true }))).toBe('Shift+P');
    expect(chordOf(press('ArrowLeft', { shiftKey: true }))).toBe('Shift+ArrowLeft');
  });

  it('are shown with the names on the keys', () => {
    expect(shownChord('Mod+K', false)).toBe('Ctrl K');
    expect(shownChord('Mod+K', true)).toBe('⌘ K');
    expect(shownChord('ArrowLeft', false)).toBe('←');
    expect(shownChord('+', false)).toBe('+');
  });
});

describe('the list of commands', () => {
  it('runs the command of a key and says so', () => {
    const run = vi.fn();
    const commands = createCommands();
    commands.add([command('fit', 'Fit', { keys: ['F'], run })]);
    expect(commands.press(press('f') as KeyboardEvent)).toBe(true);
    expect(commands.press(press('g') as KeyboardEvent)).toBe(false);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('passes over what is not enabled', () => {
    const run = vi.fn();
    const commands = createCommands();
    commands.add([
      command('off', 'Off', { keys: ['F'], enabled: () => false, run: () => expect.fail('ran') }),
      command('on', 'On', { keys: ['F'], run }),
    ]);
    commands.press(press('f') as KeyboardEvent);
    expect(run).toHaveBeenCalledTimes(1);
  });

  it('forgets what is taken away', () => {
    const commands = createCommands();
    const remove = commands.add([command('a', 'A')]);
    commands.add([command('b', 'B')]);
    remove();
    expect(commands.all.value.map((c) => c.id)).toEqual(['b']);
  });
});

describe('searching', () => {
  const list = [
    command('zoom', 'Zoom in'),
    command('open', 'Open a folder'),
    command('fold', 'Collapse all rows'),
  ];

  it('wants every word', () => {
    expect(searchCommands(list, 'open fold').map((c) => c.id)).toEqual(['open']);
    expect(searchCommands(list, 'open zoom')).toEqual([]);
  });

  it('puts matches at the begin first', () => {
    expect(searchCommands(list, 'o').map((c) => c.id)[0]).toBe('open');
  });

  it('gives everything for nothing', () => {
    expect(searchCommands(list, ' ')).toEqual(list);
  });
});

it('the menu of what is selected has what can be done with it, questions first', () => {
  const yes = () => true;
  const commands = [
    command('copy', 'Copy the name'),
    inMenu(command('copy-name', 'Copy the name'), 'copy', 'Copy name', yes),
    inMenu(command('fit', 'Fit the selection'), 'show', 'Fit', yes),
    inMenu(command('hide', 'Hide the row'), 'show', 'Hide', () => false),
    inMenu(command('pin', 'Pin the row', { enabled: () => false }), 'show', 'Pin', yes),
    inMenu(command('path', 'Show the path'), 'ask', () => 'Why did it wait?', yes),
  ];
  const titles = menuCommands(commands).map(({ menu }) => menu.title());
  expect(titles).toEqual(['Why did it wait?', 'Fit', 'Copy name']);
});
