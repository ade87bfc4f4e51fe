/** What the page asks to be written as a file. Types only. */
import type { TableFormat } from '../../export/tables/table-file.ts';
import type { EventSet } from '../events/events-api.ts';
import type { PathAnswer } from '../paths/path-api.ts';
import type { TimeRange } from '../range.ts';
import type { ProfileRequest } from '../stacks/profile-api.ts';

/** A table in one of the forms of tables, or a file of another form; of a path, as it was answered. */
export type ExportRequest = { readonly range?: TimeRange } & (
  | { readonly what: 'events'; readonly format: TableFormat; readonly events: EventSet }
  | { readonly what: 'states' | 'spans'; readonly format: TableFormat }
  | { readonly what: 'path'; readonly format: TableFormat; readonly path: PathAnswer }
  | { readonly what: 'perfetto'; readonly path?: PathAnswer }
  | { readonly what: 'pprof'; readonly profile: ProfileRequest }
);

export interface ExportAnswer {
  /** Undefined: there is nothing to write. */
  readonly file?: Blob;
}
