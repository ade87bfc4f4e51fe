import { describe, expect, it } from 'vitest';
import { type CallTree, calleesOf, callersOf, type FrameTree, inverted } from './call-trees.ts';

/** main calls walk, which calls itself and weigh; main calls weigh, too. */
const TREE: CallTree = {
  frames: ['main', 'walk', 'weigh'],
  parent: Int32Array.of(-1, 0, 1, 2, 3, 1),
  frame: Int32Array.of(-1, 0, 1, 1, 2, 2),
};
/** By node, in itself. */
const OWN = [0, 1, 10, 100, 1000, 10_000];

/** What lies where, as folded stacks. */
function folded({ parent, frame, place }: FrameTree): Record<string, number> {
  const textOf = (node: number): string =>
    node <= 0 ? '' : `${textOf(parent[node])};${TREE.frames[frame[node]]}`.replace(/^;/, '');
  const sums: Record<string, number> = {};
  place.forEach((at, node) => {
    if (at >= 0) sums[textOf(at)] = (sums[textOf(at)] ?? 0) + OWN[node];
  });
  return sums;
}

describe('a tree of calls', () => {
  it('has callers below where it is inverted', () => {
    expect(folded(inverted(TREE))).toEqual({
      '': 0,
      main: 1,
      'walk;main': 10,
      'walk;walk;main': 100,
      'weigh;walk;walk;main': 1000,
      'weigh;main': 10_000,
    });
  });

  it('has around a function what called it and what it called, of a stack that has it twice once', () => {
    expect(folded(calleesOf(TREE, 1))).toEqual({ walk: 10, 'walk;walk': 100, 'walk;walk;weigh': 1000 });
    expect(folded(callersOf(TREE, 1))).toEqual({ 'walk;main': 1110 });
    expect(folded(callersOf(TREE, 2))).toEqual({ 'weigh;walk;walk;main': 1000, 'weigh;main': 10_000 });
    expect(folded(calleesOf(TREE, 0))).toEqual({
      main: 1,
      'main;walk': 10,
      'main;walk;walk': 100,
      'main;walk;walk;weigh': 1000,
      'main;weigh': 10_000,
    });
  });
});
