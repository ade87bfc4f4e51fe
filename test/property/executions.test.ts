/** Executions: pairing against a naive one, and what always holds of what explains the slow ones. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addNumber } from '../../src/engine/base/group-by.ts';
import type { Metric } from '../../src/engine/layers/executions/metrics.ts';
import { type DefinitionEvents, pairEvents } from '../../src/engine/layers/executions/executions.ts';
import type { ExecutionsAnswer } from '../../src/engine/layers/executions/answer.ts';
import {
  answersTogether,
  type Compared,
  comparedOf as comparedOfAnswer,
  renamedFrames,
  together,
} from '../../src/engine/layers/executions/ranking/compared.ts';
import { slowGroups, type SlowRule, traceGroups } from '../../src/engine/layers/executions/ranking/groups.ts';
import { rank } from '../../src/engine/layers/executions/ranking/ranking.ts';
import {
  type Ecct,
  ecctTable,
  foldedStack,
  UnionTree,
} from '../../src/engine/layers/executions/union-tree.ts';
import { forAll } from '../support/for-all.ts';

const anyEvents = fc
  .array(
    fc.record({
      after: fc.nat({ max: 5 }),
      isBegin: fc.boolean(),
      group: fc.nat({ max: 3 }),
      matches: fc.boolean(),
    }),
  )
  .map((events): DefinitionEvents => {
    let time = 0;
    return {
      length: events.length,
      time: Float64Array.from(events, ({ after }) => (time += after)),
      isBegin: Uint8Array.from(events, ({ isBegin }) => Number(isBegin)),
      group: Int32Array.from(events, ({ group }) => group),
      matches: Uint8Array.from(events, ({ matches }) => Number(matches)),
    };
  });

/** Looks back from each end for the latest begin of its group that no other end has taken. */
function naivePairs({ length, time, isBegin, group, matches }: DefinitionEvents, minNs: number) {
  const rows = Array.from({ length }, (_, row) => row);
  const taken = new Set<number>();
  const isOpen = (row: number, end: number) =>
    row < end && isBegin[row] === 1 && group[row] === group[end] && !taken.has(row);
  const pairs: [number, number][] = [];
  let [withoutBegin, nested] = [0, 0];
  for (const end of rows.filter((row) => isBegin[row] === 0)) {
    const open = rows.filter((row) => isOpen(row, end));
    const begin = open.pop();
    if (begin === undefined) {
      withoutBegin += matches[end];
      continue;
    }
    taken.add(begin);
    const ns = time[end] - time[begin];
    if (ns === 0 || ns < minNs || matches[begin] === 0) continue;
    pairs.push([begin, end]);
    if (open.length > 0) nested++;
  }
  const withoutEnd = rows.filter((row) => isBegin[row] === 1 && matches[row] === 1 && !taken.has(row)).length;
  return { pairs, counts: { executions: pairs.length, withoutEnd, withoutBegin, nested } };
}

it('pairing gives what looking back from each end gives', () =>
  forAll(300, [anyEvents, fc.nat({ max: 6 })], (events, minNs) => {
    const { length, begin, end, counts } = pairEvents(events, minNs);
    const pairs = Array.from({ length }, (_, i) => [begin[i], end[i]]);
    expect({ pairs, counts }).toEqual(naivePairs(events, minNs));
  }));

const FRAMES = ['a', 'b', '→ thread x', 'disk'];

/** Executions by their stacks, each with its ns. */
const anyExecutions = fc.array(
  fc.array(
    fc.tuple(fc.array(fc.constantFrom(...FRAMES), { maxLength: 4 }), fc.integer({ min: 1, max: 1000 })),
    { minLength: 1, maxLength: 5 },
  ),
  { minLength: 3, maxLength: 30 },
);

type Stacks = readonly (readonly [readonly string[], number])[];

function ecctOf(tree: UnionTree, stacks: Stacks): Ecct {
  const times = new Map<number, number>();
  for (const [frames, ns] of stacks) {
    const node = frames.reduce((at, frame) => tree.child(at, frame), 0);
    addNumber(times, node, ns);
  }
  const nodes = Int32Array.from(times.keys()).sort();
  return { nodes, ns: Float64Array.from(nodes, (node) => times.get(node) ?? 0) };
}

function comparedOf(executions: readonly Stacks[]): Compared {
  const tree = new UnionTree();
  const eccts = ecctTable(executions.map((stacks) => ecctOf(tree, stacks)));
  const durations = Float64Array.from(executions, (stacks) => stacks.reduce((sum, [, ns]) => sum + ns, 0));
  const metrics: Metric[] = [{ name: 'running', values: durations }];
  return { tree, eccts, durations, metrics, names: executions.map(() => 'worker'), pools: new Map() };
}

