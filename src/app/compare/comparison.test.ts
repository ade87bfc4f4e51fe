import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ExecutionsAnswer } from '../../engine/protocol/executions.ts';
import { executionsAnswer } from '../../../test/support/execution-answer.ts';
import { comparedWith, createComparison, type Direction } from './comparison.ts';
import type { Brush, GroupName, GroupRule } from './group-rule.ts';
import { BINS } from './metric-columns.ts';
import { forAll } from '../../../test/support/for-all.ts';
import { addNumber } from '../../engine/base/group-by.ts';

const BRUSHES: GroupRule = { kind: 'brush' };
const STACKS = ['main;parse', 'main;lookup', 'main;lookup;disk', 'main;parse;lookup', 'main'];

/** Executions with a thread, a metric that some do not have, and time in some of the stacks. */
const executions: fc.Arbitrary<ExecutionsAnswer> = fc
  .array(
    fc.record({
      thread: fc.nat(2),
      bytes: fc.option(fc.nat(5000), { nil: null }),
      ns: fc.array(fc.nat(1_000_000), { minLength: STACKS.length, maxLength: STACKS.length }),
    }),
    { minLength: 4, maxLength: 40 },
  )
  .map((all) => {
    const sumOf = (ns: readonly number[]) => ns.reduce((sum, each) => sum + each, 1);
    return executionsAnswer({
      metrics: ['begin', 'duration', 'diskBytes'],
      stacks: STACKS,
      executions: all.map(({ thread, bytes, ns }, i) => ({
        ...{ worker: String(thread), name: `t${thread}`, begin: 100 * i, end: 100 * i + sumOf(ns) },
        metrics: [100 * i, sumOf(ns), bytes],
        // 1 ns at least, in the last one.
        ecct: ns.map((each, stack) => [stack, each + (stack === STACKS.length - 1 ? 1 : 0)] as const),
      })),
    });
  });

const brushes: fc.Arbitrary<readonly Brush[]> = fc.uniqueArray(
  fc.record({
    group: fc.constantFrom<GroupName>('a', 'b'),
    metric: fc.constantFrom('begin', 'duration', 'diskBytes'),
    from: fc.oneof(fc.nat(2000), fc.constant(-Infinity)),
    to: fc.oneof(fc.integer({ min: 2000, max: 3_000_000 }), fc.constant(Infinity)),
  }),
  { selector: ({ group, metric }) => `${group} ${metric}` },
);

/** Whether an execution is in the ranges of a group but those of one metric. */
function isIn(
  answer: ExecutionsAnswer,
  i: number,
  all: readonly Brush[],
  group: GroupName,
  but = '',
): boolean {
  return all.every(({ metric, from, to, ...brush }) => {
    if (brush.group !== group || metric === but || (from === -Infinity && to === Infinity)) return true;
    const values = answer.metrics.find(({ name }) => name === metric)?.values ?? [];
    return values[i] >= from && values[i] < to;
  });
}

const numbers = ({ length }: ExecutionsAnswer) => Array.from({ length }, (_, i) => i);

describe('groups of executions', () => {
  it('are those in all ranges, however these came, and histograms heed all ranges but their own', () =>
    forAll(100, [executions, fc.array(brushes, { minLength: 1, maxLength: 4 })], (answer, steps) => {
      const comparison = createComparison(comparedWith(answer, [], undefined));
      for (const all of steps) {
        // A metric that is the same everywhere has no histogram, and so no range.
        const known = all.filter(({ metric }) => comparison.columns.some(({ name }) => name === metric));
        const groups = comparison.groups(BRUSHES, known);
        const b = numbers(answer).filter((i) => isIn(answer, i, known, 'b'));
        const rest = numbers(answer).filter((i) => !b.includes(i));
        expect([...groups.b]).toEqual(b);
        expect([...groups.a]).toEqual(rest.filter((i) => isIn(answer, i, known, 'a')));
        comparison.columns.forEach(({ name, values, bin }, column) => {
          const counts = new Array<number>(BINS).fill(0);
          for (const i of numbers(answer)) {
            const isCounted = isIn(answer, i, known, 'b', name) && !Number.isNaN(values[i]);
            if (isCounted) counts[bin[i]]++;
          }
          expect([...comparison.counts('b')[column]]).toEqual(counts);
        });
      }
    }));

  it('of a thread, or of a time, are all executions', () =>
    forAll(100, [executions], (answer) => {
      const comparison = createComparison(comparedWith(answer, [], undefined));
      const { a, b } = comparison.groups({ kind: 'thread', row: answer.threads[0].row }, []);
      expect([...b]).toEqual(numbers(answer).filter((i) => answer.thread[i] === 0));
      expect(a.length + b.length).toBe(answer.length);
      const half = comparison.groups({ kind: 'time', at: answer.from[2] }, []);
      expect([...half.a]).toEqual([0, 1]);
      expect(half.b).toHaveLength(answer.length - 2);
    }));
});

