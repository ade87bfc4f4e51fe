/**
 * All questions about an open trace, by kind: what is asked, and what is answered (`answers/queries.ts` has the answers).
 * The page asks through its worker (`SessionApi.ask`), the command line asks a trace directly. Types only. Times are
 * display ns, unless said otherwise.
 */
import type { StatisticTables } from '../answers/statistics/columns.ts';
import type { TABLES } from '../answers/statistics/tables.ts';
import type { DisplayNs } from '../base/units.ts';
import type * as events from './events.ts';
import type * as profile from './profile.ts';
import type { EventNames } from '../events/event-names.ts';
import type { IdTile, Tile } from '../history/query-types.ts';
import type { OverlayInfo } from '../layers/overlays/layer.ts';
import type { PlotInfo } from '../layers/plots/layer.ts';
import type { ExecutionProposal, ExecutionsAnswer, ExecutionsRequest } from './executions.ts';
import type { CutSize, ExportAnswer, ExportRequest } from './export.ts';
import type * as locks from './locks.ts';
import type * as paths from './paths.ts';
import type { WhatIfAnswer, WhatIfRequest } from './what-if.ts';
import type { TimeRange } from './range.ts';
import type * as rows from './rows.ts';
import type * as statistics from './statistics.ts';
import type { RecordingsAnswer, SummaryAnswer, SummaryRequest } from './summary.ts';
import type { SyncInfo, SyncRequest } from './sync.ts';
import type { DescriptorRequest, ThreadRequest, ThreadSummary } from './threads.ts';

interface Asked<Request, Answer> {
  readonly request: Request;
  readonly answer: Answer;
}

type Nothing = Record<string, never>;

/** Statistics about a range of some hosts, by the names that queries and the command line have for them. */
type StatisticQueries = {
  readonly [Name in keyof typeof TABLES]: (typeof TABLES)[Name] extends StatisticTables<
    infer Stats,
    infer Request
  >
    ? Asked<Request, Stats>
    : never;
};

