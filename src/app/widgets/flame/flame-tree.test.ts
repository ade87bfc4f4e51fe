import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boxAt, flameTree, foldedText, layoutFlame, matchedValue, type FlameFrame } from './flame-tree.ts';
import { forAll } from '../../../../test/support/for-all.ts';

const frame = (parent: number, text: string, value: number): FlameFrame => ({ parent, text, code: 0, value });
const TREE = flameTree([
  frame(-1, 'client', 100),
  frame(0, 'blocked', 80),
  frame(0, 'running', 20),
  frame(1, 'server', 80),
  frame(3, 'disk; vdb', 60),
  frame(3, 'kernel', 19.9),
  frame(3, 'user', 0.1),
]);

describe('a flame graph', () => {
  it('puts larger children first and leaves out what is too narrow', () => {
    expect(layoutFlame(TREE, -1, 200).map(({ frame, depth, x, width }) => [frame, depth, x, width])).toEqual([
      [0, 0, 0, 200],
      [1, 1, 0, 160],
      [2, 1, 160, 40],
      [3, 2, 0, 160],
      [4, 3, 0, 120],
      [5, 3, 120, 39.8],
    ]);
  });

  it('puts what stands apart last, however large, and behind what is too narrow', () => {
    const apart = { ...frame(-1, 'no stack', 60), isApart: true };
    const tree = flameTree([apart, frame(-1, 'main', 39.9), frame(-1, 'short', 0.1)]);
    expect(layoutFlame(tree, -1, 100).map(({ frame, x, width }) => [frame, x, width])).toEqual([
      [1, 0, 39.9],
      [0, 40, 60],
    ]);
  });

  it('gives the width to the frame in focus, below its ancestors', () => {
    const boxes = layoutFlame(TREE, 3, 80);
    expect(boxes.map(({ frame, depth, width }) => [frame, depth, width])).toEqual([
      [0, 0, 80],
      [1, 1, 80],
      [3, 2, 80],
      [4, 3, 60],
      [5, 3, 19.9],
    ]);
    expect(boxAt(boxes, 3, 70)?.frame).toBe(5);
    expect(boxAt(boxes, 3, 79.95)).toBeUndefined();
  });

  it('in order of time leaves room where nothing is, and draws what is narrow', () => {
    const timed = [frame(-1, 'a', 40), frame(-1, 'b', 50), frame(1, 'c', 0.1), frame(1, 'd', 30)];
    const at = [0, 50, 55, 60];
    const tree = flameTree(
      timed.map((each, i) => ({ ...each, at: at[i] })),
      timed,
      100,
    );
    const placed = (focus: number, width: number) =>
      layoutFlame(tree, focus, width).map((box) => [box.frame, box.depth, box.x, box.width]);
    expect(placed(-1, 100)).toEqual([
      [0, 0, 0, 40],
      [1, 0, 50, 50],
      [2, 1, 55, 0.1],
      [3, 1, 60, 30],
    ]);
    expect(placed(1, 100)).toEqual([
      [1, 0, 0, 100],
      [2, 1, 10, 0.2],
      [3, 1, 20, 60],
    ]);
  });

  it('counts what matches once', () => {
    expect(matchedValue(TREE, (text) => text.includes('e'))).toBe(100);
    expect(matchedValue(TREE, (text) => text === 'server' || text === 'kernel')).toBe(80);
  });

  it('writes folded stacks whose numbers add up to the whole', () => {
    const lines = foldedText(TREE).split('\n');
    expect(lines).toContain('client;blocked;server;disk_ vdb 60');
    expect(lines).toContain('client;running 20');
    expect(lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)).toBe(100);
  });

  it('draws no child beyond its parent', async () => {
    const trees = fc.array(fc.record({ parent: fc.nat(), own: fc.nat(1000) }), {
      minLength: 1,
      maxLength: 60,
    });
    await forAll(100, [trees, fc.integer({ min: 1, max: 2000 }), fc.nat()], (plan, width, chosen) => {
      const parents = plan.map(({ parent }, i) => (i === 0 ? -1 : (parent % (i + 1)) - 1));
      const values = plan.map(({ own }) => own);
      for (let i = plan.length - 1; i > 0; i--) if (parents[i] >= 0) values[parents[i]] += values[i];
      const tree = flameTree(parents.map((parent, i) => frame(parent, `${i}`, values[i])));
      const boxes = layoutFlame(tree, (chosen % (plan.length + 1)) - 1, width);
      for (const { frame: number, x, width: w, depth } of boxes) {
        const parent = boxes.find((box) => box.frame === parents[number]);
        expect(x + w).toBeLessThanOrEqual(width * (1 + 1e-9));
        if (parent === undefined) continue;
        expect(parent.depth).toBe(depth - 1);
        expect(x).toBeGreaterThanOrEqual(parent.x - 1e-9);
        expect(x + w).toBeLessThanOrEqual((parent.x + parent.width) * (1 + 1e-9));
      }
    });
  });
});
