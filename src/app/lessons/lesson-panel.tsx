/** The panel beside the timeline that leads through a lesson. */
import { IconButton, TextButton } from '../controls/button.tsx';
import './lessons.css';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Result } from '../../engine/base/fault.ts';
import { isBoolean, readSetting, writeSetting } from '../browser/settings.ts';
import { commandsOf } from '../commands/command.ts';
import { useApp } from '../context/app-context.ts';
import { FaultCard } from '../opening/fault-card.tsx';
import { isReading } from '../opening/progress-row.tsx';
import type { Lesson } from './lesson.ts';
import { loadLesson } from './lesson-files.ts';
import { lessonAddress } from './lesson-list.tsx';
import { createLessonRun, type LessonPage, type LessonRun } from './lesson-run.ts';
import { LessonEnd, LessonStep } from './lesson-step.tsx';

interface LessonPanelProps {
  readonly name: string;
  /** Whether the reader has just chosen the lesson; false: the address says what is shown, for example after a reload. */
  readonly begins: boolean;
  readonly page: LessonPage;
  /** Whether the example of this name is open. */
  isOpen(example: string): Promise<boolean>;
  onClose(): void;
}

export function LessonPanel({ name, isOpen, ...rest }: LessonPanelProps) {
  const loaded = useSignal<Result<Lesson> | undefined>(undefined);
  const isHere = useSignal(true);
  const isFolded = useSignal(readSetting('lesson-folded', isBoolean) ?? false);
  useEffect(() => {
    void loadLesson(name).then(async (lesson) => {
      isHere.value = !lesson.ok || (await isOpen(lesson.value.example));
      loaded.value = lesson;
    });
  }, []);
  const fold = (folded: boolean) => {
    isFolded.value = folded;
    writeSetting('lesson-folded', folded);
  };
  const lesson = loaded.value;
  const title = lesson?.ok ? lesson.value.title : 'Lesson';
  return (
    <aside class={isFolded.value ? 'lesson folded' : 'lesson'} aria-labelledby="lesson-title">
      <div class="lesson-head">
        <h2 id="lesson-title" class={isFolded.value ? 'said' : 'ellipsis'} title={title}>
          {title}
        </h2>
        <IconButton
          icon={isFolded.value ? 'arrow-left' : 'arrow-right'}
          label={isFolded.value ? 'Unfold the lesson' : 'Fold the lesson'}
          aria-expanded={!isFolded.value}
          onClick={() => fold(!isFolded.value)}
        />
        {!isFolded.value && <IconButton icon="close" label="Close the lesson" onClick={rest.onClose} />}
      </div>
      {/* Hidden and not removed, so that the lesson keeps its state. */}
      <div class="lesson-body" hidden={isFolded.value}>
        {lesson !== undefined && <Loaded {...{ ...rest, lesson, isHere: isHere.value }} />}
      </div>
    </aside>
  );
}

interface LoadedProps extends Omit<LessonPanelProps, 'name' | 'isOpen'> {
  readonly lesson: Result<Lesson>;
  readonly isHere: boolean;
}

function Loaded({ lesson, isHere, ...rest }: LoadedProps) {
  const { experiment } = useApp();
  if (!lesson.ok) return <FaultCard fault={lesson.fault} />;
  const { name, example } = lesson.value;
  if (!isHere) {
    return (
      <p>
        This lesson is about another trace.{' '}
        <a class="link" href={lessonAddress(name)}>
          Open the example {example}
        </a>
      </p>
    );
  }
  // A step may show or ask something that has not been read yet.
  if (isReading(experiment.progress.value)) return <p class="muted">The trace is being read.</p>;
  return <Run lesson={lesson.value} {...rest} />;
}

function Run({ lesson, page, begins, onClose }: Omit<LoadedProps, 'lesson' | 'isHere'> & { lesson: Lesson }) {
  const { commands } = useApp();
  const run = useMemo(() => createLessonRun(lesson, page, begins), []);
  useEffect(() => () => run.dispose(), []);
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  const at = run.at.value;
  const length = lesson.steps.length;
  // Screen readers continue at the heading of the next step.
  useLayoutEffect(() => {
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
  }, [at]);
  useEffect(() => {
    const command = commandsOf('Lesson');
    return commands.add([
      command('lesson', 'Go to the lesson', 'L', () => heading.current?.focus()),
      command('lesson-next', 'Go to the next step of the lesson', '', () => run.goTo(run.at.peek() + 1)),
      command('lesson-back', 'Go to the previous step of the lesson', '', () => run.goTo(run.at.peek() - 1)),
      command('lesson-close', 'Close the lesson', '', onClose),
    ]);
  }, []);
  const isEnd = at === length;
  return (
    <>
      <p class="lesson-progress">
        <progress max={length} value={at + (isEnd ? 0 : 1)} aria-hidden="true" />
        {isEnd ? `${length} of ${length}` : `${at + 1} of ${length}`}
      </p>
      <div class="lesson-text">
        {isEnd ? (
          <LessonEnd lesson={lesson} heading={heading} />
        ) : (
          <LessonStep key={at} run={run} links={page} heading={heading} />
        )}
      </div>
      <div class="lesson-buttons">
        <button class="button outlined" disabled={at === 0} onClick={() => run.goTo(at - 1)}>
          Back
        </button>
        <span class="grow" />
        <NextButton run={run} onClose={onClose} />
      </div>
    </>
  );
}

function NextButton({ run, onClose }: { readonly run: LessonRun; onClose(): void }) {
  const { step, at, lesson, feedback } = run;
  if (step.value === undefined) {
    return <TextButton class="button outlined" text="Close" onClick={onClose} />;
  }
  const isSkipped = run.isAsking.value;
  const isLast = at.value === lesson.steps.length - 1;
  return (
    <TextButton
      text={isSkipped ? 'Skip' : isLast ? 'Finish' : 'Next'}
      class={feedback.value?.isRight || !isSkipped ? 'button primary' : 'button outlined'}
      onClick={() => run.goTo(at.value + 1)}
    />
  );
}
