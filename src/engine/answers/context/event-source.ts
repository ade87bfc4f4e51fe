/** Where single events are read from: they are not kept. */
import type { SourceOpener } from '../../io/byte-source.ts';
import type { Experiment } from '../../trace/types.ts';
import type { DisplayTime } from './display-time.ts';

export interface EventSource {
  readonly experiment: Experiment;
  readonly time: DisplayTime;
  readonly open: SourceOpener;
}
