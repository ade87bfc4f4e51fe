/** What is asked about profiles, and answered. Types only. */
import type { FlameChart } from '../layers/stacks/flame-chart.ts';
import type { Inlining, SourceLines } from '../layers/stacks/frame-names.ts';
import type { Profile } from '../layers/stacks/profile.ts';
import type { TimeRange } from './range.ts';
import type { FrameStyle } from '../answers/stacks/stacks-of.ts';

/** The running time of a thread, of all threads of its process or of all there are, or all the time of an active path. */
export type ProfileScope = 'thread' | 'process' | 'all' | 'path';

export interface ProfileRequest extends FrameStyle {
  readonly of: ProfileScope;
  /** Id of a thread's row; of all threads it may be any. */
  readonly row: string;
  /** Default: the life of the thread. */
  readonly range?: TimeRange;
  /** Id of the path that was answered last; default: that of the thread over the range, by `main task`. */
  readonly path?: number;
  /** Of one thread, what follows what too. */
  readonly inTime?: boolean;
}

export interface ProfileAnswer extends Profile, TimeRange {
  /** By frame of the tree: where the function is in the source, where that is known. */
  readonly sources: readonly (SourceLines | undefined)[];
  /** By frame of the tree; undefined: never inlined, or nobody asked. */
  readonly inlined: readonly (Inlining | undefined)[];
  /** Where it was asked for. Its times are display times. */
  readonly chart: FlameChart | undefined;
}
