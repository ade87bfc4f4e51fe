/**
 * The two tiers of tests. `npm run test:deep` runs everything; `npm test` leaves out files named `*.deep.test.ts`, and
 * tries less of what takes long in others.
 */

/** Whether this is the deep tier. */
export const DEEP = process.env.DEEP === '1';

/** Every value in the deep tier, else every tenth, and at least one: whatever stands at their places. */
export function everyTenth<T>(values: readonly T[]): readonly T[] {
  const first = Math.min(5, values.length - 1);
  return DEEP ? values : values.filter((_, i) => i % 10 === first);
}
