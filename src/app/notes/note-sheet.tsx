/** Sheet at a flag: the field of the note that is written, else a card of the notes pointed at or the one gone to. */
import type { ReadonlySignal } from '@preact/signals';
import { useApp } from '../context/app-context.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { NoteField } from './note-field.tsx';
import { placeText, shownText } from './note-words.ts';
import type { Note } from './note.ts';
import type { Notes } from './notes.ts';

interface NoteSheetProps {
  readonly view: ViewModel;
  readonly notes: Notes;
  /** Ids of the notes of the flag that is pointed at. */
  readonly pointed: ReadonlySignal<readonly string[]>;
}

/** Notes on a card; the others have flags when the view is closer. */
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
  const told = near.length > 0 ? near : isRead ? [note] : [];
  return (
    <>
      {told.length > 0 && (
        <div class="note-sheet note-card">
          {told.slice(0, MOST_NOTES).map((one) => (
            <p key={one.id}>
              <span class="note-place">{place(one)}</span>
              {shownText(one)}
            </p>
          ))}
          {told.length > MOST_NOTES && <p class="note-place">and {told.length - MOST_NOTES} more</p>}
        </div>
      )}
      <p class="said" role="status">
        {isRead && `Note at ${place(note)}: ${shownText(note)}`}
      </p>
    </>
  );
}
