/** What `inspect symbols` prints against the goldens: an independent computation by the same rules. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { executionGoldensOfTier, goldenCommands, goldenDifferences } from '../support/execution-goldens.ts';
import { inspectJson } from '../support/inspect-run.ts';
import { sharedDir } from '../support/shared.ts';

const SHARED = sharedDir();

describe.skipIf(SHARED === undefined)('modules, functions and lines against the goldens', () => {
  const commands = executionGoldensOfTier()
    .flatMap((name) => goldenCommands(name, 'symbols'))
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
