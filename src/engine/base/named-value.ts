/** A record on its way to a store: what of a trace is kept under which name. */
export interface NamedValue {
  /** Unique within the trace. */
  readonly name: string;
  /** Structured-cloneable. */
  readonly value: unknown;
  /** Present: the reader checks the value itself, part by part, and the store need not. */
  readonly isChecked?: true;
}
