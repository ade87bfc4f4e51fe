/** Notes, as the search finds them by their text. */
import type { ThingGroup } from '../commands/thing.ts';
import type { App } from '../context/app-context.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { goToNote } from './note-commands.ts';
import type { Notes } from './notes.ts';

interface Page {
  readonly app: App;
  readonly view: ViewModel;
  readonly notes: Notes;
}

export const NOTE_TEXTS: ThingGroup<Page> = {
  title: 'Notes',
  things: ({ app, view, notes }) =>
    Promise.resolve(
      notes.all.peek().map((note) => ({
        name: note.text,
        detail: '',
        open: () => goToNote(note, notes, view, app.experiment.rows),
      })),
    ),
};
