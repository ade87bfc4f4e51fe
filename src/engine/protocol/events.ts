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
  /**
   * Id of a row: only its events, for rows of a CPU or of event density; other rows stand for no events, and all count.
   */
  readonly row?: string;
}

export interface EventCount {
  /** Why the filter is invalid: then there are no events. */
  readonly problem?: FilterProblem;
  /** Number of events so far. */
  readonly total: number;
  /** Whether all packets were read. */
  readonly isWhole: boolean;
}

export interface EventRowsRequest extends EventSet {
  /** Index of the first row: among those at `atNs` or later, or among all. */
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
  /** Thread in which it happened, if known. */
  readonly thread?: EventThreadInfo;
}

export interface EventThreadInfo extends ThreadLink {
  /** Name and pid of its process; -1: not known, and the thread stands for it. */
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

/** All fields of an event; a scope that the event does not have is empty. */
export interface EventDetails extends Readonly<Record<EventScope, ScopeFields>> {
  readonly bytes: EventBytes;
}

/** `common` is the context of all events of the stream. */
export type EventScope = 'payload' | 'context' | 'common' | 'header' | 'packet' | 'packetHeader';

/** Header, contexts and payload as in the file. If they do not begin or end at a byte, the whole bytes are included. */
export interface EventBytes {
  /** Bytes from the file's begin. */
  readonly offset: number;
  readonly length: number;
  /** The first bytes. */
  readonly bytes: Uint8Array;
}

export interface EventDensityRequest extends EventSet, BucketsRequest {}

/** Events of a set in each bucket, for a host that has some. */
export interface HostMatches {
  readonly host: number;
  readonly counts: Float32Array;
}

export interface EventRowAtRequest extends EventSet {
  readonly timeNs: DisplayNs;
  /** End of the range; if no event lies before it, the first event of all is meant. */
  readonly untilNs?: DisplayNs;
}

export interface EventSearchAnswer extends EventCount {
  /** Number of faults because of which not everything was read. */
  readonly faults: number;
}

/** Events that one host recorded, or was asked to record. */
export interface RecordedEvents {
  readonly host: number;
  /** First event of each group of which the host has none, for each list of groups in the request. */
  readonly missing: readonly (readonly string[])[];
  /** Names of all event classes. */
  readonly names: readonly string[];
}

/** Lists of groups of kinds of events: of each group one kind is needed. */
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
  /** Canonical text, except that numbers are written for people. */
  readonly fields: FieldTexts;
}
