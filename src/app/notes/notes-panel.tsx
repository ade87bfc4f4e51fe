/** The Notes tab: all notes of the experiment. */
import type { App } from '../context/app-context.ts';
import { plural } from '../format/text.ts';
import { durationColumn, nameCell, numberColumn } from '../widgets/table/stat-columns.tsx';
import { StatTable } from '../widgets/table/stat-table.tsx';
import type { Column } from '../widgets/table/column.ts';
import { exactTime, type ViewModel } from '../timeline/timeline.tsx';
import { goToNote } from './note-commands.ts';
import { rowText, shownText } from './note-sheet.tsx';
import { MOST_NOTES, type Note } from './note.ts';
import type { Notes } from './notes.ts';

interface NotesPanelProps {
  readonly app: App;
  readonly view: ViewModel;
  readonly notes: Notes;
}

export function NotesPanel(page: NotesPanelProps) {
  const { app, view, notes } = page;
  const { rows } = app.experiment;
  const style = view.timeStyle.value;
  const columns: readonly Column<Note>[] = [
    {
      ...numberColumn<Note>('time', 'Time', '96px', ({ from }) => from),
      copyTitle: 'Time, ns',
      cell: (note) => exactTime(note.from, style),
    },
    durationColumn('length', 'Length', '96px', (note) => note.to - note.from),
    nameCell(
      'Row',
      (note) => (note.row === undefined ? '' : rowText(note.row, rows.value)),
      undefined,
      'minmax(96px, 200px)',
    ),
    { ...nameCell('Note', shownText), id: 'text' },
  ];
  const count = notes.all.value.length;
  return (
    <div class="with-note">
      <StatTable
        title="Notes"
        scope={`${plural(count, 'note')}, kept by this browser for this trace`}
        columns={columns}
        rows={notes.all}
        order={{ column: 'time', descending: false }}
        empty="Press M to mark the pointer's time or the selection."
        keyOf={(note) => note.id}
        onActivate={(note) => goToNote(page, note)}
        isSelected={(note) => note.id === notes.current.value?.id}
      />
      {notes.said.value !== '' && (
        <p class="notes-warning" role="status">
          {notes.said.value}
        </p>
      )}
      <NotesWarning notes={notes} />
    </div>
  );
}

function NotesWarning({ notes }: Pick<NotesPanelProps, 'notes'>) {
  if (!notes.areKept.value)
    return <p class="notes-warning">This browser keeps no notes: copy them before you close the page.</p>;
  if (notes.all.value.length < MOST_NOTES) return null;
  return <p class="notes-warning">{MOST_NOTES} notes are the most for a trace. Delete one to add another.</p>;
}
