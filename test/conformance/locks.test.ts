/**
 * What `inspect locks` prints against the goldens: an independent computation by the same rules.
 * One golden: `npx vitest run test/conformance/locks -t memcached`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inspectJson } from '../support/inspect-run.ts';
import { testEach } from '../support/known-gaps.ts';
import {
  lockCaseNames,
  lockDifferences,
  lockGoldenNames,
  lockGoldenTrace,
  readLockGolden,
} from '../support/lock-goldens.ts';
import { goldenFolder, sharedDir } from '../support/shared.ts';

describe('locks against the goldens', () => {
  const names = lockGoldenNames();

  test('there are goldens', () => {
    expect(names.length).toBeGreaterThan(0);
  });

  testEach('locks', names, async (name) => {
    const found = await inspectJson('locks', lockGoldenTrace(name));
    expect(lockDifferences(readLockGolden(name).locks, found)).toEqual([]);
  });

  test.skipIf(sharedDir() === undefined)('those of the cases are those of the shared folder', () => {
    for (const name of lockCaseNames()) {
      const shown = join(goldenFolder('locks', sharedDir() ?? ''), `case-${name}.json`);
      expect(readLockGolden(`case-${name}`), name).toEqual(JSON.parse(readFileSync(shown, 'utf8')));
    }
  });
});
