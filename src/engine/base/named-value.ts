/** A record to be stored: a value of a trace, with its name. */
export interface NamedValue {
  /** Unique within the trace. */
  readonly name: string;
  /** Structured-cloneable. */
  readonly value: unknown;
  /** True: the reader checks the value itself, part by part, and the store need not. */
  readonly isChecked?: true;
}
