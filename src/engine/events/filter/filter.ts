/**
 * Filters of events: what a text in the filter language means, before it is known which events a trace has; and how it
 * applies to a trace, as plain data that are part of the id of the analysis that counts matches.
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
  /** Whether it is in quotes: a text, never a number. */
  readonly isQuoted: boolean;
}

/** A field, or what is known of every event (name, cpu, host, time, tid, pid, thread, process), compared with values: one of them is enough (`in`). */
export interface FieldTest extends TextPlace {
  readonly kind: 'field';
  readonly field: string;
  readonly compare: Compare;
  readonly values: readonly Literal[];
}

/** The event's name or one of its text fields contains the text, whatever the case of ASCII letters. */
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

/** A field of some event classes; which values an integer with names may have is known by class. */
export interface FieldNode {
  readonly kind: 'field';
  readonly name: string;
  readonly only?: 'payload' | 'context';
  readonly compare: Compare;
  readonly values: readonly Value[];
}

/** Where threads of a host ran, by the kernel's trace. */
export interface HostThreads {
  /** HostNs: begin and end of each interval on the CPU, ascending. */
  readonly cpus: readonly { readonly cpu: number; readonly times: readonly HostNs[] }[];
  /** Their numbers, each from when to when (HostNs). */
  readonly lives: readonly (readonly [tid: number, from: HostNs, to: HostNs])[];
  /** Threads may have other numbers in namespaces. */
  readonly isNested: boolean;
}

/** Threads as the contexts of programs name them, in the keys of `density/thread-events`. */
export interface LaneNode {
  readonly kind: 'lanes';
  /** Events of the threads that have these keys, of all other threads, or of none. */
  readonly of: 'these' | 'others' | 'none';
  /** Sorted as `density/lanes` has it. */
  readonly keys: readonly number[];
  /** Process that all of a trace is of, by trace; -1: none. */
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
  /** Threads by host; null: it has no kernel trace, and contexts of the events tell their threads. */
  | {
      readonly kind: 'threads';
      readonly hosts: readonly (HostThreads | null)[];
      readonly otherwise: FieldNode;
    }
  | LaneNode
  | FieldNode
  | { readonly kind: 'text'; readonly text: string };

/** @param values one of them is enough for `=`, none may be it for `!=`; others have one */
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
