import { describe, expect, it } from 'vitest';
import { RUNNING, VIA_NOTHING, VIA_WAIT, VIA_WAKE_UP } from '../../../engine/graph/path-codes.ts';
import type { PathAnswer } from '../../../engine/protocol/paths.ts';
import type { Palette } from '../../draw/palette.ts';
import { layoutRows } from '../rows/row-layout.ts';
import { shownPath } from '../view/shown-path.ts';
import { viewportOf } from '../view/viewport.ts';
import { paintArrows } from './path-arrows.ts';
import { PLAIN_LAYOUT, plainRow } from '../../../../test/support/timeline/plain-row.ts';

const WIDTH = 1000;
const HEIGHT = 100;
const ROW = 20;
const ROWS = Array.from({ length: 2000 }, (_, i) =>
  plainRow(`thread:0:${i}`, -1, 'thread', { attribute: i }),
);
const LAYOUT = layoutRows(ROWS, { ...PLAIN_LAYOUT, rowHeight: ROW, hostHeight: ROW });

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

/** What is drawn of the whole of a path: arrows, of each the head's x; and columns of the band of density. */
function drawn(numbers: readonly number[], step = -1) {
  const band: { readonly x: number; readonly alpha: number }[] = [];
  const lines = new Map<string, { readonly x: number; readonly strong: boolean }>();
  let [begin, end] = [
    [0, 0],
    [0, 0],
  ];
  const context = {
    lineWidth: 0,
    globalAlpha: 1,
    moveTo: (x: number, y: number) => (begin = [x, y]),
    lineTo: (x: number, y: number) => (end = [x, y]),
    stroke: () =>
      lines.set(`${end[0]} ${begin[1]} ${end[1]}`, { x: end[0], strong: context.lineWidth === 2.5 }),
    beginPath: () => undefined,
    closePath: () => undefined,
    fill: () => undefined,
    setLineDash: () => undefined,
    fillRect: (x: number) => band.push({ x, alpha: context.globalAlpha }),
  };
  const path = pathIn(numbers);
  paintArrows({
    context: context as unknown as CanvasRenderingContext2D,
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
  return { arrows: [...lines.values()], band };
}

const zeros = (count: number): number[] => new Array<number>(count).fill(0);

/** From the first row to one after the other of `count` and back, `times` times. */
const visits = (times: number, rowOf: (i: number) => number): number[] =>
  Array.from({ length: 2 * times }, (_, i) => (i % 2 === 0 ? 0 : rowOf(i >> 1)));

describe('arrows of a path', () => {
  it('are all drawn where each has a place of its own', () => {
    const { arrows, band } = drawn(visits(4, (i) => i + 1));
    expect(arrows).toHaveLength(7);
    expect(band).toEqual([]);
  });

  it('are lines where a few touch, and a density where many do', () => {
    // A short wait, in the middle of a long time in the first row.
    const few = drawn([...zeros(500), 1, 0, 1, ...zeros(500)]);
    expect(few.arrows).toHaveLength(4);
    expect(few.band).toEqual([]);
    const many = drawn([...zeros(500), ...visits(20, () => 1), ...zeros(500)]);
    expect(many.arrows).toEqual([]);
    expect(many.band.length).toBeGreaterThan(0);
    for (const { x } of many.band) {
      expect(x).toBeGreaterThan(470);
      expect(x).toBeLessThan(530);
    }
  });

  it('are a density over all of a long path, as dark as there are many', () => {
    const rowOf = (i: number) => 2 + ((7 * i) % 3);
    const { arrows, band } = drawn(visits(50_000, rowOf));
    expect(arrows).toEqual([]);
    expect(band[0].x).toBe(0);
    expect(band.at(-1)?.x).toBeGreaterThan(WIDTH - 10);
    const alphas = band.slice(0, -1).map(({ alpha }) => alpha);
    expect(Math.min(...alphas)).toBe(1);
    const sparse = drawn(visits(500, rowOf)).band.slice(0, -1);
    expect(Math.max(...sparse.map(({ alpha }) => alpha))).toBeLessThan(0.5);
  });

  it('keep those of the segment that is stepped to', () => {
    const { arrows } = drawn(
      visits(50_000, (i) => 2 + ((7 * i) % 3)),
      77_777,
    );
    expect(arrows.map(({ strong }) => strong)).toEqual([true, true]);
  });
});
