/** Flame charts against charts that are made by the definition: frame by frame, with all pieces at hand. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FlameChart, flameChart, StackRuns } from './flame-chart.ts';
import { DEEP } from '../../../../test/support/tier.ts';
import { forAll } from '../../../../test/support/for-all.ts';

/** A piece of running time: begin and end, and its stack as nodes from the outermost one on. */
interface Piece {
  readonly begin: number;
  readonly end: number;
  readonly path: readonly number[];
}

interface Frame {
  readonly node: number;
  readonly count: number;
  readonly at: number;
  readonly ns: number;
  readonly inside: number;
  readonly begin: number;
  readonly end: number;
  readonly within: readonly Frame[];
}

/** Lengths that are far apart, so that some frames are too short for any chart. */
const length = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 1, max: 300 }) },
  { weight: 2, arbitrary: fc.integer({ min: 500, max: 2_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 300_000 }) },
);
const step = fc.record({ wait: fc.oneof(fc.constant(0), length), ns: length, stack: fc.nat() });
const cases = fc.record({
  parents: fc.array(fc.nat(), { minLength: 1, maxLength: 12 }),
  steps: fc.array(step, { maxLength: 120, size: 'max' }),
});

describe('a flame chart', () => {
  it('has the frames that stacks have in common as long as they have them, and short ones together', async () => {
    let together = 0;
    await forAll(300, [cases], ({ parents, steps }) => {
      const parent = Int32Array.from([-1, ...parents.map((each, i) => each % (i + 1))]);
      const pathOf = (node: number): number[] => (node === 0 ? [] : [...pathOf(parent[node]), node]);
      const runs = new StackRuns();
      const pieces: Piece[] = [];
      let now = 1000;
      for (const { wait, ns, stack } of steps) {
        const begin = now + wait;
        now = begin + ns;
        const node = stack % parent.length;
        runs.add(begin, now, node);
        pieces.push({ begin, end: now, path: pathOf(node) });
      }
      const total = pieces.reduce((sum, piece) => sum + piece.end - piece.begin, 0);
      const chart = flameChart({ parent }, runs, [...parent.keys()]);
      const expected = framesIn(pieces, 0, 0, total / 1500);
      expect(nested(chart)).toEqual(expected);
      if (chart.count.some((count) => count > 1)) together++;
    });
    if (DEEP) expect(together).toBeGreaterThan(30);
  });

  it('is one tree for stacks that are called the same', () => {
    const runs = new StackRuns();
    runs.add(0, 10, 0);
    runs.add(10, 20, 1);
    const chart = flameChart({ parent: Int32Array.of(-1, 0) }, runs, [1, 1]);
    expect(nested(chart)).toEqual([
      { node: 1, count: 1, at: 0, ns: 20, inside: 20, begin: 0, end: 20, within: [] },
    ]);
  });

  it('does not grow with events, however deep and short they are', () => {
    const DEPTH = 1000;
    const runs = new StackRuns();
    // Two stacks without a frame in common, in turns.
    const parent = Int32Array.from({ length: 2 * DEPTH + 1 }, (_, node) =>
      node === DEPTH + 1 ? 0 : node - 1,
    );
    for (let i = 0; i < 20_000; i++) runs.add(2 * i, 2 * i + 1, i % 2);
    const chart = flameChart({ parent }, runs, [DEPTH, 2 * DEPTH]);
    expect(nested(chart)).toEqual([
      { node: -1, count: 20_000, at: 0, ns: 20_000, inside: 20_000, begin: 0, end: 39_999, within: [] },
    ]);
    const long = new StackRuns();
    for (let i = 0; i < 1000; i++) long.add(i, i + 1, i % 2);
    const deep = flameChart({ parent }, long, [DEPTH, 2 * DEPTH]);
    // 1.5 million frames by pixels alone.
    expect(deep.length).toBeLessThanOrEqual(50_000);
    expect(Math.max(...deep.count)).toBeGreaterThan(1);
  });

  it('is empty of a thread that did not run', () => {
    expect(flameChart({ parent: Int32Array.of(-1) }, new StackRuns(), []).length).toBe(0);
  });
});

/** Those of a depth in pieces that have all frames above in common; `at`: running time before them. */
function framesIn(pieces: readonly Piece[], depth: number, at: number, least: number): Frame[] {
  const found: Frame[] = [];
  let now = at;
  for (let first = 0; first < pieces.length;) {
    const node = pieces[first].path[depth];
    let next = first + 1;
    while (next < pieces.length && pieces[next].path[depth] === node) next++;
    const own = pieces.slice(first, next);
    const ns = own.reduce((sum, { begin, end }) => sum + end - begin, 0);
    if (node !== undefined) {
      const [{ begin }, { end }] = [own[0], own[own.length - 1]];
      const within = ns < least ? [] : framesIn(own, depth + 1, now, least);
      found.push({ node, count: 1, at: now, ns, inside: ns, begin, end, within });
    }
    now += ns;
    first = next;
  }
  return joined(found, least);
}

/** Neighbours that are too short as one, as far as nothing long is between them; alone they are left out. */
function joined(frames: readonly Frame[], least: number): Frame[] {
  const groups: Frame[][] = [];
  for (const frame of frames) {
    const last = groups.at(-1)?.at(-1);
    const isNear = last !== undefined && last.ns < least && frame.at - (last.at + last.ns) < least;
    if (frame.ns < least && isNear) groups.at(-1)?.push(frame);
    else groups.push([frame]);
  }
  return groups.map(together).filter(({ ns }) => ns >= least);
}

function together(frames: readonly Frame[]): Frame {
  const [first, last] = [frames[0], frames[frames.length - 1]];
  if (first === last) return first;
  return {
    node: frames.every(({ node }) => node === first.node) ? first.node : -1,
    count: frames.length,
    at: first.at,
    ns: last.at + last.ns - first.at,
    inside: frames.reduce((sum, { ns }) => sum + ns, 0),
    begin: first.begin,
    end: last.end,
    within: [],
  };
}

function nested(chart: FlameChart): Frame[] {
  const roots: Frame[] = [];
  const made: { within: Frame[] }[] = [];
  for (let i = 0; i < chart.length; i++) {
    const within: Frame[] = [];
    made.push({ within });
    const { node, count, at, ns, inside, begin, end, parent } = chart;
    (parent[i] < 0 ? roots : made[parent[i]].within).push({
      ...{ node: node[i], count: count[i], at: at[i], ns: ns[i], inside: inside[i] },
      ...{ begin: begin[i], end: end[i], within },
    });
  }
  return roots;
}
