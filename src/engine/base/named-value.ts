/** A record on its way to a store: what of a trace is kept under which name. */
export interface NamedValue {
  /** Unique within the trace. */
  readonly name: string;
  /** Structured-cloneable. */
  readonly value: unknown;
  /** Its reader checks it itself, part by part: the store need not. */
  readonly isChecked?: true;
}
