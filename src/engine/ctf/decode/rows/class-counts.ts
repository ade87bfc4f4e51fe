/** Counts of each event class in a chunk (`rows.ts`). */
import type { ClassCounts } from './rows.ts';

export function createCounts(classes: number): ClassCounts {
  return {
    events: new Float64Array(classes),
    bits: new Float64Array(classes),
    first: new Float64Array(classes).fill(Number.NaN),
    last: new Float64Array(classes).fill(Number.NaN),
  };
}
