/** Filters of events: what a text in the filter language means, before it is known which events a trace has. */

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
