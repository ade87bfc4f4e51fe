/**
 * The notes of the open experiment, kept in this browser under the experiment's fingerprint, and the current one. Other
 * tabs may change them, so each change is made to the stored notes: the last writer of a note wins, other notes stay.
 */
import { batch, computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import { forgetSetting, readSetting, watchSetting, writeSetting } from '../browser/settings.ts';
import type { Watched } from '../browser/watched.ts';
import type { TimeRange } from '../timeline/timeline.tsx';
import { plural } from '../format/text.ts';
import { readNotesFile } from './notes-file.ts';
import { inOrder, MOST_NOTES, noteText, readNotes, type Note } from './note.ts';

/** Place to mark: a moment or a range, and the row if it is an interval of one. */
export interface Place extends TimeRange {
  readonly row?: string;
}

/** The note that was shown last, and what its flag shows: nothing, a card, or the text field. */
export interface CurrentNote {
  readonly id: string;
  readonly shown: 'flag' | 'card' | 'field';
  /** Whether it was just added, so that Escape removes it. */
  readonly isNew?: boolean;
}

export type Notes = Watched<ReturnType<typeof createNotes>, 'current'>;

/** @param trace fingerprint of the experiment that is open; undefined: none is */
export function createNotes(trace: ReadonlySignal<string | undefined>) {
  /** Notes in order of time. */
  const all = signal<readonly Note[]>([]);
  const current = signal<CurrentNote | undefined>(undefined);
  /** Message about the file that was read last; '': none was. */
  const said = signal('');
  /** Notes that the browser did not store, by fingerprint of the experiment. */
  const refused = signal<ReadonlyMap<string, readonly Note[]>>(new Map());
  /** Whether the browser stores the notes; false: they are lost with the page. */
  const areKept = computed(() => !refused.value.has(trace.value ?? ''));
  const stored = (): readonly Note[] => {
    const open = trace.peek();
    if (open === undefined) return [];
    return refused.peek().get(open) ?? readNotes(readSetting(settingOf(open), Array.isArray)).notes;
  };
  /** Notes to change: the stored ones, or those shown if the storage was cleared without an event from another tab. */
  const toChange = (): readonly Note[] => {
    const known = stored();
    return known.length === 0 ? all.peek() : known;
  };
  const refuse = (open: string, notes: readonly Note[] | undefined) => {
    if (notes === undefined && !refused.peek().has(open)) return;
    const others = new Map(refused.peek());
    if (notes === undefined) others.delete(open);
    else others.set(open, notes);
    refused.value = others;
  };
  const store = (open: string, notes: readonly Note[]) => {
    const name = settingOf(open);
    const isKept = notes.length === 0 ? forgetSetting(name) : writeSetting(name, notes);
    batch(() => {
      refuse(open, isKept ? undefined : notes);
      all.value = notes;
    });
  };
  const put = (id: string, note: Note | undefined) => {
    const open = trace.peek();
    if (open === undefined) return;
    const others = toChange().filter((one) => one.id !== id);
    batch(() => {
      store(open, note === undefined ? others : inOrder([...others, note]));
      if (note === undefined && current.peek()?.id === id) current.value = undefined;
    });
  };
  const change = (id: string, part: Partial<Note>) => {
    const note = toChange().find((one) => one.id === id);
    if (note !== undefined) put(id, { ...note, ...part });
  };
  const stops = [
    effect(() => {
      void trace.value;
      current.value = undefined;
      said.value = '';
      all.value = stored();
    }),
    watchSetting(
      () => settingOf(trace.peek() ?? ''),
      () => (all.value = stored()),
    ),
  ];
  return {
    ...{ all, current, said, areKept },
    /** Adds a note; undefined: there are `MOST_NOTES` already, or nothing is open. */
    add: ({ from, to, row }: Place): Note | undefined => {
      if (trace.peek() === undefined || toChange().length >= MOST_NOTES) return undefined;
      const note = { id: newId(), from: Math.round(from), to: Math.round(to), row, text: '' };
      put(note.id, note);
      return note;
    },
    write: (id: string, text: string) => change(id, { text: noteText(text) }),
    move: (id: string, { from, to, row }: Place) =>
      change(id, { from: Math.round(from), to: Math.round(to), row }),
    remove: (id: string) => put(id, undefined),
    /** Adds the notes of a file (`notes-file.ts`) to those of the open experiment; notes with known ids stay unchanged. */
    take: (text: string): void => {
      const open = trace.peek();
      if (open === undefined) return;
      const read = readNotesFile(text, open);
      if (typeof read === 'string') {
        said.value = read;
        return;
      }
      const known = toChange();
      const unknown = read.notes.filter(({ id }) => known.every((note) => note.id !== id));
      const added = unknown.slice(0, Math.max(0, MOST_NOTES - known.length));
      if (added.length > 0) store(open, inOrder([...known, ...added]));
      const count = read.notes.length + read.unreadable + read.tooMany;
      const left = [
        [read.notes.length - unknown.length, 'there already'],
        [read.unreadable, 'unreadable'],
        [read.tooMany + unknown.length - added.length, `beyond the limit of ${MOST_NOTES}`],
      ] as const;
      const words = left.flatMap(([some, why]) => (some > 0 ? [`, ${some} ${why}`] : [])).join('');
      said.value = `${added.length} of ${plural(count, 'note')} in the file added${words}`;
    },
    /** Closes the card or field of the note with this id, and leaves its flag. */
    close: (id = current.peek()?.id): void => {
      if (id !== undefined && id === current.peek()?.id) current.value = { id, shown: 'flag' };
    },
    dispose: () => stops.forEach((stop) => stop()),
  };
}

function settingOf(trace: string): string {
  return `notes.${trace}`;
}

/** A unique id. `crypto.randomUUID` is missing on pages without https. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint32Array(3))].map((word) => word.toString(36)).join('-');
}
