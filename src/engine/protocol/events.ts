/** Requests and answers about events as a table. Types only. */
import type { EventKind } from '../trace/event-kinds.ts';
import type { DisplayNs } from '../base/units.ts';
import type { FilterProblem } from '../events/filter/filter.ts';
import type { ScopeFields } from '../export/event-fields.ts';
import type { FieldTexts } from '../export/canonical.ts';
import type { TimeRange } from './range.ts';
import type { BucketsRequest } from './rows.ts';
import type { ThreadLink } from './threads.ts';

export interface EventSet {
  /** Filter in the filter language (`events/filter/parse.ts`); '': all. */
  readonly filter: string;
  /** Range that `sel` in the filter stands for. */
  readonly selection?: TimeRange;
  /** Id of a row: those that it stands for, of a CPU or of event density; others stand for none, and all count. */
  readonly row?: string;
}

export interface EventCount {
  /** The filter means nothing: there are no events. */
  readonly problem?: FilterProblem;
  /** So far. */
  readonly total: number;
  /** All packets were looked through. */
  readonly isWhole: boolean;
}

export interface EventRowsRequest extends EventSet {
  /** Number of the first row; with `atNs` counted from the first one at that time or later, of all. */
  readonly first: number;
  readonly atNs?: DisplayNs;
  readonly count: number;
}

export interface EventRowsAnswer extends EventCount {
  /** Rows from `first` on. */
  readonly rows: readonly EventRow[];
}

export interface EventRow extends EventLine {
  readonly place: EventPlace;
  /** Thread in which it happened, as far as that is known. */
  readonly thread?: EventThreadInfo;
}

export interface EventThreadInfo extends ThreadLink {
  /** Name of its process, and number; -1: not known, and the thread stands for it. */
  readonly process: string;
  readonly pid: number;
}

/** An event of an open experiment. */
export interface EventPlace {
  readonly trace: number;
  readonly stream: number;
  readonly file: number;
  readonly packet: number;
  /** Number within the packet. */
  readonly event: number;
}

/** All that an event says; a scope that it does not have has no fields. */
export interface EventDetails extends Readonly<Record<EventScope, ScopeFields>> {
  readonly bytes: EventBytes;
}

/** `common` is the context of all events of the stream. */
export type EventScope = 'payload' | 'context' | 'common' | 'header' | 'packet' | 'packetHeader';

/** Header, contexts and payload, as they lie in the file. Where they do not begin or end at a byte all of it is there. */
export interface EventBytes {
  /** Bytes from the file's begin. */
  readonly offset: number;
  readonly length: number;
  /** The first ones. */
  readonly bytes: Uint8Array;
}

export interface EventDensityRequest extends EventSet, BucketsRequest {}

/** Events of a set in each bucket, where a host has some. */
export interface HostMatches {
  readonly host: number;
  readonly counts: Float32Array;
}

export interface EventRowAtRequest extends EventSet {
  readonly timeNs: DisplayNs;
  /** Where no event lies before it, the first one of all is meant. */
  readonly untilNs?: DisplayNs;
}

export interface EventSearchAnswer extends EventCount {
  /** Why not everything was read. */
  readonly faults: number;
}

/** Events that one host recorded, or was asked to record. */
export interface RecordedEvents {
  readonly host: number;
  /** First event of each group of which the host has none, for each list of groups that was asked about. */
  readonly missing: readonly (readonly string[])[];
  /** Names of all event classes. */
  readonly names: readonly string[];
}

/** Lists of groups of kinds: each group needs one of its own. */
export interface RecordedRequest {
  readonly needs: readonly (readonly (readonly EventKind[])[])[];
}
export interface EventLine {
  readonly timeNs: DisplayNs;
  readonly host: number;
  readonly stream: string;
  /** -1: the stream does not say. */
  readonly cpu: number;
  readonly name: string;
  /** Canonical text, but for numbers, which are written to be read. */
  readonly fields: FieldTexts;
}
