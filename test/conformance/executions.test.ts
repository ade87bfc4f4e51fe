/**
 * What `inspect executions` prints against the goldens: an independent computation by the same rules.
 * One golden: `npx vitest run test/conformance/executions -t executions-lock`.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { executionGoldenNames, goldenCommands, goldenDifferences } from '../support/execution-goldens.ts';
import { inspectJson } from '../support/inspect-run.ts';
import { sharedDir } from '../support/shared.ts';

const TRACES = join(sharedDir() ?? '', 'traces');

/** A golden's arguments name traces below the folder of traces. */
function withPaths([command, trace, ...options]: readonly string[]): string[] {
  const paths = options.map((text, i) => (options[i - 1] === '--against' ? join(TRACES, text) : text));
  return [command, join(TRACES, trace), ...paths];
}

const commands = executionGoldenNames().flatMap((name) =>
  goldenCommands(name, 'executions').map(({ args, output }) => ({ name: args.join(' '), args, output })),
);

describe.skipIf(sharedDir() === undefined)('executions against the goldens', () => {
  test('there are goldens', () => {
    expect(commands.length).toBeGreaterThan(0);
  });

  test.each(commands)('$name', { timeout: 120_000 }, async ({ args, output }) => {
    expect(goldenDifferences(output, await inspectJson(...withPaths(args)))).toEqual([]);
  });
});
