/**
 * What `inspect executions` prints against the goldens: an independent computation by the same rules.
 * One golden: `npx vitest run test/conformance/executions -t executions-lock`.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { executionGoldensOfTier, goldenCommands, goldenDifferences } from '../support/execution-goldens.ts';
import { inspectJson } from '../support/inspect-run.ts';
import { sharedDir, traceFolders } from '../support/shared.ts';

const TRACES = join(sharedDir() ?? '', 'traces');

/** A golden's arguments name traces below the folder of traces. */
function withPaths([command, trace, ...options]: readonly string[]): string[] {
  const paths = options.map((text, i) => (options[i - 1] === '--against' ? join(TRACES, text) : text));
  return [command, join(TRACES, trace), ...paths];
}

let folder = '';
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'wakepath-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** Of data streams and metadata, without what lies beside a trace. */
function bytesBelow(trace: string): number {
  return traceFolders(trace)
    .flatMap(({ path }) => readdirSync(path, { withFileTypes: true }).map((entry) => ({ entry, path })))
    .filter(({ entry }) => entry.isFile())
    .reduce((sum, { entry, path }) => sum + statSync(join(path, entry.name)).size, 0);
}

const commands = executionGoldensOfTier().flatMap((name) =>
  goldenCommands(name, 'executions').map(({ args, output }) => ({ name: args.join(' '), args, output })),
);

describe.skipIf(sharedDir() === undefined)('executions against the goldens', () => {
  test('there are goldens', () => {
    expect(commands.length).toBeGreaterThan(0);
  });

  test.each(commands.filter(({ args }) => !args.includes('--against')))(
    'as a file of a tenth of the trace at most: $name',
    { timeout: 120_000 },
    async ({ args, output }) => {
      const file = join(folder, 'database');
      const [command, trace, ...options] = withPaths(args);
      await inspectJson(command, trace, ...options, '--database', file);
      expect(statSync(file).size).toBeLessThanOrEqual(bytesBelow(trace) / 10);
      const slow = options.indexOf('--slow');
      const ranked = slow < 0 ? [] : options.slice(slow, slow + 2);
      expect(goldenDifferences(output, await inspectJson(command, file, ...ranked))).toEqual([]);
    },
  );

  test.each(commands)('$name', { timeout: 120_000 }, async ({ args, output }) => {
    expect(goldenDifferences(output, await inspectJson(...withPaths(args)))).toEqual([]);
  });
});
