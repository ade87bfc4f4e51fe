/** What the statistics of `stats` have in common. */
import { print } from '../output.ts';

/** A statistic ready to be printed. */
export interface Statistic {
  readonly json: unknown;
  /** For people. */
  print(): void;
}

/** Says which events a statistic lacks, given by their first names. */
export function printMissing(missing: readonly string[]): void {
  if (missing.length === 0) return;
  print(`not recorded: ${missing.join(', ')}`);
  print();
}