/** Means of B by folded stack, from callers to callees or the other way round. */
function meansOf(answer: ExecutionsAnswer, group: Int32Array, direction: Direction): Map<string, number> {
  const means = new Map<string, number>();
  const { parent, frame, frames } = answer.tree;
  for (const i of group) {
    for (let j = answer.start[i]; j < answer.start[i + 1]; j++) {
      const stack: string[] = [];
      for (let node = answer.nodes[j]; node > 0; node = parent[node]) stack.push(frames[frame[node]]);
      if (direction === 'down') stack.reverse();
      stack.forEach((_, depth) => {
        const folded = stack.slice(0, depth + 1).join(';');
        addNumber(means, folded, answer.ns[j] / group.length);
      });
    }
  }
  return means;
}

describe('the differential flame graph', () => {
  it('has the means of both groups, whatever groups there were before', async () => {
    const direction = fc.constantFrom<Direction>('down', 'up');
    await forAll(
      100,
      [executions, fc.array(brushes, { minLength: 1, maxLength: 4 }), direction],
      (answer, steps, way) => {
        const comparison = createComparison(comparedWith(answer, [], undefined));
        for (const all of steps) {
          const groups = comparison.groups(BRUSHES, all);
          const { frames } = comparison.flame(way, groups);
          const expected = { a: meansOf(answer, groups.a, way), b: meansOf(answer, groups.b, way) };
          const stacks: string[] = [];
          for (const { parent, text, value, other } of frames) {
            const stack = parent < 0 ? text : `${stacks[parent]};${text}`;
            stacks.push(stack);
            expect(value).toBeCloseTo(expected.b.get(stack) ?? 0, 3);
            expect(other?.value).toBeCloseTo(expected.a.get(stack) ?? 0, 3);
            expect(other?.room).toBeGreaterThanOrEqual(Math.max(value, other?.value ?? 0));
          }
          for (const stack of expected.b.keys()) expect(stacks).toContain(stack);
        }
      },
    );
  });

  it('colours what differs by more than half of a standard deviation, by steps', () => {
    // Both groups spread by 100 ns around their means, which are 60 ns, or one and a half or three times the spread apart.
    const stacks = ['near', 'far', 'farther', 'gone'];
    const all = [-1, 1, -1, 1].map((sign, i) => {
      const inB = i >= 2;
      const ns = [
        [1000, 1060],
        [1000, 850],
        [1000, 1300],
        [100, 0],
      ].map(([a, b], stack) => {
        return (inB ? b : a) + (stack === 3 ? 0 : 100 * sign);
      });
      const sum = ns.reduce((total, each) => total + each, 0);
      return {
        ...{ worker: '1', name: 't', begin: 10_000 * i, end: 10_000 * i + sum, metrics: [10_000 * i] },
        ecct: ns.map((each, stack) => [stack, each] as const),
      };
    });
    const answer = executionsAnswer({ metrics: ['begin'], stacks, executions: all });
    const comparison = createComparison(comparedWith(answer, [], undefined));
    const groups = comparison.groups({ kind: 'time', at: 20_000 }, []);
    const { frames } = comparison.flame('down', groups);
    // 60 / 141 = 0.42, -150 / 141 = -1.06, 300 / 141 = 2.1 standard deviations; without spread any difference is large.
    expect(frames.map(({ text, other }) => [text, other?.step])).toEqual([
      ['near', 0],
      ['far', -2],
      ['farther', 3],
      ['gone', -3],
    ]);
  });
});
