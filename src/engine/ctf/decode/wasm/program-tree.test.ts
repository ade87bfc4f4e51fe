import { describe, expect, it } from 'vitest';
import * as op from '../program/program.ts';
import { registersOf, type Node } from './program-tree.ts';

const fill = (register: number): Node => ({
  kind: 'run',
  bits: 8,
  reads: [[op.OP_REGISTER, 0, register, 8]],
});
const read = (register: number): Node => ({ kind: 'plain', words: [op.OP_SKIP, register, 8] });
const loop = (register: number, ...body: Node[]): Node => ({
  kind: 'loop',
  register,
  count: 0,
  least: 0,
  body,
});
const choice = (register: number, ...branches: Node[][]): Node => ({
  kind: 'switch',
  register,
  cases: [],
  branches,
  otherwise: -1,
});

function factsOf(...nodes: Node[]): Record<string, number[]> {
  const { filled, surely, awaited } = registersOf(nodes);
  return { filled: [...filled], surely: [...surely], awaited: [...awaited] };
}

describe('registers of a program', () => {
  it('are surely filled behind a loop or branch only where every way fills them', () => {
    expect(factsOf(fill(1), loop(1, fill(2), read(2)), read(2))).toEqual({
      filled: [1, 2],
      surely: [1],
      awaited: [2],
    });
    expect(factsOf(choice(1, [fill(2), fill(3)], [fill(3), loop(3, fill(2))]), read(3), read(2))).toEqual({
      filled: [2, 3],
      surely: [3],
      awaited: [1, 2],
    });
    expect(factsOf(choice(-1, [fill(1)]), choice(-1, [fill(1), read(1)], []), read(1))).toEqual({
      filled: [1],
      surely: [1],
      awaited: [],
    });
  });

  it('are followed through very many loops in seconds', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => [fill(i), loop(i)]).flat();
    expect(factsOf(...many)).toMatchObject({ awaited: [] });
  });
});
