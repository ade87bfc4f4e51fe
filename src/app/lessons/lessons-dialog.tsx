/** The lessons as a dialog, for when a trace is open. */
import { Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';
import { LessonList } from './lesson-list.tsx';

export function LessonsDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog label="Lessons" class="lessons-dialog lessons" onClose={onClose}>
      <DialogHead title="Lessons" onClose={onClose} />
      <LessonList onOpen={onClose} empty={<p class="muted">No lessons come with this page.</p>} />
    </Dialog>
  );
}
