/** A lesson on its way: where the reader is, what was answered, and what is said about that. */
import { batch, computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { SessionApi } from '../../engine/protocol/session.ts';
import type { Shown } from './check.ts';
import { judgeNumber, judgeShown, type Verdict } from './judge.ts';
import { asks, type Lesson, type Step } from './lesson.ts';
import { keepProgress, progressOf } from './progress.ts';

/** Abilities of the page that a lesson uses. */
export interface LessonPage {
  readonly session: Pick<SessionApi, 'ask'>;
  /** Reads signals. */
  readonly shown: () => Shown;
  /** Shows what a link with these parameters does. */
  readonly show: (parts: string) => void;
  /** The address of it, for another tab. */
  readonly address: (parts: string) => string;
}

export type Feedback = { readonly isRight: true } | { readonly isRight: false; readonly reason: string };

export class LessonRun {
  readonly lesson: Lesson;
  /** Index of the step, from 0; the number of steps: the end is reached. */
  readonly at: ReadonlySignal<number>;
  readonly feedback: Signal<Feedback | undefined> = signal(undefined);
  /** Answer chosen or typed in this step. */
  readonly chosen: Signal<number | undefined> = signal(undefined);
  readonly typed = signal('');
  /** Undefined at the end. */
  readonly step = computed((): Step | undefined => this.lesson.steps[this.#at.value]);
  /** The step asks for something that is not done yet. */
  readonly isAsking = computed(
    () => this.step.value !== undefined && asks(this.step.value) && this.feedback.value?.isRight !== true,
  );
  readonly #at: Signal<number>;
  readonly #page: LessonPage;
  readonly #stop: () => void;

  /** @param begins shows what the step shows; else the address has said it, as after a reload */
  constructor(lesson: Lesson, page: LessonPage, begins: boolean) {
    this.lesson = lesson;
    this.#page = page;
    const kept = progressOf(lesson.name)?.step ?? 0;
    this.at = this.#at = signal(kept < lesson.steps.length ? kept : 0);
    if (begins) this.#showStep();
    this.#stop = effect(() => this.#watch());
  }

  goTo(at: number): void {
    // At once: a step is not judged by what the one before showed.
    batch(() => {
      this.#at.value = Math.max(0, Math.min(this.lesson.steps.length, at));
      this.chosen.value = undefined;
      this.typed.value = '';
      this.feedback.value = undefined;
      this.#showStep();
    });
    const isEnd = this.step.peek() === undefined;
    keepProgress(this.lesson.name, { step: isEnd ? 0 : this.#at.peek(), isDone: isEnd });
  }

  /** Judges what is chosen, typed or shown now. */
  async check(): Promise<void> {
    const step = this.step.peek();
    if (step === undefined) return;
    const reason = await this.#judge(step);
    if (step !== this.step.peek()) return;
    this.feedback.value = reason === undefined ? { isRight: true } : { isRight: false, reason };
  }

  dispose(): void {
    this.#stop();
  }

  async #judge({ checks, options }: Step): Promise<Verdict> {
    if (options.length > 0) {
      const option = options[this.chosen.peek() ?? -1];
      if (option === undefined) return 'Choose an answer first.';
      return option.isRight ? undefined : 'It is another answer.';
    }
    const shown = this.#page.shown();
    const failed = judgeShown(checks, shown);
    const number = checks.find((check) => check.kind === 'number');
    if (failed !== undefined || number === undefined) return failed;
    return judgeNumber(number, this.typed.peek(), shown, this.#page.session);
  }

  /** Finds a step right as soon as the page shows what it asks for; numbers and answers when the reader says so. */
  #watch(): void {
    const step = this.step.value;
    if (step === undefined || !isDoneBySight(step)) return;
    if (judgeShown(step.checks, this.#page.shown()) === undefined) this.feedback.value = { isRight: true };
  }

  #showStep(): void {
    const view = this.step.peek()?.view;
    if (view !== undefined) this.#page.show(view);
  }
}

function isDoneBySight(step: Step): boolean {
  return asks(step) && step.options.length === 0 && step.checks.every(({ kind }) => kind !== 'number');
}
