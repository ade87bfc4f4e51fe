import fc from 'fast-check';
import { expect, it } from 'vitest';
import { executionsIn } from '../../../test/support/execution-answer.ts';
import { comparedWith, createComparison } from './comparison.ts';
import { proposedRenames, readRenames, renameText } from './renames.ts';
import { forAll } from '../../../test/support/for-all.ts';

const name = fc.stringMatching(/^[a-zA-Z_:<>&=]+$/).filter((text) => text.trim() === text);

it('lines are read as they were written', async () => {
  const renames = fc.uniqueArray(fc.tuple(name, name), { selector: ([from]) => from });
  await forAll(100, [renames], (pairs) => {
    expect([...readRenames(renameText(new Map(pairs)))]).toEqual(pairs);
  });
  expect([...readRenames('a=b\r\n\r\nno pair\n=c\nd=\n operator== = operator!=')]).toEqual([
    ['a', 'b'],
    ['operator==', 'operator!='],
  ]);
});

it('a function that is gone belongs to one that came below the same callers', () => {
  const old = executionsIn([['main;parse', 'main;parse;read', 'main;emit'], ['main;parse']], 10);
  const now = executionsIn([['main;parse_v2', 'main;parse_v2;read', 'main;emit', 'other;emit']], 10);
  const against = { trace: 't', name: 'old', originNs: '0', hosts: ['h'], answer: old };
  const compared = comparedWith(now, ['host'], against);
  const comparison = createComparison(compared);
  const groups = comparison.groups({ kind: 'traces' }, []);
  expect([[...groups.a], [...groups.b]]).toEqual([[0, 1], [2]]);
  // Each trace has hosts of its own.
  expect(comparison.groups({ kind: 'host', host: 1 }, [])).toEqual(groups);
  const proposed = proposedRenames(comparison.answer, groups);
  expect(proposed).toEqual([{ from: 'parse', to: 'parse_v2' }]);
  // Taken, it is one function, and nothing is left to propose.
  const renames = new Map(proposed.map(({ from, to }) => [from, to]));
  const renamed = createComparison(compared, { renames, rule: { kind: 'traces' } });
  expect(renamed.answer.tree.frames).toEqual(['main', 'parse_v2', 'read', 'emit', 'other']);
  expect(proposedRenames(renamed.answer, groups)).toEqual([]);
});
