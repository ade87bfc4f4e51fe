/** The ranking of what explains slow executions against the goldens, from the calling contexts that these have. */
import { describe, expect, test } from 'vitest';
import type { Metric } from '../../src/engine/layers/executions/metrics.ts';
import { slowGroups, slowText, traceGroups } from '../../src/engine/layers/executions/ranking/groups.ts';
import type { ThreadPool } from '../../src/engine/layers/executions/pools.ts';
import { rank } from '../../src/engine/layers/executions/ranking/ranking.ts';
import { type Ecct, ecctTable, UnionTree } from '../../src/engine/layers/executions/union-tree.ts';
import { allExecutionGoldens, goldenCommands, goldenDifferences } from '../support/execution-goldens.ts';
import { testEach } from '../support/known-gaps.ts';
import { sharedDir } from '../support/shared.ts';

interface ExecutionsOutput {
  readonly metrics: readonly string[];
  readonly stacks: readonly string[];
  readonly executions: readonly {
    readonly name: string;
    readonly begin: number;
    readonly end: number;
    readonly metrics: readonly (number | string | null)[];
    readonly ecct: readonly (readonly [number, number])[];
    readonly trace?: number;
  }[];
  readonly groups?: {
    readonly rule: string;
    readonly A: readonly number[];
    readonly B: readonly number[];
    readonly atMost?: number;
    readonly above?: number;
  };
  readonly ranking?: unknown;
}

/** The tree that the stacks make, and the node of each. */
function treeOf(stacks: readonly string[]): { readonly tree: UnionTree; readonly nodes: readonly number[] } {
  const tree = new UnionTree();
  const nodes = stacks.map((stack) => stack.split(';').reduce((node, frame) => tree.child(node, frame), 0));
  return { tree, nodes };
}

function ecctOf(pairs: readonly (readonly [number, number])[], nodes: readonly number[]): Ecct {
  const sorted = pairs.map(([stack, ns]) => [nodes[stack], ns]).sort(([a], [b]) => a - b);
  return { nodes: Int32Array.from(sorted, ([node]) => node), ns: Float64Array.from(sorted, ([, ns]) => ns) };
}

function metricsOf({ metrics, executions }: ExecutionsOutput): Metric[] {
  return metrics.map((name, i) => {
    const values = executions.map((execution) => execution.metrics[i]);
    const texts = new Map(values.flatMap((value, at) => (typeof value === 'string' ? [[at, value]] : [])));
    return {
      name,
      values: Float64Array.from(values, (value) => Number(value ?? NaN)),
      ...(texts.size > 0 && { texts }),
    };
  });
}

/** Pools among the threads of stacks: the golden's ranking tells of which. */
function poolsOf({ stacks, executions, ranking }: ExecutionsOutput): Map<string, ThreadPool> {
  const threads = stacks
    .flatMap((stack) => stack.split(';'))
    .filter((frame) => frame.startsWith('→ thread '));
  const names = new Set([
    ...threads.map((frame) => frame.replace('→ thread ', '')),
    ...executions.map(({ name }) => name),
  ]);
  const ranked = ranking === undefined ? '' : JSON.stringify(ranking);
  return new Map(
    [...names].flatMap((name) => {
      const pool = name.replace(/\d+$/, '*');
      return pool !== name && ranked.includes(pool) ? [[name, { name: pool, threads: 2 }] as const] : [];
    }),
  );
}

function rankingOf(output: ExecutionsOutput): { readonly groups: unknown; readonly ranking: unknown } {
  const { tree, nodes } = treeOf(output.stacks);
  const durations = Float64Array.from(output.executions, ({ begin, end }) => end - begin);
  const eccts = ecctTable(output.executions.map(({ ecct }) => ecctOf(ecct, nodes)));
  const names = output.executions.map(({ name }) => name);
  const [, percent] = /^slow p(\d+)$/.exec(output.groups?.rule ?? '') ?? [];
  const rule = percent === undefined ? 'auto' : Number(percent);
  const isOfTraces = output.groups?.rule === 'traces';
  const slow = isOfTraces ? undefined : slowGroups(durations, rule);
  const groups =
    slow ?? traceGroups(output.executions.filter(({ trace }) => trace === 0).length, durations.length);
  const pools = poolsOf(output);
  const found = rank({ tree, eccts, durations, metrics: metricsOf(output), names, pools }, groups);
  return {
    groups: {
      rule: slow ? slowText(rule) : 'traces',
      ...(slow?.above !== undefined && { atMost: slow.atMost, above: slow.above }),
      A: [...groups.a],
      B: [...groups.b],
    },
    ranking: found && {
      ...found,
      nodes: found.nodes.map(({ frames, parts, ...line }) => ({
        stack: frames.join(';'),
        parts: parts.map((part) => [part.frames.join(';'), part.ns]),
        ...line,
      })),
    },
  };
}

const ranked = new Map(
  allExecutionGoldens()
    .flatMap((name) => goldenCommands(name, 'executions'))
    .map(({ line, output }) => [line, output as ExecutionsOutput] as const)
    .filter(([, { groups }]) => groups !== undefined),
);

describe.skipIf(sharedDir() === undefined)('rankings of executions', () => {
  test('there are goldens', () => {
    expect(ranked.size).toBeGreaterThan(0);
  });

  testEach('execution-ranking', [...ranked.keys()], (line) => {
    const output = ranked.get(line);
    if (output === undefined) throw new Error(`no golden of ${line}`);
    const { groups, ranking } = output;
    expect(goldenDifferences({ groups, ranking }, rankingOf(output))).toEqual([]);
    return Promise.resolve();
  });
});
