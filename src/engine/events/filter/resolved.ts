/** Filters as they apply to a trace: plain data, part of the id of the analysis that counts matches. */
import type { HostNs } from '../../base/units.ts';
import type { Compare } from './filter.ts';

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
  /** Names of events. */
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
