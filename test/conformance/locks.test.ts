/**
 * What `inspect locks` prints against the goldens: an independent computation by the same rules.
 * One golden: `npx vitest run test/conformance/locks -t memcached`.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspectJson } from '../support/inspect-run.ts';
import { lockDifferences, lockGoldenNames, readLockGolden } from '../support/lock-goldens.ts';
import { sharedDir } from '../support/shared.ts';

const SHARED = sharedDir();

describe.skipIf(SHARED === undefined)('locks against the goldens', () => {
  const names = lockGoldenNames();

  test('there are goldens', () => {
    expect(names.length).toBeGreaterThan(0);
  });

  test.each(names)('%s', { timeout: 120_000 }, async (name) => {
    const golden = readLockGolden(name);
    const found = await inspectJson('locks', join(SHARED ?? '', 'traces', golden.trace));
    expect(lockDifferences(golden.locks, found)).toEqual([]);
  });
});
