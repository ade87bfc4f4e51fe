/** A statistic of the whole trace or of the selected range, updated while a range is dragged. */
import type { StatisticName } from '../../engine/answers/statistics/tables.ts';
import { useComputed } from '@preact/signals';
import type { AnswerOf, RequestOf } from '../../engine/protocol/queries.ts';
import type { TimeRange } from '../../engine/protocol/range.ts';
import { useApp } from '../context/app-context.ts';
import { formatDuration } from '../format/numbers.ts';
import { isReading } from '../opening/progress-row.tsx';
import { readTo } from '../opening/reading.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { useLiveAnswer } from '../experiment/live-answer.ts';

/**
 * Number of times that a question has been repeated after some seconds of reading: after 3, 9, 21, ever less often, since
 * an answer takes more of the session's time and memory the more there is to sum.
 */
function questionsAfter(seconds: number): number {
  return Math.floor(Math.log2(1 + seconds / 3));
}

interface Question {
  readonly range: TimeRange | undefined;
  /** Number of repetitions while reading; -1: reading is over. */
  readonly age: number;
  /** Display ns up to which the trace was read when it was asked; Infinity: all. */
  readonly readTo: number;
  /** Edition of the open trace, since its times change with its clocks. */
  readonly edition: number;
}

/**
 * A statistic, the text of the range that it covers ("whole trace"), and its length in ns. While reading, it is asked
 * again now and then.
 */
export function useStatistics<Name extends StatisticName>(view: ViewModel, name: Name) {
  const { session, experiment } = useApp();
  const age = useComputed(() => {
    const progress = experiment.progress.value;
    return isReading(progress) ? questionsAfter(progress?.seconds ?? 0) : -1;
  });
  // `peek`: a report of progress must not ask again.
  const question = (): Question => ({
    range: view.range.value,
    age: age.value,
    readTo: readTo(experiment.progress.peek()),
    edition: experiment.shown.value,
  });
  const answer = useLiveAnswer(question, async (asked, signal) => {
    // All statistics have this request, but the compiler cannot see that for a type parameter.
    const request = { range: asked.range } as RequestOf<Name>;
    return { asked, stats: await session.ask(name, request, { signal }) };
  });
  // The question of the shown numbers; a new range has none yet.
  const of = useComputed(() => answer.value?.asked ?? question());
  return {
    stats: useComputed((): AnswerOf<Name> | undefined => answer.value?.stats),
    scope: useComputed(() => scopeText(of.value)),
    lengthNs: useComputed(() => {
      const { from, to } = of.value.range ?? view.extent.value;
      return Math.min(to, of.value.readTo) - from;
    }),
  };
}

function scopeText({ range, age, readTo }: Question): string {
  if (range !== undefined) return `selected ${formatDuration(range.to - range.from)}`;
  if (age >= 0) return 'what is read so far';
  return readTo < Infinity ? 'what was read' : 'whole trace';
}