interface Queries extends StatisticQueries {
  /** Single delays, calls, requests or interrupts, and how their durations are distributed. */
  readonly occurrences: Asked<statistics.OccurrencesRequest, statistics.Occurrences>;
  /** Accounts of stretches of a CPU's time, in their order. */
  readonly meanwhile: Asked<statistics.MeanwhileRequest, readonly statistics.Meanwhile[]>;
  /** Intervals of rows by attribute, at the level of detail that fits the bucket width. */
  readonly tile: Asked<rows.AttributesRequest, Tile<DisplayNs>>;
  /** Intervals of rows whose values are ids. */
  readonly idTile: Asked<rows.AttributesRequest, IdTile<DisplayNs>>;
  /** Load of a process or host, in ceil((to − from) / bucketNs) buckets; bucket i begins at from + i · bucketNs. */
  readonly load: Asked<rows.AttributesRequest, rows.LoadAnswer>;
  /** Numbers of the first of the attributes, which is a layer's plot. */
  readonly plot: Asked<rows.AttributesRequest, rows.PlotAnswer>;
  /** Plots that are shown or could be; undefined: the trace is being read. */
  readonly plots: Asked<Nothing, PlotInfo | undefined>;
  /** Events per bucket of stream rows: rows × buckets, row after row; buckets as of `load`. */
  readonly density: Asked<rows.DensityRequest, Float32Array>;
  /** Interval of a row at a time, or the one before or after it. */
  readonly interval: Asked<rows.IntervalRequest, rows.IntervalInfo | undefined>;
  /** System call of a thread's row at a time, from entry to return; undefined: it is in none. */
  readonly call: Asked<rows.MomentRequest, rows.IntervalInfo | undefined>;
  /** One thread in a range; undefined: the row is no thread of the kernel's trace. */
  readonly threadSummary: Asked<ThreadRequest, ThreadSummary | undefined>;
  /** Path of the file that a system call is about; undefined: not known. */
  readonly descriptorPath: Asked<DescriptorRequest, string | undefined>;
  /** Display time now of a row's time from before reading ended and the hosts' clocks were known. */
  readonly moved: Asked<rows.MomentRequest, DisplayNs>;
  /** Critical path of a thread; undefined: no such thread, or another path of its criterion was asked for since. */
  readonly path: Asked<paths.PathRequest, paths.PathAnswer | undefined>;
  /** Whether paths may follow waits for locks. */
  readonly lockEvents: Asked<Nothing, paths.LockEvents>;
  /** Parts of the time of a path; undefined: another path of its criterion was asked for since. */
  readonly pathParts: Asked<paths.PathPartsRequest, paths.PackedPathParts | undefined>;
  /** Path in the words of output; undefined: another path of its criterion was asked for since. */
  readonly pathReport: Asked<paths.PathReportRequest, paths.PathReport | undefined>;
  /** Changes that would help a thread; undefined: there is no such thread or target, or the question was given up. */
  readonly whatIf: Asked<WhatIfRequest, WhatIfAnswer | undefined>;
  /** Relations of the hosts' clocks, and virtual machines among the hosts; undefined: packets are being read. */
  readonly sync: Asked<SyncRequest, SyncInfo | undefined>;
  /** Spans that are shown or could be; undefined: the trace is being read. */
  readonly overlays: Asked<Nothing, OverlayInfo | undefined>;
  /** Everything about locks but single waits; undefined: they are being read. */
  readonly locks: Asked<locks.LocksRequest, locks.LocksAnswer | undefined>;
  /** Events that are about locks; undefined: the trace is being read. */
  readonly lockProviders: Asked<Nothing, locks.LockProvidersAnswer | undefined>;
  /** One lock in detail; undefined: there is none of that id. */
  readonly lock: Asked<locks.LockRequest, locks.LockAnswer | undefined>;
  /** Cost of locks on critical paths; undefined: they are being read. */
  readonly lockRanks: Asked<Nothing, readonly locks.LockRank[] | undefined>;
  /** Blocked time by call stacks of each of many times of threads; undefined: no states are known. */
  readonly offCpu: Asked<profile.OffCpuRequest, profile.OffCpuTimes | undefined>;
  /** Locks by place: who asks, holds and lets others in, by call site. */
  readonly lockPlaces: Asked<locks.LockPlacesRequest, locks.LockPlaces | undefined>;
  /** Time for which threads held locks, as a tree; undefined: they are being read. */
  readonly criticalSections: Asked<Nothing, readonly locks.CriticalSectionLine[] | undefined>;
  /** Waits for locks; none while they are being read. */
  readonly lockWaits: Asked<locks.LockWaitsRequest, locks.LockWaitsAnswer>;
  /** Time that threads waited for which locks within ranges; nothing while locks are being read. */
  readonly locksWithin: Asked<locks.LocksWithinRequest, locks.LocksWithin>;
  /** All executions of a definition; undefined: the trace is being read, has no files, or the question was given up. */
  readonly executions: Asked<ExecutionsRequest, ExecutionsAnswer | undefined>;
  /** Time of threads, or of a critical path, by frames; undefined: there is no such thread or path. */
  readonly profile: Asked<profile.ProfileRequest, profile.ProfileAnswer | undefined>;
  /** Call stacks at both ends of a wait; undefined: the thread does not wait then, or no stack is known. */
  readonly waitStacks: Asked<rows.MomentRequest, profile.WaitStacks | undefined>;
  /** Id of the row of the thread with most samples; undefined: none has any. */
  readonly sampledThread: Asked<Nothing, string | undefined>;
  /** Functions known of programs and libraries; undefined: the trace has no call stacks by now. */
  readonly modules: Asked<Nothing, readonly profile.ModuleLine[] | undefined>;
  /** Definitions of executions, the most likely first. Their events are read, unless they were. */
  readonly executionProposals: Asked<Nothing, readonly ExecutionProposal[]>;
  /** Findings of one rule; undefined: the trace is being read. */
  readonly summary: Asked<SummaryRequest, SummaryAnswer | undefined>;
  /** Several recordings of one machine with their numbers; undefined: the trace is being read. */
  readonly recordings: Asked<Nothing, RecordingsAnswer | undefined>;
  /** A part of the trace or its results as a file for other programs. */
  readonly exported: Asked<ExportRequest, ExportAnswer>;
  /** Size of the part of the trace for a range; undefined: its files are not there. */
  readonly cutSize: Asked<{ readonly range: TimeRange }, CutSize | undefined>;
  /** Text of the finding that lies beside the trace; undefined: there is none, or no files. */
  readonly finding: Asked<Nothing, string | undefined>;
  /** Number of all events of a set. */
  readonly eventSearch: Asked<events.EventSet, events.EventSearchAnswer>;
  /** Rows of the events counted so far; those from a time on once all are counted. */
  readonly eventRows: Asked<events.EventRowsRequest, events.EventRowsAnswer>;
  /** Index of the first row at a time or later among the events counted so far; behind them that of the last row. */
  readonly eventRowAt: Asked<events.EventRowAtRequest, number>;
  /** Events of a set over time, once all are counted. */
  readonly eventDensity: Asked<events.EventDensityRequest, readonly events.HostMatches[]>;
  /** All fields of one event; undefined: its packet cannot be read any more. */
  readonly eventDetails: Asked<events.EventPlace, events.EventDetails | undefined>;
  /** Names that a filter can use; none before the metadata are read. */
  readonly eventNames: Asked<Nothing, EventNames>;
  /** Events that the trace may have, without its files too. */
  readonly recorded: Asked<events.RecordedRequest, readonly events.RecordedEvents[]>;
}

export type QueryKind = keyof Queries;
export type RequestOf<K extends QueryKind> = Queries[K]['request'];
export type AnswerOf<K extends QueryKind> = Queries[K]['answer'];
