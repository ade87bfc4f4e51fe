/** What the page asks about events as a table, and what it gets. Types only. */
import type { DisplayNs } from '../../base/units.ts';
import type { FilterProblem } from '../../events/filter/filter.ts';
import type { EventLine } from '../api.ts';

/** Which events. */
export interface EventSet {
  /** In the filter language (`events/filter/parse.ts`); '': all. */
  readonly filter: string;
  /** What `sel` stands for. */
  readonly selection?: { readonly from: DisplayNs; readonly to: DisplayNs };
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
  /** Number of the first row. */
  readonly first: number;
  readonly count: number;
}

export interface EventRowsAnswer extends EventCount {
  /** Rows from `first` on. */
  readonly rows: readonly EventRow[];
}

export interface EventRow extends EventLine {
  readonly place: EventPlace;
  /** In which it happened, as far as that is known. */
  readonly thread?: EventThreadInfo;
}

export interface EventThreadInfo {
  /** Id of its row. */
  readonly row: string;
  readonly name: string;
  readonly tid: number;
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

export interface EventRowAtRequest extends EventSet {
  readonly timeNs: DisplayNs;
}

export interface EventSearchAnswer extends EventCount {
  /** Why not everything was read. */
  readonly faults: number;
}
