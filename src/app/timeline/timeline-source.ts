/** The timeline's questions to the session and their answers: the page gives it the worker's proxy and signals of its updates. */
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { ExperimentInfo, Overview, Progress, SessionApi } from '../../engine/protocol/session.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import type { TimeRange } from './view/viewport.ts';

export interface TimelineSource extends Pick<SessionApi, 'ask'> {
  readonly info: ReadonlySignal<ExperimentInfo | undefined>;
  readonly rows: ReadonlySignal<readonly RowInfo[]>;
  /** Whether `rows` have one for each program of several processes. */
  readonly byProgram: Signal<boolean>;
  /** There are such programs. */
  readonly hasPrograms: ReadonlySignal<boolean>;
  readonly overview: ReadonlySignal<Overview | undefined>;
  readonly progress: ReadonlySignal<Progress | undefined>;
  /** Times that the user marked, in order; equal ends: a moment. */
  readonly notes: ReadonlySignal<readonly TimeRange[]>;
}
