/** Requests and answers on what would help a thread. Types only. */
import type { TimeRange } from './range.ts';
import type { NamedPart } from './summary.ts';

/**
 * Kinds of changes: of waits for a lock; of waits at a futex of which no events tell what it is; of the running time of a
 * thread, of all threads of a program, of a system call, of a function with all that it calls, of a function without that;
 * of waits for a CPU, of all or of a thread; of waits for a CPU that a thread had; of the time of requests at a disk, of packets
 * on their way; of sleeps and other waits that a timer ended, of all or of a thread; of interrupts, likewise.
 */
export const WHAT_IF_KINDS = [
  'lock',
  'futex',
  'thread',
  'program',
  'call',
  'function',
  'function-self',
  'cpu',
  'cpu-taken',
  'disk',
  'network',
  'timer',
  'interrupt',
] as const;

export type WhatIfKind = (typeof WHAT_IF_KINDS)[number];

export interface WhatIfTarget {
  readonly kind: WhatIfKind;
  /** Name in output of the lock, futex (address), thread (tid), program, system call, function or disk; '': all there is. */
  readonly name: string;
}

export interface WhatIfRequest {
  /** Id of a thread's row. */
  readonly row: string;
  /** Default: the life of the thread. */
  readonly range?: TimeRange;
  /** Default: all that would help, best first. */
  readonly target?: WhatIfTarget;
  /** Names that the reader gave to locks, by id. */
  readonly lockNames?: ReadonlyMap<string, string>;
  /** How long what is changed takes, as a share of what it took: 0 it is gone, 2 twice as long. */
  readonly factor: number;
}

/** ns by which the range gets shorter; below 0: longer. `careful`: waits for a CPU, and ends of timers' sleeps, stay. */
export interface Saving {
  readonly careful: number;
  readonly hopeful: number;
}

export interface WhatIfLine extends WhatIfTarget {
  /** Name for people: "worker-0 256". */
  readonly label: readonly NamedPart[];
  /** ns that it takes in all that is replayed. */
  readonly ns: number;
  readonly saved: Saving;
  readonly gone: Saving;
}

/** A share of the critical path after the change. */
interface WhatIfLimit {
  readonly text: string;
  readonly ns: number;
}

/** A critical path as a lane: neighbouring segments too short to be drawn are parts of the longest of them. */
export interface WhatIfLane {
  /** ns. */
  readonly length: number;
  readonly segments: readonly {
    /** Name of the worker, and what it does: "imb-80", "runs". */
    readonly worker: string;
    readonly text: string;
    /** It is the thread studied. */
    readonly isOwn: boolean;
    /** RUNNING … NETWORK. */
    readonly label: number;
    /** Cause of a wait, CAUSE_*. */
    readonly cause: number;
    /** ns since the begin. */
    readonly from: number;
    readonly to: number;
  }[];
}

export interface WhatIfAnswer extends TimeRange {
  readonly factor: number;
  /** The target, or all that saves at least 1 % when it is gone, by careful saving. */
  readonly lines: readonly WhatIfLine[];
  /** Shares of the critical path after the change of one target, by the careful replay, most first. */
  readonly limits: readonly WhatIfLimit[];
  /** The critical path as it was and after the change, likewise. */
  readonly lanes?: { readonly now: WhatIfLane; readonly then: WhatIfLane };
  /** Threads that are replayed, and signals of others that stay as they were, since there are too many pieces. */
  readonly threads: number;
  readonly leftOut: number;
  /** Where the target is not one: those that its name may mean, else those of the kind with most time. No lines then. */
  readonly choices?: readonly { readonly name: string; readonly label: string }[];
}

/** Savings of a change in the executions of a group, ns. */
export interface WhatIfGroupLine extends WhatIfTarget {
  readonly label: readonly NamedPart[];
  readonly mean: Saving;
  readonly median: Saving;
  /** Median duration after the change. */
  readonly medianThen: Saving;
  /** Executions that gain at least 5 % of their time, carefully. */
  readonly gain: number;
}
