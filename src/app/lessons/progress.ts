/** How far the reader is in each lesson: kept over visits. */
import { isBoolean, isNumber, readSetting, writeSetting } from '../browser/settings.ts';

export interface LessonProgress {
  /** The step that the reader is at, from 0. */
  readonly step: number;
  /** Whether the end was reached once. */
  readonly isDone: boolean;
}

/** Undefined: it was not begun. */
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
