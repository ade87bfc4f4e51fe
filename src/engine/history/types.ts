/**
 * The state history: attributes over time, in self-contained segments with summaries and levels of detail. It knows no
 * domain: a `ValueScheme` gives values their meaning.
 */
import type { LogRows } from '../base/tables.ts';
import type { HostNs } from '../base/units.ts';
import type { SharedHistory } from './shared-history.ts';

/**
 * Id of a history of a host: its analysis's id, with settings. Each history numbers its attributes and texts by itself.
 */
export type HistoryId = string;
export type AttributeId = number;
/** Kinds of attributes; values of kind `id` are drawn as themselves: which lock, which stack, which holder. */
export type AttributeKind = 'state' | 'id' | 'integer' | 'string' | 'duration';

export interface Attribute {
  readonly id: AttributeId;
  /** Segments of the path: ['threads', '1234', 'state']. */
  readonly path: readonly string[];
  readonly kind: AttributeKind;
}

/**
 * Attributes of all things of one kind, such as the state of each thread. A history gives them only numbers, which
 * their maker keeps: there are hundreds of thousands, and nobody looks one up by path.
 */
export interface AttributeFamily {
  readonly kind: AttributeKind;
  /** The path that the member for these two numbers would have. */
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
  /** Tables for compiled reducers that write into them directly; undefined: they may not. */
  readonly shared?: SharedHistory;
  attribute(path: readonly string[], kind: AttributeKind): AttributeId;
  /** Announces a family; returns its number. */
  family(family: AttributeFamily): number;
  /** Adds a member of a family, for these two numbers; called once for each. */
  member(family: number, first: number, second: number): AttributeId;
  /** Index of an interned text. */
  string(text: string): number;
  /** Sets the time of the following calls. */
  moveTo(time: HostNs): void;
  /** Gives the attribute `value` from now on; the first call begins its life. */
  set(attribute: AttributeId, value: number): void;
  /**
   * Sets the value `past` of the interval that ends now (the same state, now with its cause) from its begin on, even in
   * sealed segments, which get a patch; then `value` begins.
   */
  settle(attribute: AttributeId, past: number, value: number): void;
  /** Ends the attribute's life (no value until the next `set`). */
  end(attribute: AttributeId): void;
  /** Takes over rows of a log that reducers write beside the history, in order; undefined: reducers keep them. */
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
  /** Cause code of a blocked value for drawing (see `DRAW_CODES`), 0: none. */
  causeOf(value: number): number;
}

/** `running`: in a mode that is not known. */
const GROUPS = ['user', 'kernel', 'interrupted', 'runnable', 'blocked', 'unknown', 'guest', 'running'];
export const GROUP_NONE = 255;
export const GROUP_COUNT = GROUPS.length;
export const GROUP_BLOCKED = GROUPS.indexOf('blocked');
export const GROUP_UNKNOWN = GROUPS.indexOf('unknown');
/** Groups of a thread that is on a CPU. */
export const ON_CPU_GROUPS = ['user', 'kernel', 'interrupted', 'guest', 'running'].map((name) =>
  GROUPS.indexOf(name),
);
/** States are the low four bits of a value. */
export const STATES = 16;
