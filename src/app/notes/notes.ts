/**
 * The notes of the open experiment, kept in this browser under the experiment's fingerprint, and which of them is looked at.
 * Another tab may change them too: each change is made to what is stored at that moment, so that of one note the last writer
 * wins and others stay.
 */
import { batch, computed, effect, signal, type ReadonlySignal } from '@preact/signals';
import { forgetSetting, readSetting, watchSetting, writeSetting } from '../browser/settings.ts';
import type { Watched } from '../browser/watched.ts';
import type { TimeRange } from '../timeline/timeline.tsx';
import { plural } from '../format/text.ts';
import { readNotesFile } from './notes-file.ts';
import { inOrder, MOST_NOTES, noteText, readNotes, type Note } from './note.ts';

/** Place that is marked: a moment or a stretch, and the row of which it is an interval. */
export interface Place extends TimeRange {
  readonly row?: string;
}

/** The note that was gone to last, and what its flag shows: no more than the flag, a card, or the field to write in. */
export interface CurrentNote {
  readonly id: string;
  readonly shown: 'flag' | 'card' | 'field';
  /** Made just now: it goes again when writing is given up. */
  readonly isNew?: boolean;
}

/** Notes as the page sees them. */
export type Notes = Watched<StoredNotes, 'current'>;

export class StoredNotes {
  /** Notes in order of time. */
  readonly all = signal<readonly Note[]>([]);
  readonly current = signal<CurrentNote | undefined>(undefined);
  /** Result of the file that was read last; '': none was. */
  readonly said = signal('');
  /** False: this browser does not keep them, they are lost with the page. */
  readonly areKept: ReadonlySignal<boolean>;
  readonly #trace: ReadonlySignal<string | undefined>;
  /** Notes that the browser refused, by fingerprint of the experiment. */
  readonly #refused = signal<ReadonlyMap<string, readonly Note[]>>(new Map());
  readonly #stops: readonly (() => void)[];

  /** @param trace fingerprint of the experiment that is open; undefined: none is */
  constructor(trace: ReadonlySignal<string | undefined>) {
    this.#trace = trace;
    this.areKept = computed(() => !this.#refused.value.has(trace.value ?? ''));
    this.#stops = [
      effect(() => {
        void trace.value;
        this.current.value = undefined;
        this.said.value = '';
        this.all.value = this.#stored();
      }),
      watchSetting(
        () => settingOf(trace.peek() ?? ''),
        () => (this.all.value = this.#stored()),
      ),
    ];
  }

  /** Undefined: there are as many as there can be, or nothing is open. */
  add({ from, to, row }: Place): Note | undefined {
    if (this.#trace.peek() === undefined || this.#toChange().length >= MOST_NOTES) return undefined;
    const note = { id: newId(), from: Math.round(from), to: Math.round(to), row, text: '' };
    this.#put(note.id, note);
    return note;
  }

  write(id: string, text: string): void {
    this.#change(id, { text: noteText(text) });
  }

  move(id: string, { from, to, row }: Place): void {
    this.#change(id, { from: Math.round(from), to: Math.round(to), row });
  }

  remove(id: string): void {
    this.#put(id, undefined);
  }

  /** Adds the notes of a file (`notes-file.ts`) to those of the experiment that is open; known ones stay as they are. */
  take(text: string): void {
    const trace = this.#trace.peek();
    if (trace === undefined) return;
    const read = readNotesFile(text, trace);
    if (typeof read === 'string') {
      this.said.value = read;
      return;
    }
    const known = this.#toChange();
    const unknown = read.notes.filter(({ id }) => known.every((note) => note.id !== id));
    const added = unknown.slice(0, Math.max(0, MOST_NOTES - known.length));
    if (added.length > 0) this.#store(trace, inOrder([...known, ...added]));
    const all = read.notes.length + read.unreadable + read.tooMany;
    const left = [
      [read.notes.length - unknown.length, 'there already'],
      [read.unreadable, 'unreadable'],
      [read.tooMany + unknown.length - added.length, `beyond the limit of ${MOST_NOTES}`],
    ] as const;
    const words = left.flatMap(([count, why]) => (count > 0 ? [`, ${count} ${why}`] : [])).join('');
    this.said.value = `${added.length} of ${plural(all, 'note')} in the file added${words}`;
  }

  /** Closes the card or field and leaves the flag, if they are of the note with this id. */
  close(id = this.current.peek()?.id): void {
    if (id !== undefined && id === this.current.peek()?.id) this.current.value = { id, shown: 'flag' };
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
  }

  #change(id: string, change: Partial<Note>): void {
    const note = this.#toChange().find((one) => one.id === id);
    if (note !== undefined) this.#put(id, { ...note, ...change });
  }

  #stored(): readonly Note[] {
    const trace = this.#trace.peek();
    if (trace === undefined) return [];
    return this.#refused.peek().get(trace) ?? readNotes(readSetting(settingOf(trace), Array.isArray)).notes;
  }

  /** Notes that a change is made to: those in sight, where the storage was cleared and no other tab has reported it. */
  #toChange(): readonly Note[] {
    const stored = this.#stored();
    return stored.length === 0 ? this.all.peek() : stored;
  }

  #put(id: string, note: Note | undefined): void {
    const trace = this.#trace.peek();
    if (trace === undefined) return;
    const others = this.#toChange().filter((one) => one.id !== id);
    const notes = note === undefined ? others : inOrder([...others, note]);
    batch(() => {
      this.#store(trace, notes);
      if (note === undefined && this.current.peek()?.id === id) this.current.value = undefined;
    });
  }

  #store(trace: string, notes: readonly Note[]): void {
    const name = settingOf(trace);
    const isKept = notes.length === 0 ? forgetSetting(name) : writeSetting(name, notes);
    batch(() => {
      this.#refuse(trace, isKept ? undefined : notes);
      this.all.value = notes;
    });
  }

  #refuse(trace: string, notes: readonly Note[] | undefined): void {
    if (notes === undefined && !this.#refused.peek().has(trace)) return;
    const refused = new Map(this.#refused.peek());
    if (notes === undefined) refused.delete(trace);
    else refused.set(trace, notes);
    this.#refused.value = refused;
  }
}

function settingOf(trace: string): string {
  return `notes.${trace}`;
}

/** Unlike any other: `crypto.randomUUID` is missing where the page does not come by https. */
function newId(): string {
  return [...crypto.getRandomValues(new Uint32Array(3))].map((word) => word.toString(36)).join('-');
}
