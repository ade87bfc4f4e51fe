/** One step of a lesson: its text or question, and the feedback to the answer. */
import { TextButton } from '../controls/button.tsx';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Ref } from 'preact';
import { Icon } from '../controls/icon.tsx';
import { asks, type LessonHead } from './lesson.ts';
import { loadLessons } from './lesson-files.ts';
import { lessonAddress } from './lesson-list.tsx';
import type { LessonPage, LessonRun } from './lesson-run.ts';
import { Markdown, MarkdownLine } from './markdown.tsx';

interface LessonStepProps {
  readonly run: LessonRun;
  readonly links: LessonPage;
  readonly heading: Ref<HTMLHeadingElement>;
}

export function LessonStep({ run, links, heading }: LessonStepProps) {
  const step = run.step.value;
  if (step === undefined) return null;
  const { view } = step;
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        {step.title}
      </h3>
      <Markdown text={step.text} links={links} />
      {asks(step) && <Answer run={run} links={links} />}
      <Said run={run} links={links} />
      {view !== undefined && (
        <p class="lesson-again">
          <TextButton class="link" text="Show the view of this step again" onClick={() => links.show(view)} />
        </p>
      )}
    </>
  );
}

/** Input for an answer or a number. Tasks on the page need none, as their checks are watched. */
function Answer({ run, links }: Pick<LessonStepProps, 'run' | 'links'>) {
  const { options = [], checks = [] } = run.step.value ?? {};
  const check = (event: Event) => {
    event.preventDefault();
    void run.check();
  };
  return (
    <form class="lesson-answer" onSubmit={check}>
      {options.length > 0 && (
        <fieldset>
          <legend class="said">Answers</legend>
          {options.map(({ text }, index) => (
            <label key={index}>
              <input
                type="radio"
                name="answer"
                checked={run.chosen.value === index}
                onChange={() => {
                  run.chosen.value = index;
                  run.feedback.value = undefined;
                }}
              />
              <span>
                <MarkdownLine text={text} links={links} />
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {checks.some(({ kind }) => kind === 'number') && (
        <div class="field">
          <input
            aria-label="Your answer"
            placeholder="Your answer"
            autocomplete="off"
            spellcheck={false}
            value={run.typed}
            onInput={(event) => {
              run.typed.value = event.currentTarget.value;
              run.feedback.value = undefined;
            }}
          />
        </div>
      )}
      <button class="button outlined">Check</button>
    </form>
  );
}

function Said({ run, links }: Pick<LessonStepProps, 'run' | 'links'>) {
  const { hint = '', right = '' } = run.step.value ?? {};
  const feedback = run.feedback.value;
  return (
    <div role="status">
      {feedback !== undefined && (
        <div class={feedback.isRight ? 'lesson-said right' : 'lesson-said'}>
          {feedback.isRight ? (
            <>
              <strong>Right.</strong> <MarkdownLine text={right} links={links} />
            </>
          ) : (
            <>
              <strong>Not yet.</strong> {feedback.reason} <MarkdownLine text={hint} links={links} />
            </>
          )}
        </div>
      )}
    </div>
  );
}

/** The end of a lesson: what was learnt, and the next lesson. */
export function LessonEnd({ lesson, heading }: Pick<LessonStepProps, 'heading'> & { lesson: LessonHead }) {
  const next = useSignal<LessonHead | undefined>(undefined);
  useEffect(() => {
    void loadLessons().then((list) => {
      next.value = list[list.findIndex(({ name }) => name === lesson.name) + 1];
    });
  }, []);
  return (
    <>
      <h3 ref={heading} tabIndex={-1}>
        The lesson is done
      </h3>
      <p>You have seen: {lesson.learn}.</p>
      {next.value !== undefined && (
        <p>
          <a class="link" href={lessonAddress(next.value.name)}>
            Next lesson: {next.value.title} <Icon name="arrow-right" size={12} />
          </a>
        </p>
      )}
    </>
  );
}
