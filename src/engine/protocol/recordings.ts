/** Recordings of one machine, with their numbers side by side. Types only. */
import type { ExecutionDefinition } from '../layers/executions/definition.ts';
import type { TimeRange } from './range.ts';

export interface RecordingLine extends TimeRange {
  /** Name of its folder. */
  readonly name: string;
  /** ns of all threads: with a CPU, ready without one, blocked without being interruptible, mostly by a disk. */
  readonly cpuNs: number;
  readonly readyNs: number;
  readonly blockedNs: number;
  /** Absent: no events say what an execution is, or there are too many of them. */
  readonly executions?: {
    readonly count: number;
    readonly totalNs: number;
    readonly longestNs: number;
  };
}

export interface RecordingsAnswer {
  /** Recordings in order of time; empty: there is only one. */
  readonly recordings: readonly RecordingLine[];
  /** Executions that are counted. */
  readonly definition?: ExecutionDefinition;
}
