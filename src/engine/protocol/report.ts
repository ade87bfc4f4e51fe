/** A report on a trace as data, written as JSON (docs/report-schema.json), HTML or Markdown. Times: ns since begin. */
import type { TimeRange } from './range.ts';
import type { NamedPart, RestOfFindings, Severity } from './summary.ts';
import type { ExecutionDefinition } from '../layers/executions/definition.ts';
import type { LABELS } from '../graph/path-codes.ts';
import type { Saving, WhatIfGroupLine, WhatIfKind } from './what-if.ts';

/** Version of the JSON: raised when a field changes its meaning or is removed. */
export const REPORT_VERSION = 1;

export const REPORT_FORMATS = ['html', 'markdown', 'json'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export interface ReportRequest {
  /** Address of a page that links lead to; undefined: there are none. */
  readonly page?: string;
  /** Fingerprint of the trace. */
  readonly trace: string;
  /** Shown name of the trace. */
  readonly name: string;
  /** Address that the trace was fetched from. */
  readonly url?: string;
  /** Whether numbers replace names; then the only texts from the trace are names of events and calls. */
  readonly withoutNames?: boolean;
  /** Executions to measure; default: those that are most likely requests. */
  readonly executions?: ExecutionDefinition;
}

export interface Report {
  readonly wakepath: 'report';
  readonly version: typeof REPORT_VERSION;
  readonly withoutNames: boolean;
  readonly recorded: Recorded;
  /** Most severe first. */
  readonly findings: readonly ReportFinding[];
  /** Findings that are only added up. */
  readonly rest: readonly RestOfFindings[];
  readonly executions?: ReportExecutions;
  readonly whatIf?: ReportWhatIf;
  /** Savings of the slow executions, where the durations set some apart. */
  readonly whatIfSlow?: ReportGroupWhatIf;
  /** Sentences on what was lost, is unknown, or was not looked at. */
  readonly unknown: readonly (readonly NamedPart[])[];
  readonly conditions: readonly CheckedCondition[];
}

interface Recorded {
  readonly name: string;
  /** Fingerprint. */
  readonly trace: string;
  /** Link to the trace. */
  readonly link?: string;
  /** UTC of the first event; absent: no clock is absolute. */
  readonly began?: string;
  readonly lengthNs: number;
  readonly events: number;
  readonly lostEvents: number;
  /** Lost with an unknown number of events. */
  readonly lostPackets: number;
  readonly hosts: readonly {
    readonly name: string;
    readonly recorder: string;
    readonly cpus: number;
    readonly events: number;
    readonly from: number;
    readonly to: number;
  }[];
}

export interface ReportFinding {
  /** Id of its rule. */
  readonly rule: string;
  readonly title: string;
  readonly severity: Severity;
  readonly sentence: readonly NamedPart[];
  /** The sentence as text. */
  readonly text: string;
  readonly share: number;
  readonly ns: number;
  readonly link?: string;
  readonly pictures: readonly ReportPicture[];
}

export type ReportPicture = PathPicture | MatrixPicture | HistogramPicture;

/** Critical path of a thread over time. */
export interface PathPicture extends TimeRange {
  readonly kind: 'path';
  /** Part of the thread's time. */
  readonly during: 'life' | 'longest wait' | 'longest execution';
  /** Workers by time on the path, the thread studied first; others are one. */
  readonly workers: readonly { readonly name: string; readonly ns: number }[];
  /** Pieces in order of time; where they are too many to draw, the state that most of each column was in. */
  readonly pieces: readonly (TimeRange & { readonly worker: number; readonly state: PathState })[];
  /** Sums of all segments, most first. */
  readonly sums: readonly { readonly worker: number; readonly state: PathState; readonly ns: number }[];
}

export type PathState = (typeof LABELS)[number];

/** Time that threads (rows) waited for each other (columns) for a lock. */
export interface MatrixPicture {
  readonly kind: 'matrix';
  readonly lock: string;
  readonly waiters: readonly string[];
  readonly holders: readonly string[];
  /** Cells, row by row. */
  readonly ns: readonly (readonly number[])[];
}

/** Durations of executions. */
export interface HistogramPicture {
  readonly kind: 'histogram';
  /** Bins of equal width on a logarithmic scale. */
  readonly bins: readonly (TimeRange & { readonly count: number; readonly slow: number })[];
}

/** Executions of a definition. */
export interface ReportExecutions extends MetricSums {
  /** Names of events. */
  readonly begin: string;
  readonly end: string;
  readonly count: number;
  /** Absent if a finding has it. */
  readonly histogram?: HistogramPicture;
  readonly metrics: readonly (MetricSums & { readonly name: string; readonly unit: 'ns' | '' })[];
}

/** Percentiles are measured values: number ⌈p / 100 · n⌉ in ascending order. */
export interface MetricSums {
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

export interface ReportWhatIf {
  readonly thread: string;
  /** Part of the thread's time that was replayed. */
  readonly during: PathPicture['during'];
  /** ns that it took. */
  readonly ns: number;
  /** Best first. */
  readonly changes: readonly {
    readonly kind: WhatIfKind;
    readonly what: readonly NamedPart[];
    readonly ns: number;
    /** Saving where it takes half as long. */
    readonly half: Saving;
    readonly gone: Saving;
  }[];
}

/** Savings of executions on average, each changed thing half as long. */
export interface ReportGroupWhatIf {
  readonly executions: number;
  readonly replayed: number;
  /** Median duration of those replayed, ns. */
  readonly median: number;
  /** Best first. */
  readonly changes: readonly (Pick<WhatIfGroupLine, 'kind' | 'gain' | 'mean' | 'median'> & {
    readonly what: readonly NamedPart[];
  })[];
}

export interface CheckedCondition {
  readonly condition: string;
  readonly outcome: 'met' | 'not met' | 'unknown';
  /** Measured value, or its lower bound where it is not known exactly; absent: not known. */
  readonly value?: number;
  /** Unit of the value; shares are from 0 to 1. */
  readonly unit: 'ns' | 'share' | '';
  /** Metrics that requests have, if the condition asks for another one; absent: it does not. */
  readonly metrics?: readonly string[];
}
