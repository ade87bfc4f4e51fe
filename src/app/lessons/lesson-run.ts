/** State of a running lesson: the current step, the answer to it, and the feedback. */
import { batch, computed, effect, signal } from '@preact/signals';
import type { SessionApi } from '../../engine/protocol/session.ts';
import { judgeNumber, judgeShown, type Shown, type Verdict } from './check.ts';
import { asks, type Lesson, type Step } from './lesson.ts';
import { keepProgress, progressOf } from './lesson-files.ts';

/** Abilities of the page that a lesson uses. */
export interface LessonPage {
  readonly session: Pick<SessionApi, 'ask'>;
  /** Reads signals. */
  readonly shown: () => Shown;
  /** Shows the view of a link with these parameters. */
  readonly show: (parts: string) => void;
  /** Address of that view, for another tab. */
  readonly address: (parts: string) => string;
}

type Feedback = { readonly isRight: true } | { readonly isRight: false; readonly reason: string };

export type LessonRun = ReturnType<typeof createLessonRun>;

/** @param begins whether to show the view of the step; else the address has set the view, for example after a reload */
export function createLessonRun(lesson: Lesson, page: LessonPage, begins: boolean) {
  const kept = progressOf(lesson.name)?.step ?? 0;
  /** Index of the current step, from 0; equal to the number of steps at the end. */
  const at = signal(kept < lesson.steps.length ? kept : 0);
  const feedback = signal<Feedback | undefined>(undefined);
  /** Answer that was chosen in this step, and the one that was typed. */
  const chosen = signal<number | undefined>(undefined);
  const typed = signal('');
  /** Undefined at the end. */
  const step = computed((): Step | undefined => lesson.steps[at.value]);
  /** Whether the step asks for something that is not done yet. */
  const isAsking = computed(
    () => step.value !== undefined && asks(step.value) && feedback.value?.isRight !== true,
  );
  const showStep = () => {
    const view = step.peek()?.view;
    if (view !== undefined) page.show(view);
  };
  const judge = async ({ checks, options }: Step): Promise<Verdict> => {
    if (options.length > 0) {
      const option = options[chosen.peek() ?? -1];
      if (option === undefined) return 'Choose an answer first.';
      return option.isRight ? undefined : 'It is another answer.';
    }
    const shown = page.shown();
    const failed = judgeShown(checks, shown);
    const number = checks.find((check) => check.kind === 'number');
    if (failed !== undefined || number === undefined) return failed;
    return judgeNumber(number, typed.peek(), shown, page.session);
  };
  if (begins) showStep();
  // A step is done as soon as the page shows what it asks for; numbers and answers are judged on request.
  const dispose = effect(() => {
    const now = step.value;
    if (now === undefined || !isDoneBySight(now)) return;
    if (judgeShown(now.checks, page.shown()) === undefined) feedback.value = { isRight: true };
  });
  return {
    ...{ lesson, at, feedback, chosen, typed, step, isAsking, dispose },
    goTo: (to: number): void => {
      // In a batch, so that a step is not judged by the view of the previous one.
      batch(() => {
        at.value = Math.max(0, Math.min(lesson.steps.length, to));
        chosen.value = undefined;
        typed.value = '';
        feedback.value = undefined;
        showStep();
      });
      const isEnd = step.peek() === undefined;
      keepProgress(lesson.name, { step: isEnd ? 0 : at.peek(), isDone: isEnd });
    },
    /** Judges the current answer, number or view. */
    check: async (): Promise<void> => {
      const now = step.peek();
      if (now === undefined) return;
      const reason = await judge(now);
      if (now !== step.peek()) return;
      feedback.value = reason === undefined ? { isRight: true } : { isRight: false, reason };
    },
  };
}

function isDoneBySight(step: Step): boolean {
  return asks(step) && step.options.length === 0 && step.checks.every(({ kind }) => kind !== 'number');
}