/** By execution: its stacks with their ns, in an order that does not depend on the tree. */
function stacksOf({ tree, eccts: { start, nodes, ns } }: Compared): unknown[][] {
  return Array.from({ length: start.length - 1 }, (_, number) =>
    Array.from(nodes.subarray(start[number], start[number + 1]), (node, i) => [
      foldedStack(tree, node),
      ns[start[number] + i],
    ]).sort(),
  );
}

describe('ranking', () => {
  it('explains no more than the difference, and each execution that takes longer or is left', () =>
    forAll(200, [anyExecutions, fc.constantFrom<SlowRule>('auto', 50, 75, 90)], (executions, rule) => {
      const compared = comparedOf(executions);
      const groups = slowGroups(compared.durations, rule);
      const ranking = rank(compared, groups);
      if (groups.b.length === 0) {
        expect(ranking).toBeUndefined();
        return;
      }
      const { difference = NaN, nodes = [], threads = [], unexplained = [] } = ranking ?? {};
      const shares = nodes.reduce((sum, { share }) => sum + share, 0);
      // Each is rounded. What faster contexts take back may leave less than there is.
      for (const node of nodes) expect(node.difference).toBeGreaterThan(0);
      expect(shares).toBeGreaterThanOrEqual(0);
      expect(new Set(nodes.map(({ frames }) => frames.join(';'))).size).toBe(nodes.length);
      const explained = new Set(nodes.flatMap(({ explains }) => explains));
      // Those of B that take no longer than A on average have nothing to explain: there are none with these rules.
      expect([...explained, ...unexplained].sort((a, b) => a - b)).toEqual([...groups.b]);
      const ofThreads = threads.reduce((sum, thread) => sum + thread.difference, 0);
      // One of the two threads may have less than a hundredth and be left out; each is rounded.
      expect(ofThreads).toBeGreaterThanOrEqual(0.99 * difference - threads.length - 1);
    }));

  it('says nothing about a group and itself', () =>
    forAll(100, [anyExecutions], (executions) => {
      const once = comparedOf(executions);
      const twice = together(once, comparedOf(executions), new Map());
      const ranking = rank(twice, traceGroups(executions.length, 2 * executions.length));
      expect(ranking).toMatchObject({ difference: 0, nodes: [], threads: [], metrics: [] });
    }));

  it('of two traces does not depend on the order in which their trees grew', () =>
    forAll(100, [anyExecutions, anyExecutions], (a, b) => {
      const both = comparedOf([...a, ...b]);
      const united = together(comparedOf(a), comparedOf(b), new Map());
      expect(stacksOf(united)).toEqual(stacksOf(both));
    }));

  it('of two traces is that of both in one answer, in which frames of the first are renamed', async () => {
    const answerOf = (executions: readonly Stacks[]): ExecutionsAnswer => {
      const { tree, eccts, durations, metrics } = comparedOf(executions);
      const { frames, parent, frame } = tree;
      return {
        definition: { begin: 'b', end: 'e', key: [], acrossThreads: false, where: [], minNs: 0 },
        counts: { executions: executions.length, withoutEnd: 0, withoutBegin: 0, nested: 0 },
        withoutThread: 0,
        pools: new Map(),
        isElapsed: false,
        threads: [{ row: 'thread:0:7', name: 'worker', tid: 7, host: 0 }],
        length: executions.length,
        thread: new Int32Array(executions.length),
        ...{ from: new Float64Array(executions.length), to: durations, metrics },
        tree: { frames, parent: Int32Array.from(parent), frame: Int32Array.from(frame) },
        ...eccts,
      };
    };
    const renames = new Map([
      ['a', 'b'],
      ['disk', 'timer'],
    ]);
    await forAll(100, [anyExecutions, anyExecutions], (a, b) => {
      const both = answersTogether(answerOf(a), answerOf(b), 1);
      const renamed = comparedOfAnswer(renamedFrames(both, renames, (execution) => execution < a.length));
      const united = together(comparedOf(a), comparedOf(b), renames);
      expect(stacksOf(renamed)).toEqual(stacksOf(united));
      expect([renamed.durations, renamed.metrics]).toEqual([united.durations, united.metrics]);
      expect(both.threads.map(({ host }) => host)).toEqual([0, 1]);
    });
  });

  it('takes a frame of the first trace for what the second one calls it', () => {
    const [old, renamed] = [comparedOf([[[['a', 'b'], 5]]]), comparedOf([[[['a', 'c'], 9]]])];
    const { tree, eccts } = together(old, renamed, new Map([['b', 'c']]));
    expect(Array.from(eccts.nodes, (node) => foldedStack(tree, node))).toEqual(['a;c', 'a;c']);
  });
});
