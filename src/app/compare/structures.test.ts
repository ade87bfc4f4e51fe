import { expect, it } from 'vitest';
import { executionsIn } from '../../../test/support/execution-answer.ts';
import { membershipOf } from './group-rule.ts';
import { structuresOf, structureTitle } from './structures.ts';

/** Where each execution spends 5 ns of its time. */
const EXECUTIONS = [
  ['main;read'],
  ['main;read', 'main'],
  ['main;read;disk'],
  ['main', 'main;read'],
  ['main;read;disk', 'main;lookup'],
];
const answer = executionsIn(EXECUTIONS, 5);

it('executions with the same frames are of one structure, the most frequent one first', () => {
  const { structures, number } = structuresOf(answer);
  expect([...number]).toEqual([0, 0, 1, 0, 2]);
  expect(structures.map(({ executions }) => executions)).toEqual([3, 1, 1]);
  expect(structureTitle(structures, 2)).toBe('1 execution, with Waiting for the disk, lookup');
  expect([...membershipOf({ kind: 'structure', structure: 2 }, answer, 0)]).toEqual([1, 1, 0, 1, 2]);
});
