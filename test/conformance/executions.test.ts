/**
 * What `inspect executions` prints against the goldens: an independent computation by the same rules.
 * One golden: `npx vitest run test/conformance/executions -t executions-lock`.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  executionGoldens,
  goldenCommands,
  goldenDifferences,
  isCase,
  type GoldenCommand,
} from '../support/execution-goldens.ts';
import { inspectJson } from '../support/inspect-run.ts';
import { testEach } from '../support/known-gaps.ts';
import { sharedDir, traceFolders } from '../support/shared.ts';

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

const commands = new Map(
  executionGoldens()
    .flatMap((name) => goldenCommands(name, 'executions').map((each) => ({ name, ...each })))
    .map((each) => [each.line, each]),
);

function commandOf(line: string): GoldenCommand {
  const command = commands.get(line);
  if (command === undefined) throw new Error(`no golden of ${line}`);
  return command;
}

describe.skipIf(sharedDir() === undefined)('executions against the goldens', () => {
  test('there are goldens', () => {
    expect(commands.size).toBeGreaterThan(0);
  });

  testEach('executions', [...commands.keys()], checkOutput);

  describe('as a file of a tenth of the trace at most', () => {
    const ofOneTrace = [...commands.values()].filter(
      ({ name, args }) => !isCase(name) && !args.includes('--against'),
    );
    testEach(
      'execution-files',
      ofOneTrace.map(({ line }) => line),
      checkFile,
    );
  });
});

async function checkOutput(line: string): Promise<void> {
  const { args, output } = commandOf(line);
  expect(goldenDifferences(output, await inspectJson(...args))).toEqual([]);
}

async function checkFile(line: string): Promise<void> {
  const { args, output } = commandOf(line);
  const file = join(folder, 'database');
  const [command, trace, ...options] = args;
  await inspectJson(command, trace, ...options, '--database', file);
  expect(statSync(file).size).toBeLessThanOrEqual(bytesBelow(trace) / 10);
  const slow = options.indexOf('--slow');
  const ranked = slow < 0 ? [] : options.slice(slow, slow + 2);
  expect(goldenDifferences(output, await inspectJson(command, file, ...ranked))).toEqual([]);
}
