/** Waits as long as a test may take: what is waited for comes, and a busy machine only takes longer. */
import { vi } from 'vitest';

const LIMIT = { timeout: 60_000, interval: 10 };

type Nothing = undefined | null | false | 0 | '';

/** Resolves to the first value that is not false, 0, '' or undefined. */
export function until<T>(check: () => T | Promise<T>): Promise<Exclude<T, Nothing>> {
  return vi.waitUntil(check, LIMIT);
}

/** Resolves when the check throws no more. */
export function untilHolds(check: () => void): Promise<void> {
  return vi.waitFor(check, LIMIT);
}
