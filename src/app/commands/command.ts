/** Commands of the user, in one list: keys, palette and help sheet all read it. */
import { signal, type ReadonlySignal } from '@preact/signals';

export interface Command {
  readonly id: string;
  /** Sentence case, begins with a verb: "Fit the selection". */
  readonly title: string;
  /** Heading in the help sheet. */
  readonly group: string;
  /** Keys as `chordOf` names them, the first is shown: 'Mod+K', 'W', '?', 'ArrowLeft'. */
  readonly keys?: readonly string[];
  /** Whether it can be run now; absent: always. */
  enabled?(): boolean;
  run(): void;
  /** Its entry in the menu of the selection, if it has one. */
  readonly menu?: MenuEntry;
}

export interface MenuEntry {
  /** Sections in the order of the menu: questions, changes of the view, copying. */
  readonly section: 'ask' | 'show' | 'copy';
  /** Short: "Fit". Reads signals. */
  title(): string;
  /** Whether it applies to the selection. Reads signals. */
  isFor(): boolean;
}

/** Adds an entry in the menu of the selection to a command, by default where the command is enabled. */
export function inMenu(
  command: Command,
  section: MenuEntry['section'],
  title: string | (() => string),
  isFor: () => boolean = () => isEnabled(command),
): Command {
  return { ...command, menu: { section, title: typeof title === 'string' ? () => title : title, isFor } };
}

/** Commands that apply to the selection, in the order of the menu. Reads signals. */
export function menuCommands(
  commands: readonly Command[],
): readonly (Command & { readonly menu: MenuEntry })[] {
  const found = commands.filter(
    (one): one is Command & { readonly menu: MenuEntry } => one.menu?.isFor() === true,
  );
  return SECTIONS.flatMap((section) => found.filter((one) => one.menu.section === section && isEnabled(one)));
}

const SECTIONS: readonly MenuEntry['section'][] = ['ask', 'show', 'copy'];

/** Makes commands of a group. Chords are separated by a blank, '' for none. */
export function commandsOf(group: string) {
  return (id: string, title: string, chords: string, run: () => void, enabled?: () => boolean): Command => {
    return { id, group, title, keys: chords === '' ? undefined : chords.split(' '), enabled, run };
  };
}

export type CommandList = ReturnType<typeof createCommands>;

export function createCommands() {
  const all = signal<readonly Command[]>([]);
  return {
    all: all as ReadonlySignal<readonly Command[]>,
    /** Adds commands; the function returned takes them away again. */
    add: (commands: readonly Command[]) => {
      all.value = [...all.value, ...commands];
      return () => {
        all.value = all.value.filter((command) => !commands.includes(command));
      };
    },
    /** Runs the command of a key press, if any; says whether there was one. */
    press: (event: KeyboardEvent) => {
      const chord = chordOf(event);
      const command = all.value.find((c) => c.keys?.includes(chord) && isEnabled(c));
      command?.run();
      return command !== undefined;
    },
  };
}

export function isEnabled(command: Command): boolean {
  return command.enabled?.() ?? true;
}

/**
 * The name of a key press: modifiers, then the key. `Mod` is Ctrl or, on a Mac, Cmd. Letters are upper case; Shift is
 * named only with keys that it does not change itself ('?' is '?', and Shift with W is 'Shift+W').
 * @internal
 */
export function chordOf(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): string {
  const { key } = event;
  const letter = /^\p{L}$/u.test(key);
  const shifted = event.shiftKey && (letter || key.length > 1);
  return [
    event.ctrlKey || event.metaKey ? 'Mod' : '',
    event.altKey ? 'Alt' : '',
    shifted ? 'Shift' : '',
    letter ? key.toUpperCase() : key === ' ' ? 'Space' : key,
  ]
    .filter((part) => part !== '')
    .join('+');
}

const SHOWN: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  Escape: 'Esc',
  Backspace: '⌫',
};

/** A chord for people: 'Ctrl K', '⌘ K', '←'. */
export function shownChord(chord: string, mac: boolean): string {
  return chord
    .split(/\+(?!$)/)
    .map((part) => (part === 'Mod' ? (mac ? '⌘' : 'Ctrl') : (SHOWN[part] ?? part)))
    .join(' ');
}

/** Commands whose title has all words of the query, best matches first. */
export function searchCommands(commands: readonly Command[], query: string): readonly Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return ranked(commands, ({ title, group }) => rankOf(`${title} ${group}`.toLowerCase(), words));
}

/**
 * Items that match, best first, equal ones in the order of `compare` or else in the order given.
 * @param rankOf more is better; below 0 it is no match
 */
export function ranked<Item>(
  items: readonly Item[],
  rankOf: (item: Item) => number,
  compare: (a: Item, b: Item) => number = () => 0,
): readonly Item[] {
  return items
    .map((item) => ({ item, rank: rankOf(item) }))
    .filter(({ rank }) => rank >= 0)
    .sort((a, b) => b.rank - a.rank || compare(a.item, b.item))
    .map(({ item }) => item);
}

/** Rank of a match, higher at the begin of the text and of words; -1: a word is missing. */
function rankOf(text: string, words: readonly string[]): number {
  let rank = 0;
  for (const word of words) {
    const at = text.indexOf(word);
    if (at < 0) return -1;
    rank += at === 0 ? 3 : text[at - 1] === ' ' ? 2 : 1;
  }
  return rank;
}

/** Something named in the trace that the search finds besides rows, and how to show it. */
export interface Thing {
  /** Name as the trace has it, not safe to show. */
  readonly name: string;
  /** Amount: "12 345 events". */
  readonly detail: string;
  open(): void;
}

/** Things of one kind. */
export interface ThingGroup<Page> {
  /** "System calls" */
  readonly title: string;
  /** All things of the trace, the most important first. Called whenever the search gets the focus. */
  things(page: Page): readonly Thing[] | Promise<readonly Thing[]>;
}
