/** Source of the timeline's data: the session's questions, and signals of its updates. */
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { ExperimentInfo, Overview, Progress, SessionApi } from '../../engine/protocol/session.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';
import type { TimeRange } from './view/viewport.ts';

export interface TimelineSource extends Pick<SessionApi, 'ask'> {
  readonly info: ReadonlySignal<ExperimentInfo | undefined>;
  readonly rows: ReadonlySignal<readonly RowInfo[]>;
  /** Whether `rows` contains rows of programs. */
  readonly byProgram: Signal<boolean>;
  /** Whether several processes have one program. */
  readonly hasPrograms: ReadonlySignal<boolean>;
  readonly overview: ReadonlySignal<Overview | undefined>;
  readonly progress: ReadonlySignal<Progress | undefined>;
  /** Times that the user marked, in order; equal ends: a moment. */
  readonly notes: ReadonlySignal<readonly TimeRange[]>;
}
