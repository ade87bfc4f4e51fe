/** How numbers that are known of every event are compared. */
import type { Compare } from './filter.ts';

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
