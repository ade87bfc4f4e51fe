/** What a chunk held of each event class (`rows.ts`). */
import type { ClassCounts } from './rows.ts';

export function createCounts(classes: number): ClassCounts {
  return {
    events: new Float64Array(classes),
    bits: new Float64Array(classes),
    first: new Float64Array(classes).fill(Number.NaN),
    last: new Float64Array(classes).fill(Number.NaN),
  };
}
