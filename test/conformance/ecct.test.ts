/**
 * Trees of executions against the goldens: an independent computation by the same rules. Begin, end and thread of each are
 * taken from there. One golden: `npx vitest run test/conformance/ecct -t pipeline`.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { namedHosts } from '../../src/cli/named-threads.ts';
import { parseCommandLine } from '../../src/cli/options.ts';
import { openTraceSession } from '../../src/cli/trace-session.ts';
import { EcctReader } from '../../src/engine/executions/ecct/ecct-reader.ts';
import { foldedStack, UnionTree } from '../../src/engine/executions/union-tree.ts';
import { findPath } from '../../src/engine/graph/find-path.ts';
import { pathNames } from '../../src/engine/graph/path-names.ts';
import { NO_STACKS } from '../../src/engine/stacks/stacks-in-force.ts';
import { goldenCommands, goldenDifferences } from '../support/execution-goldens.ts';
import { inspectJson } from '../support/inspect-run.ts';
import { sharedDir } from '../support/shared.ts';

const SHARED = sharedDir();

/** Goldens of traces without call stacks. */
const WITHOUT_STACKS = ['pipeline', 'rpc-chain', 'two-hosts-http'];

interface GoldenExecution {
  readonly worker: string;
  readonly begin: number;
  readonly end: number;
  /** [place in `stacks`, ns] */
  readonly ecct: readonly (readonly [number, number])[];
}

interface GoldenExecutions {
  readonly stacks: readonly string[];
  readonly executions: readonly GoldenExecution[];
}

/** Tells the tree of one execution after the other as stacks with their ns. */
async function treesOf(args: readonly string[]) {
  const trace = join(SHARED ?? '', 'traces', args[1]);
  const offsets = args.flatMap((option, i) => (option === '--offset' ? [option, args[i + 1]] : []));
  const { options } = parseCommandLine([args[0], '--workers', '0', ...offsets], 1);
  const { session } = await openTraceSession([trace], options);
  if (session === undefined) throw new Error(`${trace} cannot be opened`);
  const { trace: opened, firstNs } = session;
  const known = await opened.paths.graph();
  const { graph } = known;
  const hosts = namedHosts(known, session);
  const names = pathNames(graph, hosts);
  const workers = new Map(
    hosts.flatMap(({ tables }, host) =>
      Array.from({ length: tables.threads.length }, (_, row) => {
        const worker = graph.workerOfThread(host, row);
        return [names.worker(worker), worker] as const;
      }),
    ),
  );
  const tree = new UnionTree();
  const reader = new EcctReader(
    { graph, hosts: hosts.map(({ name }) => ({ name, stacks: NO_STACKS })) },
    tree,
  );
  return async ({ worker, begin, end }: GoldenExecution) => {
    const path = await findPath(graph, {
      worker: workers.get(worker) ?? NaN,
      from: begin + firstNs,
      to: end + firstNs,
      criterion: 'main task',
    });
    if (path === undefined) throw new Error('a path is expected');
    const { nodes, ns } = await reader.of(path);
    return Object.fromEntries(Array.from(nodes, (node, i) => [foldedStack(tree, node), ns[i]]));
  };
}

describe.skipIf(SHARED === undefined)('against the goldens', () => {
  test.each(WITHOUT_STACKS)('trees of executions: %s', { timeout: 120_000 }, async (name) => {
    const commands = goldenCommands(name, 'executions');
    expect(commands.length).toBeGreaterThan(0);
    for (const { args, output } of commands) {
      const { stacks, executions } = output as GoldenExecutions;
      const tell = await treesOf(args);
      for (const execution of executions)
        expect(await tell(execution)).toEqual(
          Object.fromEntries(execution.ecct.map(([stack, ns]) => [stacks[stack], ns])),
        );
    }
  });

  const profiles = WITHOUT_STACKS.flatMap((name) =>
    SHARED === undefined ? [] : goldenCommands(name, 'profile'),
  );

  test.each(profiles.map((command) => [command.args.join(' '), command] as const))(
    'inspect %s',
    { timeout: 120_000 },
    async (_, { args: [command, trace, ...options], output }) => {
      const found = await inspectJson<object>(command, join(SHARED ?? '', 'traces', trace), ...options);
      expect(goldenDifferences(output, { ...found, samples: 0 })).toEqual([]);
    },
  );
});
