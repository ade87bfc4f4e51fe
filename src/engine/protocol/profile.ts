/** Requests and answers about profiles. */
import type { NamedFrame, Inlining, SourceLines } from '../layers/stacks/frame-names.ts';
import type { ModuleState } from '../symbols/symbol-files.ts';
import type { FlameChart } from '../layers/stacks/flame-chart.ts';
import type { Profile } from '../layers/stacks/profile.ts';
import type { ExecutionsAnswer } from '../layers/executions/answer.ts';
import type { LocksWithinRequest } from './locks.ts';
import type { TimeRange } from './range.ts';

/** Scope of a profile: running time of a thread, its process or all threads, or all time of an active path. */
export type ProfileScope = 'thread' | 'process' | 'all' | 'path';

/** Order of the frames of blocked time: the sleeper's stack first, the waker's, or cause, lock or file first. */
export const OFF_CPU_ORDERS = ['sleeper', 'waker', 'cause', 'lock', 'file'] as const;

export type OffCpuOrder = (typeof OFF_CPU_ORDERS)[number];

export interface ProfileRequest extends FrameStyle {
  readonly of: ProfileScope;
  /** Id of a thread's row; of all threads it may be any. */
  readonly row: string;
  /** Default: the life of the thread. */
  readonly range?: TimeRange;
  /** Id of the path that was answered last; default: that of the thread over the range, by `main task`. */
  readonly path?: number;
  /** Whether the order in time is wanted too (`chart`), for one thread. */
  readonly inTime?: boolean;
  /** Asks for blocked instead of running time, with frames in this order. */
  readonly offCpu?: OffCpuOrder;
}

/**
 * Measure of a profile: running time, blocked time, or a path's; without a kernel trace the time between entries and
 * exits of functions, or if there are only samples, their number.
 */
type ProfileMeasure = 'running' | 'blocked' | 'path' | 'elapsed' | 'samples';

/** Times of threads, such as executions, in any order, whose blocked time is wanted. */
export interface OffCpuRequest extends LocksWithinRequest {
  readonly order: OffCpuOrder;
}

/** Blocked time by stacks: that of time i is `ns[j]` in `nodes[j]` itself, for j from start[i] to start[i + 1]. */
export type OffCpuTimes = Pick<ExecutionsAnswer, 'length' | 'tree' | 'start' | 'nodes' | 'ns'>;

export interface ProfileAnswer extends Profile, TimeRange {
  readonly measure: ProfileMeasure;
  /** Places of the functions in the source, where known, by frame of the tree. */
  readonly sources: readonly (SourceLines | undefined)[];
  /** Inlining by frame of the tree; undefined: never inlined, or nobody asked. */
  readonly inlined: readonly (Inlining | undefined)[];
  /** Frame of the running time of one thread for which no stack is known; absent: there is none. */
  readonly withoutStack?: string;
  /** Where it was asked for. Its times are display times. */
  readonly chart: FlameChart | undefined;
}

export interface StackAtEnd {
  /** The innermost first. */
  readonly lines: readonly NamedFrame[];
  /** The system call that it is in below them. */
  readonly call: string | undefined;
  /** Age of the stack, ns: the thread may have gone on since it was recorded. */
  readonly ageNs: number;
}

export interface WaitStacks {
  /** undefined: no stack of the thread is known by then. */
  readonly sleeper: StackAtEnd | undefined;
  /** The same; also where no thread ended the wait. */
  readonly waker: StackAtEnd | undefined;
}

export interface ModuleLine {
  readonly path: string;
  /** Build id in hexadecimal digits; undefined: the trace does not have it. */
  readonly buildId: string | undefined;
  readonly state: ModuleState;
  /** Frames in it, each address counted once per process. */
  readonly frames: number;
  /** Frames in it whose function is known. */
  readonly named: number;
}

/** How frames are named. */
export interface FrameStyle {
  /** Whether names of C++ and Rust stay mangled. */
  readonly isMangled?: boolean;
  /** Whether inlined functions are frames of their own. */
  readonly withInlined?: boolean;
}
