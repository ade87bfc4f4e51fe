import { expect, it } from 'vitest';
import { executionsAnswer } from '../../../test/support/execution-answer.ts';
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
const stacks = [...new Set(EXECUTIONS.flat())];
const answer = executionsAnswer({
  definition: { begin: 'b', end: 'e', key: [], acrossThreads: false },
  counts: { executions: EXECUTIONS.length, withoutBegin: 0, withoutEnd: 0, nested: 0 },
  metrics: [],
  stacks,
  executions: EXECUTIONS.map((own, i) => ({
    ...{ worker: '7', name: 'worker', begin: i, end: i + 1, metrics: [] },
    ecct: own.map((stack) => [stacks.indexOf(stack), 5] as const),
  })),
});

it('executions with the same frames are of one structure, the most frequent one first', () => {
  const { structures, number } = structuresOf(answer);
  expect([...number]).toEqual([0, 0, 1, 0, 2]);
  expect(structures.map(({ executions }) => executions)).toEqual([3, 1, 1]);
  expect(structureTitle(structures, 2)).toBe('1 execution, with Waiting for the disk, lookup');
  expect([...membershipOf({ kind: 'structure', structure: 2 }, answer, 0)]).toEqual([1, 1, 0, 1, 2]);
});
