/** Findings that stand out in a trace, and recordings of one machine side by side, as they are answered. Types only. */
import type { StatisticName } from '../answers/statistics/tables.ts';
import type { DisplayNs } from '../base/units.ts';
import type { PathCriterion } from './paths.ts';
import type { ExecutionDefinition } from '../layers/executions/definition.ts';
import type { TimeRange } from './range.ts';

export type Severity = 'recording' | 'stuck' | 'time' | 'overview';

/** Words, and the numbers between them, so that each view chooses their form. Names are as the trace has them. */
export type SentencePart = string | Quantity;

export interface Quantity {
  /** `ns`: a length of time; `share`: 0 to 1. */
  readonly kind: 'ns' | 'share' | 'count';
  readonly value: number;
}

/** Kinds of names, by which numbers stand for them where names are left out: `thread 3`. */
export type NameKind =
  | 'thread'
  | 'program'
  | 'host'
  | 'recording'
  | 'lock'
  | 'disk'
  | 'function'
  | 'interrupt'
  | 'cause'
  | 'packets';

/** A name as the trace has it. */
export interface Name {
  readonly kind: NameKind;
  readonly text: string;
}

/** Part of a sentence that tells names from words. */
export type NamedPart = SentencePart | Name;

/** Part of the page that shows a finding: a tab, and what is chosen in it. */
export type FindingPlace =
  | { readonly tab: 'info' | 'sync' | 'recordings' }
  | { readonly tab: 'statistics'; readonly section: StatisticName }
  | {
      readonly tab: 'path';
      /** Id of a thread's row. */
      readonly row: string;
      /** undefined: its life. */
      readonly range?: TimeRange;
      readonly criterion: PathCriterion;
    }
  | { readonly tab: 'compare'; readonly definition: ExecutionDefinition }
  | {
      readonly tab: 'locks';
      /** Id of a lock that is chosen there. */
      readonly lock?: string;
      /** A thread that waits, and when; undefined: the tab alone. */
      readonly wait?: { readonly row: string; readonly range: TimeRange; readonly at: DisplayNs };
    };

export interface Finding {
  /** Id of its rule. */
  readonly rule: string;
  /** Title of its subject, in two or three words. */
  readonly title: string;
  readonly severity: Severity;
  readonly sentence: readonly SentencePart[];
  /** 0 to 1: of what is in the sentence. */
  readonly share: number;
  /** Time of threads that it is about, of all of them together; of the recording, time of the trace. */
  readonly ns: number;
  readonly place: FindingPlace;
}

/** Findings of a rule that are only added up. */
export interface RestOfFindings {
  /** Noun for one of them, as `lock`. */
  readonly noun: string;
  readonly count: number;
  readonly ns: number;
}

/** Rules are asked one after the other, so that what is known first is shown first. */
export interface SummaryRequest {
  /** Number of a rule, from 0 on. */
  readonly rule: number;
}

export interface SummaryAnswer {
  /** How many rules there are. */
  readonly rules: number;
  /** Findings of this rule, most severe first. */
  readonly findings: readonly Finding[];
  /** Findings that are added up instead of shown; undefined: none. */
  readonly rest?: RestOfFindings;
  /** Sentence on what was not looked at; undefined: nothing was left out. */
  readonly leftOut?: string;
  /** undefined: all events that the rule needs were recorded. */
  readonly missing?: MissedFindings;
}

/** Events that were not recorded, or of some hosts only, without which a rule may miss findings, or all. */
export interface MissedFindings {
  readonly rule: string;
  readonly title: string;
  /** First names of the events. */
  readonly events: readonly string[];
}

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
