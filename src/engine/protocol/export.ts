/** Requests of the page to write a file. Types only. */
import type { Fault } from '../base/fault.ts';
import type { TableFormat } from '../export/tables/table-file.ts';
import type { EventSet } from './events.ts';
import type { PathAnswer } from './paths.ts';
import type { ReportFormat, ReportRequest } from './report.ts';
import type { TimeRange } from './range.ts';
import type { ProfileRequest } from './profile.ts';

/** A table in one of the formats of tables, or a file of another format; a path is given by its answer. */
export type ExportRequest = { readonly range?: TimeRange } & (
  | { readonly what: 'events'; readonly format: TableFormat; readonly events: EventSet }
  | { readonly what: 'states' | 'spans'; readonly format: TableFormat }
  | { readonly what: 'path'; readonly format: TableFormat; readonly path: PathAnswer }
  | { readonly what: 'perfetto'; readonly path?: PathAnswer }
  | { readonly what: 'pprof'; readonly profile: ProfileRequest }
  | ({ readonly what: 'report'; readonly format: ReportFormat } & ReportRequest)
  | FindingRequest
);

/** The view of a finding, with the part of the trace that it shows. */
export interface FindingRequest {
  readonly what: 'finding';
  readonly range: TimeRange;
  /** The fragment of a link to the page. */
  readonly link: string;
  /** Notes as the page keeps them: plain data. */
  readonly notes: readonly object[];
  /** Replaces texts of events and of the environment; link and notes are exported as they are. */
  readonly withoutTexts?: boolean;
}

/** How large a part of a trace is. */
export interface CutSize {
  /** Before packing. */
  readonly bytes: number;
  /** NaN: not known. */
  readonly events: number;
}

export interface ExportAnswer {
  /** The file; undefined: there is nothing to write. */
  readonly file?: Blob;
  /** Why there is no file, for a finding. */
  readonly fault?: Fault;
}
