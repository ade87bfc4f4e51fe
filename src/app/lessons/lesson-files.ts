/**
 * The lessons of the page (`lessons/lessons.json` and the files that it names, beside index.html), and the reader's
 * progress in each, which is stored.
 */
import { fail, type Result } from '../../engine/base/fault.ts';
import { isBoolean, isNumber, readSetting, writeSetting } from '../browser/settings.ts';
import type { Lesson, LessonHead } from './lesson.ts';

/** The list, once it was requested. */
let list: Promise<readonly LessonHead[]> | undefined;

/** Loads the list; empty if the page is hosted without lessons. After a failure the next call tries again. */
export function loadLessons(): Promise<readonly LessonHead[]> {
  return (list ??= fetchText('lessons.json').then(
    (text) => (JSON.parse(text) as unknown[]).filter(isHead),
    () => {
      list = undefined; // offline and not cached
      return [];
    },
  ));
}

/** Loads a lesson by its name, which may come from an address. */
export async function loadLesson(name: string): Promise<Result<Lesson>> {
  const place = { file: `lessons/${name}.md` };
  const head = (await loadLessons()).find((each) => each.name === name);
  if (head === undefined) return fail({ code: 'lesson-missing', place });
  try {
    const [text, { parseLesson }] = await Promise.all([fetchText(`${name}.md`), import('./lesson.ts')]);
    return parseLesson(text, name);
  } catch {
    return fail({
      code: 'file-unreadable',
      place,
      found: 'The server of this page did not send the lesson.',
    });
  }
}

async function fetchText(file: string): Promise<string> {
  const response = await fetch(`lessons/${file}`);
  if (!response.ok) throw new Error(`${response.status} for ${file}`);
  return response.text();
}

/** Whether an entry of the list, which may be written by hand, is valid. */
function isHead(entry: unknown): entry is LessonHead {
  const { name, title, example, minutes, length } = (entry ?? {}) as Partial<
    Record<keyof LessonHead, unknown>
  >;
  const areTexts = [name, title, example].every((text) => typeof text === 'string');
  return (
    areTexts && typeof minutes === 'number' && typeof length === 'number' && /^[\w-]+$/.test(String(name))
  );
}

interface LessonProgress {
  /** Number of the current step, from 0. */
  readonly step: number;
  /** Whether the reader has reached the end before. */
  readonly isDone: boolean;
}

/** Progress in a lesson; undefined: it was not begun. */
export function progressOf(lesson: string): LessonProgress | undefined {
  const step = readSetting(`lesson.${lesson}`, isStep);
  if (step === undefined) return undefined;
  return { step, isDone: readSetting(`lesson.${lesson}.done`, isBoolean) ?? false };
}

export function keepProgress(lesson: string, { step, isDone }: LessonProgress): void {
  writeSetting(`lesson.${lesson}`, step);
  if (isDone) writeSetting(`lesson.${lesson}.done`, true);
}

function isStep(value: unknown): value is number {
  return isNumber(value) && Number.isInteger(value) && value >= 0;
}
