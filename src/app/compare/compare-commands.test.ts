import { signal } from '@preact/signals';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ExecutionDefinition } from '../../engine/layers/executions/definition.ts';
import { showComparison, writeComparison } from './compare-commands.ts';
import { ExecutionFiles } from '../files/execution-files.ts';
import type { Brush, GroupRule } from './group-rule.ts';
import { forAll } from '../../../test/support/for-all.ts';

const definition: fc.Arbitrary<ExecutionDefinition> = fc.record({
  begin: fc.string({ minLength: 1 }),
  end: fc.string({ minLength: 1 }),
  key: fc.array(fc.string()),
  acrossThreads: fc.boolean(),
  where: fc.array(fc.record({ field: fc.stringMatching(/^[a-z_]+$/), value: fc.string() })),
  minNs: fc.nat(),
});
const rule: fc.Arbitrary<GroupRule> = fc.oneof(
  fc.constantFrom({ kind: 'slow' } as const, { kind: 'tenth' } as const),
  fc.constant({ kind: 'brush' } as const),
  fc.constant({ kind: 'traces' } as const),
  fc.record({ kind: fc.constant('host' as const), host: fc.nat() }),
  fc.record({ kind: fc.constant('structure' as const), structure: fc.nat() }),
  fc.record({ kind: fc.constant('time' as const), at: fc.integer() }),
  fc.record({ kind: fc.constant('thread' as const), row: fc.string() }),
);
const renames = fc
  .uniqueArray(fc.tuple(fc.string(), fc.string()), { selector: ([from]) => from })
  .map((names) => new Map(names));
const against = fc.option(fc.string(), { nil: undefined });
const brush: fc.Arbitrary<Brush> = fc.record({
  group: fc.constantFrom('a', 'b'),
  metric: fc.string({ minLength: 1 }),
  from: fc.oneof(fc.double({ max: 0, noNaN: true }), fc.constant(-Infinity)),
  to: fc.oneof(fc.double({ min: 1, noNaN: true }), fc.constant(Infinity)),
});

type Linked = Parameters<typeof writeComparison>[0];

function stateOf(
  definition?: ExecutionDefinition,
  rule: GroupRule = { kind: 'slow' },
  brushes: readonly Brush[] = [],
  renames: ReadonlyMap<string, string> = new Map(),
  against?: string,
): Linked {
  return {
    ...{ definition: signal(definition), rule: signal(rule), brushes: signal(brushes) },
    ...{ renames: signal(renames), linkedAgainst: signal(against) },
    files: new ExecutionFiles({ stage: signal('open') }),
  };
}

it('what is compared is read back as it was written', () =>
  forAll(100, [definition, rule, fc.array(brush), renames, against], (written, how, ranges, names, other) => {
    const parts = new URLSearchParams();
    writeComparison(stateOf(written, how, ranges, names, other), parts);
    const read = stateOf();
    showComparison(read, new URLSearchParams(parts.toString()));
    expect(read.definition.value).toEqual(written);
    expect(read.rule.value).toEqual(how);
    expect([...read.renames.value]).toEqual([...names]);
    expect(read.linkedAgainst.value).toEqual(other);
    expect(read.brushes.value).toEqual(ranges.map((range) => ({ ...range, from: range.from || 0 })));
  }));

it('a link without executions compares nothing, and what makes no sense is left out', () => {
  const read = stateOf({ begin: 'a', end: 'b', key: [], acrossThreads: false, where: [], minNs: 0 });
  showComparison(read, new URLSearchParams('begin=a'));
  expect(read.definition.value).toBeUndefined();
  const parts = 'begin=a&end=b&min=-1&groups=time~x&brush=c~d~1~2&brush=a~d~5~2&brush=a~d~x~2&where=x';
  showComparison(read, new URLSearchParams(parts));
  expect(read.definition.value).toEqual({
    begin: 'a',
    end: 'b',
    key: [],
    acrossThreads: false,
    where: [],
    minNs: 0,
  });
  expect([read.rule.value, read.brushes.value]).toEqual([{ kind: 'slow' }, []]);
});
