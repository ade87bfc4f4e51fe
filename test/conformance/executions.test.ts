/**
 * What `inspect executions`, `profile` and `symbols` print against the goldens: an independent computation by the same rules.
 * One golden: `npx vitest run test/conformance/executions -t executions-lock`.
 */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { executionGoldens, goldenCommands, goldenDifferences, isCase } from '../support/execution-goldens.ts';
import { inspectJson } from '../support/inspect-run.ts';
import { testEach } from '../support/known-gaps.ts';
import { sharedDir, traceFolders } from '../support/shared.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

/** Of data streams and metadata, without what lies beside a trace. */
function bytesBelow(trace: string): number {
  return traceFolders(trace)
    .flatMap(({ path }) => readdirSync(path, { withFileTypes: true }).map((entry) => ({ entry, path })))
    .filter(({ entry }) => entry.isFile())
    .reduce((sum, { entry, path }) => sum + statSync(join(path, entry.name)).size, 0);
}

const namesOf = executionGoldens();

/** The command lines of the goldens that begin with a command, by themselves. */
function commandLines(command: string) {
  const all = namesOf.flatMap((name) => goldenCommands(name, command).map((each) => ({ name, ...each })));
  return new Map(all.map((each) => [each.line, each]));
}

const commands = commandLines('executions');

describe.skipIf(sharedDir() === undefined).each([
  { command: 'executions', group: 'executions' },
  { command: 'profile', group: 'profiles' },
  { command: 'symbols', group: 'symbols' },
] as const)('$command against the goldens', ({ command, group }) => {
  const lines = commandLines(command);

  test('there are goldens', () => {
    expect(lines.size).toBeGreaterThan(0);
  });

  testEach(group, [...lines.keys()], async (line) => {
    const { args = [], output } = lines.get(line) ?? {};
    expect(goldenDifferences(output, await inspectJson(...args))).toEqual([]);
  });
});

describe.skipIf(sharedDir() === undefined)('executions as a file of a tenth of the trace at most', () => {
  const ofOneTrace = [...commands.values()].filter(
    ({ name, args }) => !isCase(name) && !args.includes('--against'),
  );
  testEach(
    'execution-files',
    ofOneTrace.map(({ line }) => line),
    checkFile,
  );
});

async function checkFile(line: string): Promise<void> {
  const { args = [], output } = commands.get(line) ?? {};
  const file = join(folder, 'database');
  const [command, trace, ...options] = args;
  await inspectJson(command, trace, ...options, '--database', file);
  expect(statSync(file).size).toBeLessThanOrEqual(bytesBelow(trace) / 10);
  const slow = options.indexOf('--slow');
  const ranked = slow < 0 ? [] : options.slice(slow, slow + 2);
  expect(goldenDifferences(output, await inspectJson(command, file, ...ranked))).toEqual([]);
}
