/** A statistic ready to be printed. */
export interface Statistic {
  readonly json: unknown;
  /** For people. */
  print(): void;
}
