/** Golden vectors of the critical path: what deviates does so for a reason that is written down with it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkVectors } from './harness/check-vectors.ts';
import { DEVIATIONS } from './harness/deviations.ts';
import type { VectorFixture } from './harness/fixture.ts';
import { sharedDir } from '../support/shared.ts';

const shared = sharedDir();

/** The fixtures whose expectation follows from our rules, too: none may deviate. */
const FOLLOW = [
  'graph/basic',
  'graph/wakeup_missing',
  'graph/wakeup_new bounded',
  'graph/opened ',
  'graph/wakeup_mutual',
  'graph/wakeup_embedded',
  'graph/wakeup_interleave',
  'graph/nested',
];

describe.skipIf(shared === undefined)('critical path vectors', () => {
  const read = (): readonly VectorFixture[] =>
    JSON.parse(readFileSync(join(shared ?? '', 'golden/critical-path-vectors.json'), 'utf8')).fixtures;

  test('are equal or deviate for a reason', async () => {
    const { passed, failed, deviations } = await checkVectors(read());
    expect(failed).toEqual([]);
    const deviating = deviations.map(({ name }) => name);
    expect(deviating.sort()).toEqual(Object.keys(DEVIATIONS).sort());
    expect(deviating.filter((name) => FOLLOW.some((part) => name.startsWith(part)))).toEqual([]);
    expect(passed).toBe(17);
  });
});
