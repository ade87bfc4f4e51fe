/** The lessons as a list of links, each with its duration or the reader's progress. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { LessonHead } from './lesson.ts';
import { loadLessons, progressOf } from './lesson-files.ts';
import { Dialog, DialogHead } from '../widgets/dialog/dialog.tsx';

/** The part of an address that opens a lesson. */
export function lessonAddress(name: string): string {
  return `#${new URLSearchParams({ lesson: name })}`;
}

interface LessonListProps {
  readonly heading?: ComponentChildren;
  readonly empty?: ComponentChildren;
  onOpen?(): void;
}

export function LessonList({ heading, empty, onOpen }: LessonListProps) {
  const lessons = useSignal<readonly LessonHead[] | undefined>(undefined);
  useEffect(() => void loadLessons().then((list) => (lessons.value = list)), []);
  if (lessons.value === undefined) return null;
  if (lessons.value.length === 0) return <>{empty}</>;
  return (
    <>
      {heading}
      <ol>
        {lessons.value.map((lesson) => (
          <li key={lesson.name}>
            <a class="lesson-entry" href={lessonAddress(lesson.name)} title={lesson.learn} onClick={onOpen}>
              <span class="ellipsis">{lesson.title}</span>
              <Standing lesson={lesson} />
            </a>
          </li>
        ))}
      </ol>
    </>
  );
}

function Standing({ lesson: { name, minutes, length } }: { readonly lesson: LessonHead }) {
  const progress = progressOf(name);
  if (progress?.isDone) return <span class="lesson-done">done</span>;
  if (progress === undefined || progress.step === 0) return <span class="faint">{minutes} min</span>;
  return (
    <span class="faint">
      step {Math.min(progress.step + 1, length)} of {length}
    </span>
  );
}

/** Dialog with the lessons, while a trace is open. */
export function LessonsDialog({ onClose }: { onClose(): void }) {
  return (
    <Dialog label="Lessons" class="lessons-dialog lessons" onClose={onClose}>
      <DialogHead title="Lessons" onClose={onClose} />
      <LessonList onOpen={onClose} empty={<p class="muted">No lessons come with this page.</p>} />
    </Dialog>
  );
}
