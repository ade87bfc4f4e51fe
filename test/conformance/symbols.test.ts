/** What `inspect symbols` prints against the goldens: an independent computation by the same rules. */
import { describe, expect, test } from 'vitest';
import { executionGoldens, goldenCommands, goldenDifferences } from '../support/execution-goldens.ts';
import { inspectJson } from '../support/inspect-run.ts';
import { testEach } from '../support/known-gaps.ts';
import { sharedDir } from '../support/shared.ts';

const commands = new Map(
  executionGoldens()
    .flatMap((name) => goldenCommands(name, 'symbols'))
    .map((each) => [each.line, each]),
);

describe.skipIf(sharedDir() === undefined)('modules, functions and lines against the goldens', () => {
  test('there are goldens', () => {
    expect(commands.size).toBeGreaterThan(0);
  });

  testEach('symbols', [...commands.keys()], checkOutput);
});

async function checkOutput(line: string): Promise<void> {
  const { args = [], output } = commands.get(line) ?? {};
  expect(goldenDifferences(output, await inspectJson(...args))).toEqual([]);
}
