/**
 * Filters of events: the meaning of a text in the filter language, before the trace's events are known; and its form
 * for a trace, as plain data that are part of the id of the analysis that counts matches.
 */
import type { HostNs } from '../../base/units.ts';

export type Compare = '=' | '!=' | '<' | '<=' | '>' | '>=';

/** A place in the text of a filter, in UTF-16 units. */
export interface TextPlace {
  readonly at: number;
  readonly length: number;
}

export interface Literal extends TextPlace {
  readonly text: string;
  /** Whether it was quoted, and so is a text, never a number. */
  readonly isQuoted: boolean;
}

/**
 * A field, or a property of every event (name, cpu, host, time, tid, pid, thread, process), compared with values, of
 * which one must match (`in`).
 */
export interface FieldTest extends TextPlace {
  readonly kind: 'field';
  readonly field: string;
  readonly compare: Compare;
  readonly values: readonly Literal[];
}

/** The event's name or one of its text fields contains the text; the case of ASCII letters is ignored. */
interface TextTest extends TextPlace {
  readonly kind: 'text';
  readonly text: string;
}

export type Filter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Filter[] }
  | { readonly kind: 'not'; readonly part: Filter }
  | FieldTest
  | TextTest;

export interface FilterProblem extends TextPlace {
  /** Sentence about what is wrong. */
  readonly message: string;
}

export interface Value {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** A field of some event classes; which values match an integer with labels differs by class. */
export interface FieldNode {
  readonly kind: 'field';
  readonly name: string;
  readonly only?: 'payload' | 'context';
  readonly compare: Compare;
  readonly values: readonly Value[];
}

/** Where threads of a host ran, from the kernel trace. */
export interface HostThreads {
  /** HostNs: begin and end of each interval on the CPU, ascending. */
  readonly cpus: readonly { readonly cpu: number; readonly times: readonly HostNs[] }[];
  /** Their tids, each with the times (HostNs) from when to when. */
  readonly lives: readonly (readonly [tid: number, from: HostNs, to: HostNs])[];
  /** Whether threads may have other numbers in pid namespaces. */
  readonly isNested: boolean;
}

/** Threads as contexts of programs name them, by the keys of `density/thread-events`. */
export interface LaneNode {
  readonly kind: 'lanes';
  /** Whether events of the threads with these keys, of all other threads, or of none are accepted. */
  readonly of: 'these' | 'others' | 'none';
  /** Sorted as in `density/lanes`. */
  readonly keys: readonly number[];
  /** Pid of the process that the whole trace belongs to, by trace; -1: several. */
  readonly pids: readonly number[];
}

export type ResolvedFilter =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly ResolvedFilter[] }
  | { readonly kind: 'not'; readonly part: ResolvedFilter }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | { readonly kind: 'cpus'; readonly compare: Compare; readonly values: readonly number[] }
  /** Indices of hosts. */
  | { readonly kind: 'hosts'; readonly hosts: readonly number[] }
  /** Intervals by host: HostNs, half-open. */
  | { readonly kind: 'times'; readonly hosts: readonly (readonly [from: HostNs, to: HostNs])[] }
  /** Threads by host; null: the host has no kernel trace, and contexts of events name their threads. */
  | {
      readonly kind: 'threads';
      readonly hosts: readonly (HostThreads | null)[];
      readonly otherwise: FieldNode;
    }
  | LaneNode
  | FieldNode
  | { readonly kind: 'text'; readonly text: string };

/** @param values for `=` one must match, for `!=` none; other comparisons have one value */
export function comparesNumber(value: number, compare: Compare, values: readonly number[]): boolean {
  switch (compare) {
    case '=':
      return values.includes(value);
    case '!=':
      return !values.includes(value);
    case '<':
      return value < values[0];
    case '<=':
      return value <= values[0];
    case '>':
      return value > values[0];
    case '>=':
      return value >= values[0];
  }
}
