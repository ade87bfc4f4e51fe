/** Waits as long as a test may take: what is waited for comes, and a busy machine only takes longer. */
import { vi } from 'vitest';
import { unpackRows } from '../../src/engine/answers/rows/row-columns.ts';
import type { RowInfo } from '../../src/engine/protocol/rows.ts';
import type { SessionUpdate } from '../../src/engine/protocol/session.ts';

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

/** All rows of a session, once one is such a row: those of layers come by themselves. */
export function rowsWith(
  { updates }: { readonly updates: readonly SessionUpdate[] },
  isSuch: (row: RowInfo) => boolean,
): Promise<RowInfo[]> {
  return until(() => {
    const columns = updates.findLast(({ rows }) => rows !== undefined)?.rows;
    const rows = columns === undefined ? [] : unpackRows(columns);
    return rows.some(isSuch) && rows;
  });
}
