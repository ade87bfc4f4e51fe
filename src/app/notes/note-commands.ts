/** Commands of the keyboard and the palette for notes. */
import { commandsOf, type Command, type ThingGroup } from '../commands/command.ts';
import { rowById } from '../timeline/rows/row-by-id.ts';
import { middle } from '../timeline/view/viewport.ts';
import { neighbourOf, type Note } from './note.ts';
import type { Notes, Place } from './notes.ts';
import type { App } from '../context/app-context.ts';
import type { ViewModel } from '../timeline/timeline.tsx';

const command = commandsOf('Notes');

interface NotesPage {
  readonly app: App;
  readonly view: ViewModel;
  readonly notes: Notes;
}

export function noteCommands(page: NotesPage): readonly Command[] {
  const { app, view, notes } = page;
  const areThere = () => notes.all.value.length > 0;
  const step = (direction: -1 | 1) => {
    const from = notes.current.peek()?.id;
    const note = neighbourOf(notes.all.peek(), from, middle(view.viewport.peek()), direction);
    if (note === undefined) return;
    app.drawer.uncover();
    goToNote(page, note);
  };
  const edit = () => {
    const { id } = notes.current.peek() ?? {};
    if (id !== undefined) notes.current.value = { id, shown: 'field' };
  };
  return [
    command('mark', "Mark the pointer's time or the selection", 'M', () => mark(page)),
    command('note-previous', 'Go to the note before', ',', () => step(-1), areThere),
    command('note-next', 'Go to the next note', '.', () => step(1), areThere),
    command('note-edit', 'Edit the note gone to', 'Shift+M', edit, () => notes.current.value !== undefined),
  ];
}

/** Shows a note and its row on the timeline: its range with a margin, or its moment in the middle. */
export function goToNote({ app, view, notes }: NotesPage, note: Note): void {
  notes.current.value = { id: note.id, shown: 'card' };
  // The row of an overlay may be missing.
  if (note.row !== undefined && rowById(app.experiment.rows.peek(), note.row) !== undefined)
    view.show(note.row);
  if (note.to > note.from) return view.fit(note);
  const { span } = view.viewport.peek();
  const from = Math.round(note.from - span / 2);
  view.setRange({ from, to: from + Math.ceil(span) });
}

/** Adds a note and opens its text field. */
function mark({ app, view, notes }: NotesPage): void {
  const note = notes.add(placeOf(view));
  // The tab says why none could be added.
  if (note === undefined) return app.drawer.show('notes');
  app.drawer.uncover();
  notes.current.value = { id: note.id, shown: 'field', isNew: true };
  const follow = async () => {
    // The session may still be finding what was just clicked.
    const isSame = await view.settled();
    const selected = view.selected.peek();
    if (isSame && selected) notes.move(note.id, selected);
  };
  void follow();
}

function placeOf(view: ViewModel): Place {
  const at = view.hover.peek()?.timeNs ?? middle(view.viewport.peek());
  return view.selected.peek() ?? view.range.peek() ?? { from: at, to: at };
}

export const NOTE_TEXTS: ThingGroup<NotesPage> = {
  title: 'Notes',
  things: (page) =>
    page.notes.all.peek().map((note) => {
      return { name: note.text, detail: '', open: () => goToNote(page, note) };
    }),
};
