/** Public traces of others (`real` of the shared folder): what they taught; their digests are in `traces.test.ts`. */
import { describe, test } from 'vitest';
import { expectSound } from '../support/inspect-answers.ts';
import { sharedDir, sharedPath } from '../support/shared.ts';

// Skipped where the folder with recorded traces is not there.
describe.skipIf(sharedDir() === undefined)('real traces', () => {
  test.each(['16-cores-rt', 'picotrace'])('%s holds the invariants of states', async (name) => {
    const path = sharedPath('real', name);
    await expectSound(path);
  });
});
