import { describe, expect, it } from 'vitest';
import { RUNNING, VIA_NOTHING, VIA_WAIT, VIA_WAKE_UP } from '../../../engine/graph/path-codes.ts';
import type { PathAnswer, RowInfo } from '../../../workers/session-api.ts';
import type { Palette } from '../../draw/palette.ts';
import { layoutRows } from '../row-layout.ts';
import { shownPath } from '../shown-path.ts';
import { viewportOf } from '../viewport.ts';
import { paintArrows } from './path-arrows.ts';

const WIDTH = 1000;
const HEIGHT = 100;
const ROW = 20;
const ROWS = Array.from({ length: 2000 }, (_, i) => {
  return { id: `thread:0:${i}`, parent: -1, kind: 'thread', name: `t${i}`, host: 0, attribute: i } as RowInfo;
});
const LAYOUT = layoutRows(ROWS, {
  toggled: new Set(),
  pinned: new Set(),
  filter: '',
  byNamespace: true,
  sort: 'found',
  found: new Map(ROWS.map(({ id }, i) => [id, i])),
  rowHeight: ROW,
  hostHeight: ROW,
});

/** A path of segments of 1 ns in rows of these numbers. */
function pathIn(numbers: readonly number[]) {
  const all = numbers.map((_, i) => i);
  const answer = {
    row: ROWS[numbers[0]].id,
    from: 0,
    to: numbers.length,
    workers: ROWS.map(({ id }) => ({ row: id, host: 0 })),
    segments: {
      length: numbers.length,
      worker: Int32Array.from(numbers),
      from: Float64Array.from(all),
      to: Float64Array.from(all, (i) => i + 1),
      label: new Uint8Array(numbers.length).fill(RUNNING),
      via: Uint8Array.from(all, (i) =>
        i === 0 ? VIA_NOTHING : numbers[i] > numbers[i - 1] ? VIA_WAIT : VIA_WAKE_UP,
      ),
    },
  } as unknown as PathAnswer;
  return shownPath(answer, ROWS);
}

/** Where arrows are drawn of the whole of a path, of each the head's x and which rows it joins. */
function drawn(numbers: readonly number[], step = -1) {
  const lines = new Map<string, { readonly x: number; readonly strong: boolean }>();
  let [begin, end] = [
    [0, 0],
    [0, 0],
  ];
  const context = {
    lineWidth: 0,
    moveTo: (x: number, y: number) => (begin = [x, y]),
    lineTo: (x: number, y: number) => (end = [x, y]),
    stroke: () =>
      lines.set(`${end[0]} ${begin[1]} ${end[1]}`, { x: end[0], strong: context.lineWidth === 2.5 }),
    beginPath: () => undefined,
    closePath: () => undefined,
    fill: () => undefined,
    setLineDash: () => undefined,
  };
  const path = pathIn(numbers);
  paintArrows(context as unknown as CanvasRenderingContext2D, {
    frame: {
      view: viewportOf({ from: 0, to: numbers.length }),
      width: WIDTH,
      height: HEIGHT,
      ratio: 1,
      layout: LAYOUT,
      scrollTop: 0,
    },
    palette: { path: { css: '' }, pathHalo: { css: '' } } as Palette,
    path,
    step,
  });
  return [...lines.values()];
}

/** From the first row to one after the other of `count` and back, `times` times. */
const visits = (times: number, rowOf: (i: number) => number): number[] =>
  Array.from({ length: 2 * times }, (_, i) => (i % 2 === 0 ? 0 : rowOf(i >> 1)));

/** Arrows by tenths of the width. */
function tenths(arrows: readonly { readonly x: number }[]): number[] {
  const counts = new Array<number>(10).fill(0);
  for (const { x } of arrows) counts[Math.min(9, Math.floor((10 * x) / WIDTH))]++;
  return counts;
}

describe('arrows of a path', () => {
  it('are all drawn where each has a place of its own', () => {
    expect(drawn(visits(4, (i) => i + 1))).toHaveLength(7);
  });

  it('to rows out of sight are one where they point at one pixel', () => {
    const arrows = drawn(visits(10_000, (i) => 10 + (i % 1990)));
    // Down and up, and no pixel twice.
    expect(arrows.length).toBeLessThanOrEqual(2 * (WIDTH + 1));
    for (const count of tenths(arrows)) expect(count).toBeGreaterThan(WIDTH / 20);
  });

  it('too many for one picture are thinned over all of it', () => {
    const arrows = drawn(visits(50_000, (i) => 2 + ((7 * i) % 3)));
    expect(arrows.length).toBeLessThanOrEqual(1500);
    const counts = tenths(arrows);
    expect(Math.min(...counts)).toBeGreaterThan(0.8 * Math.max(...counts));
  });

  it('keep those of the segment that is stepped to', () => {
    const strong = drawn(
      visits(50_000, (i) => 2 + ((7 * i) % 3)),
      77_777,
    ).filter((arrow) => arrow.strong);
    expect(strong).toHaveLength(2);
  });
});
