/** What `inspect profile` prints of threads and paths against the goldens: an independent computation by the same rules. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { executionGoldensOfTier, goldenCommands, goldenDifferences } from '../support/execution-goldens.ts';
import { inspectJson } from '../support/inspect-run.ts';
import { sharedDir } from '../support/shared.ts';

const SHARED = sharedDir();

describe.skipIf(SHARED === undefined)('profiles against the goldens', () => {
  const commands = executionGoldensOfTier()
    .flatMap((name) => goldenCommands(name, 'profile'))
    .map(({ args, output }) => ({ line: args.join(' '), args, output }));

  test('there are goldens', () => {
    expect(commands.length).toBeGreaterThan(0);
  });

  test.each(commands)('$line', { timeout: 120_000 }, async ({ args, output }) => {
    const [command, trace, ...options] = args;
    const found = await inspectJson(command, join(SHARED ?? '', 'traces', trace), ...options);
    expect(goldenDifferences(output, found)).toEqual([]);
  });
});
