/** Sheet at a flag: the text field of a note, else a card with the hovered notes or the current one; texts of notes. */
import type { ReadonlySignal } from '@preact/signals';
import { useApp } from '../context/app-context.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import { formatDuration } from '../format/numbers.ts';
import { visibleCharacters, visibleText } from '../format/text.ts';
import { tidWords } from '../format/tid.ts';
import { rowById } from '../timeline/rows/row-by-id.ts';
import { exactTime, type TimeStyle, type ViewModel } from '../timeline/timeline.tsx';
import { type Note, LONGEST_TEXT } from './note.ts';
import type { Notes } from './notes.ts';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon } from '../controls/icon.tsx';

interface NoteSheetProps {
  readonly view: ViewModel;
  readonly notes: Notes;
  /** Ids of the notes of the hovered flag. */
  readonly pointed: ReadonlySignal<readonly string[]>;
}

/** Most notes on a card; zooming in shows the others. */
const MOST_NOTES = 6;

export function NoteSheet({ view, notes, pointed }: NoteSheetProps) {
  const { experiment } = useApp();
  const place = (note: Note) => placeText(note, experiment.rows.value, view.timeStyle.value);
  const { id, shown = 'flag', isNew = false } = notes.current.value ?? {};
  const note = notes.all.value.find((one) => one.id === id);
  if (note !== undefined && shown === 'field') {
    return <NoteField key={id} notes={notes} note={note} isNew={isNew} place={place(note)} />;
  }
  const isRead = note !== undefined && shown === 'card';
  const near = notes.all.value.filter((one) => pointed.value.includes(one.id));
  const notesShown = near.length > 0 ? near : isRead ? [note] : [];
  return (
    <>
      {notesShown.length > 0 && (
        <div class="note-sheet note-card">
          {notesShown.slice(0, MOST_NOTES).map((one) => (
            <p key={one.id}>
              <span class="note-place">{place(one)}</span>
              {shownText(one)}
            </p>
          ))}
          {notesShown.length > MOST_NOTES && (
            <p class="note-place">and {notesShown.length - MOST_NOTES} more</p>
          )}
        </div>
      )}
      <p class="said" role="status">
        {isRead && `Note at ${place(note)}: ${shownText(note)}`}
      </p>
    </>
  );
}

interface NoteFieldProps {
  readonly notes: Notes;
  readonly note: Note;
  readonly isNew: boolean;
  readonly place: string;
}

/** The text field at a note's flag. Each input is stored at once; Escape restores the text from before. */
function NoteField({ notes, note, isNew, place }: NoteFieldProps) {
  const root = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const before = useRef(note.text);
  // In a layout effect, so that the next key goes to the field. Afterwards the focus returns, unless it has moved.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    field.current?.focus({ preventScroll: true });
    return () => {
      if (root.current?.contains(document.activeElement) && opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  const close = () => notes.close(note.id);
  const giveUp = () => {
    if (isNew) return notes.remove(note.id);
    notes.write(note.id, before.current);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Keys of an input method that is composing a character.
    if (event.isComposing) return;
    if (event.key === 'Escape') giveUp();
    else if (event.key === 'Enter' && event.target === field.current) close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocusOut = ({ relatedTarget }: FocusEvent) => {
    // The field stays open when the window loses the focus.
    if (document.hasFocus() && !root.current?.contains(relatedTarget as Node | null)) close();
  };
  return (
    <div
      class="note-sheet note-field"
      role="group"
      aria-label={`Note at ${place}`}
      ref={root}
      onKeyDown={onKeyDown}
      onFocusOut={onFocusOut}
      // Clicks beside the field do not take the focus from it.
      onMouseDown={(event) => event.target !== field.current && event.preventDefault()}
    >
      <textarea
        ref={field}
        aria-label="Text of the note"
        placeholder="What is here, and why?"
        rows={3}
        maxLength={LONGEST_TEXT}
        value={note.text}
        onInput={(event) => notes.write(note.id, event.currentTarget.value)}
      />
      <div class="line">
        <span class="note-place ellipsis" title={place}>
          {place}
        </span>
        <span class="grow" />
        <button class="button" title="Delete the note" onClick={() => notes.remove(note.id)}>
          <Icon name="trash" />
          Delete
        </button>
      </div>
      {!notes.areKept.value && <p class="bad">This browser keeps no notes: it is lost with the page.</p>}
    </div>
  );
}

/** "0.261 820 170 s, 6.019 ms of imb-80, tid 2061". */
export function placeText(note: Note, rows: readonly RowInfo[], style: TimeStyle): string {
  const length = note.to > note.from ? `, ${formatDuration(note.to - note.from)}` : '';
  const row = note.row === undefined ? '' : ` of ${rowText(note.row, rows)}`;
  return `${exactTime(note.from, style)}${length}${row}`;
}

/** Name of a note's row; its id if it is missing, as rows of overlays may be. */
export function rowText(id: string, rows: readonly RowInfo[]): string {
  const row = rowById(rows, id);
  if (row === undefined) return visibleText(id);
  return `${visibleText(row.name)}${row.tid === undefined ? '' : `, tid ${tidWords(row)}`}`;
}

/** The whole text of a note, safe to show. */
export function shownText({ text }: Note): string {
  return visibleCharacters(text);
}
