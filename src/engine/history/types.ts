/**
 * The state history: attributes over time, gathered into self-contained segments, with summaries and levels of detail.
 * Knows no domain: a `ValueScheme` says what a value means.
 */
import type { LogRows } from '../base/tables.ts';
import type { HostNs } from '../base/units.ts';
import type { SharedHistory } from './shared-history.ts';

/**
 * Distinguishes the histories of a host: the id of the analysis that makes it, with its settings. Each history numbers its
 * attributes and texts by itself.
 */
export type HistoryId = string;
export type AttributeId = number;
/** Values of kind `id` are drawn, each as itself: which lock, which stack, which holder. */
export type AttributeKind = 'state' | 'id' | 'integer' | 'string' | 'duration';

export interface Attribute {
  readonly id: AttributeId;
  /** Segments of the path: ['threads', '1234', 'state']. */
  readonly path: readonly string[];
  readonly kind: AttributeKind;
}

/**
 * Attributes that all things of one sort have, such as the state of each thread. A history gives them numbers alone,
 * which their maker keeps: there are hundreds of thousands, and nobody asks for one by its path.
 */
export interface AttributeFamily {
  readonly kind: AttributeKind;
  /** The path that the attribute of what has these two numbers would have. */
  pathOf(first: number, second: number): readonly string[];
}

/**
 * Where reducers write. The history keeps the current value and its begin for every attribute, drops intervals of
 * length zero and joins equal neighbours. Calls happen at the time moved to last, which never goes back; a
 * time that were an argument of every call would cost an allocation each, since it is no small integer.
 *
 * A value is an integer from 0 to MOST_VALUE. For states the low 4 bits are the state number; what lies above
 * (cause, waker) is the domain's, see `ValueScheme`. A string value is an index from `string()`.
 */
export interface HistorySink {
  /** Tables for compiled reducers, which may write into them; undefined: they may not. */
  readonly shared?: SharedHistory;
  attribute(path: readonly string[], kind: AttributeKind): AttributeId;
  /** Announces a family; returns its number. */
  family(family: AttributeFamily): number;
  /** A new attribute of a family, of what has these two numbers; it is asked for once. */
  member(family: number, first: number, second: number): AttributeId;
  /** Index of an interned text. */
  string(text: string): number;
  /** The next calls happen at `time`. */
  moveTo(time: HostNs): void;
  /** Gives the attribute `value` from now on; the first call begins its life. */
  set(attribute: AttributeId, value: number): void;
  /**
   * The interval that ends now turns out to have had `past` (of states the same one, now with its cause) since its begin,
   * also in segments already sealed; then `value` begins. Sealed intervals get a patch.
   */
  settle(attribute: AttributeId, past: number, value: number): void;
  /** The attribute's life ends now (no value afterwards, until the next `set`). */
  end(attribute: AttributeId): void;
  /** Takes over rows of a log that reducers write beside the history, in order; undefined: they keep them. */
  readonly keepRows?: (log: string, rows: LogRows) => void;
}

/**
 * Rules by which values are summed and drawn, given by the domain for each kind of row ('thread', 'cpu'). Groups are
 * those of `GROUPS`, or none: nothing is drawn.
 */
export interface ValueScheme {
  readonly id: string;
  /** Number of distinct states for summaries: state = value & 15. */
  readonly states: number;
  /** Drawn group of a state, index in `GROUPS`, or GROUP_NONE. */
  groupOf(value: number): number;
  /** Cause code of a blocked value for drawing (see `DRAW_CODES`), 0 where it has none. */
  causeOf(value: number): number;
}

/** `running`: in a mode that is not known. */
const GROUPS = ['user', 'kernel', 'interrupted', 'runnable', 'blocked', 'unknown', 'guest', 'running'];
export const GROUP_NONE = 255;
export const GROUP_COUNT = GROUPS.length;
export const GROUP_BLOCKED = GROUPS.indexOf('blocked');
export const GROUP_UNKNOWN = GROUPS.indexOf('unknown');
/** Groups of a thread that has a CPU. */
export const ON_CPU_GROUPS = ['user', 'kernel', 'interrupted', 'guest', 'running'].map((name) =>
  GROUPS.indexOf(name),
);
/** States are the low four bits of a value. */
export const STATES = 16;
