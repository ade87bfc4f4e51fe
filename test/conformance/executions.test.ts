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

/** Goldens of traces without call stacks: all of what is printed is compared. Of others, what stacks do not change. */
const WITHOUT_STACKS = ['pipeline', 'rpc-chain', 'two-hosts-http'];

/** A golden's arguments name traces below the folder of traces. Names of functions are not compared. */
function withPaths([command, trace, ...options]: readonly string[]): string[] {
  const paths = options
    .map((text, i) => (options[i - 1] === '--against' ? join(TRACES, text) : text))
    .filter((text) => text !== '--mangled');
  return [command, join(TRACES, trace), ...paths];
}

interface Output {
  readonly executions: readonly { readonly ecct: readonly (readonly [number, number])[] }[];
  readonly stacks: readonly string[];
  readonly ranking?: { readonly difference: number; readonly metrics: unknown };
}

/** All but where the time of an execution went: how long it is in all. */
function withoutStacks({ executions, ranking, ...rest }: Output) {
  return {
    ...rest,
    stacks: [],
    executions: executions.map(({ ecct, ...execution }) => ({
      ...execution,
      ns: ecct.reduce((sum, [, ns]) => sum + ns, 0),
    })),
    ranking: ranking && { difference: ranking.difference, metrics: ranking.metrics },
  };
}

const commands = executionGoldenNames().flatMap((name) =>
  goldenCommands(name, 'executions').map(({ args, output }) => {
    return { name: args.join(' '), args, output: output as Output, isWhole: WITHOUT_STACKS.includes(name) };
  }),
);

describe.skipIf(sharedDir() === undefined)('executions against the goldens', () => {
  test('there are goldens', () => {
    expect(commands.length).toBeGreaterThan(0);
  });

  test.each(commands)('$name', { timeout: 120_000 }, async ({ args, output, isWhole }) => {
    const compared = (of: Output) => (isWhole ? of : withoutStacks(of));
    const found = await inspectJson<Output>(...withPaths(args));
    expect(goldenDifferences(compared(output), compared(found))).toEqual([]);
  });
});
