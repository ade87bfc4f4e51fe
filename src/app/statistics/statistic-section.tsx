/** A section of the Statistics tab: a statistic of the whole trace or the selected range, following the drag of a range. */
import { useComputed, type ReadonlySignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { AnswerOf, RequestOf, StatisticName } from '../../engine/protocol/queries.ts';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import type { TimeRange } from '../../engine/protocol/range.ts';
import { useApp } from '../context/app-context.ts';
import { formatDuration } from '../format/numbers.ts';
import { isReading } from '../opening/progress-row.tsx';
import { readTo } from '../opening/reading.ts';
import type { ViewModel } from '../timeline/timeline.tsx';
import { useLiveAnswer } from '../experiment/live-answer.ts';
import { WithMissingNote } from '../opening/missing-events.tsx';

/** What the table of a statistic shows. */
export interface SectionProps<Stats> {
  /** undefined: not answered yet. */
  readonly stats: ReadonlySignal<Stats | undefined>;
  readonly info: ExperimentInfo;
  /** "whole trace" or the range. */
  readonly scope: string;
  /** ns that the statistic covers. */
  readonly lengthNs: number;
  readonly view: ViewModel;
}

export interface Section {
  readonly title: string;
  readonly View: (props: { readonly view: ViewModel; readonly info: ExperimentInfo }) => JSX.Element;
}

/**
 * @param note what is wrong where events are missing, said below the table; default: the table says it
 */
export function section<Name extends StatisticName>(
  name: Name,
  title: string,
  Table: (props: SectionProps<AnswerOf<Name>>) => JSX.Element,
  note?: string,
): Section {
  const View: Section['View'] = ({ view, info }) => {
    const { stats, scope, lengthNs } = useStatistics(view, name);
    const table = (
      <Table stats={stats} info={info} scope={scope.value} lengthNs={lengthNs.value} view={view} />
    );
    if (note === undefined) return table;
    return (
      <WithMissingNote missing={stats.value?.missing ?? []} what={note}>
        {table}
      </WithMissingNote>
    );
  };
  return { title, View };
}

/**
 * How often a question came anew after some seconds of reading: after 3, 9, 21, ever less often, since each answer takes
 * as much of the session's time and memory as there is to sum up.
 */
function questionsAfter(seconds: number): number {
  return Math.floor(Math.log2(1 + seconds / 3));
}

interface Question {
  readonly range: TimeRange | undefined;
  /** How often it came anew while reading; -1: reading is over. */
  readonly age: number;
  /** Display ns up to which the trace was read when it was asked; Infinity: all. */
  readonly readTo: number;
  /** Of what is open: by other clocks its times are others. */
  readonly edition: number;
}

/** Statistics of the selected range or of all, with what they are of. While reading, they come anew now and then. */
function useStatistics<Name extends StatisticName>(
  view: ViewModel,
  name: Name,
): {
  readonly stats: ReadonlySignal<AnswerOf<Name> | undefined>;
  readonly scope: ReadonlySignal<string>;
  readonly lengthNs: ReadonlySignal<number>;
} {
  const { session, experiment } = useApp();
  const age = useComputed(() => {
    const progress = experiment.progress.value;
    return isReading(progress) ? questionsAfter(progress?.seconds ?? 0) : -1;
  });
  // Each report of progress moves how far it is read, and does not ask anew.
  const question = (): Question => ({
    range: view.range.value,
    age: age.value,
    readTo: readTo(experiment.progress.peek()),
    edition: experiment.shown.value,
  });
  const answer = useLiveAnswer(question, async (asked, signal) => {
    // The requests of the statistics are alike, but the compiler does not see it of a name that is a parameter.
    const request = { range: asked.range } as RequestOf<Name>;
    return { asked, stats: await session.ask(name, request, { signal }) };
  });
  // Of the numbers that are shown: a new range has none yet.
  const of = useComputed(() => answer.value?.asked ?? question());
  return {
    stats: useComputed(() => answer.value?.stats),
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
