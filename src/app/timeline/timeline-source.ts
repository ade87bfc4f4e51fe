/** The timeline's questions to the session and their answers: the page gives it the worker's proxy and signals of its updates. */
import type { ReadonlySignal } from '@preact/signals';
import type { ExperimentInfo, Overview, Progress, RowInfo, SessionApi } from '../../workers/session-api.ts';
import type { TimeRange } from './viewport.ts';

export interface TimelineSource extends Pick<SessionApi, 'ask'> {
  readonly info: ReadonlySignal<ExperimentInfo | undefined>;
  readonly rows: ReadonlySignal<readonly RowInfo[]>;
  readonly overview: ReadonlySignal<Overview | undefined>;
  readonly progress: ReadonlySignal<Progress | undefined>;
  /** Times that the user marked, in order; equal ends: a moment. */
  readonly notes: ReadonlySignal<readonly TimeRange[]>;
}
