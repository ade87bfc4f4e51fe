import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SPAN_LEVELS, spanValue, waitValue } from '../../../engine/layers/contract/span-values.ts';
import * as values from '../../../engine/linux/events/values.ts';
import { BlockBuilder, type RowPiece } from './block-geometry.ts';
import {
  DRAW_DISK,
  DRAW_KERNEL,
  DRAW_STYLES,
  DRAW_THREAD,
  DRAW_USER,
  drawCodeOf,
} from '../../draw/draw-codes.ts';
import {
  CAUSE_AT,
  FORM_AT,
  FORM_DENSITY,
  FORM_LOAD,
  FORM_MIXED,
  INSTANCE_BYTES,
  SHARES_AT,
  SLOT_AT,
  type Instances,
} from './instances.ts';
import { TILE_COLUMNS } from './levels.ts';
import { writeTile, type PlainInterval } from '../../../../test/support/timeline/tile-writer.ts';
import { forAll } from '../../../../test/support/for-all.ts';

const DISK = values.blockedValue(values.STATE_BLOCKED_D, values.CAUSE_DISK, -1);
const THREAD = values.blockedValue(values.STATE_BLOCKED_S, values.CAUSE_THREAD, 4);

/** Rectangles as plain data. */
function listed({ bytes, count }: Instances) {
  const floats = new Float32Array(bytes.buffer);
  return Array.from({ length: count }, (_, i) => {
    const at = i * INSTANCE_BYTES;
    return {
      slot: bytes[at + SLOT_AT],
      form: bytes[at + FORM_AT],
      cause: bytes[at + CAUSE_AT],
      from: floats[at / 4],
      to: floats[at / 4 + 1],
      shares: [...bytes.subarray(at + SHARES_AT, at + SHARES_AT + 8)],
    };
  });
}

function build(
  intervals: readonly PlainInterval[],
  from: number,
  columnNs: number,
  bucketNs = columnNs,
  kind: 'thread' | 'layer' = 'thread',
) {
  const to = from + TILE_COLUMNS * columnNs;
  const tile = writeTile([{ kind, intervals }], from, to, bucketNs);
  const piece: RowPiece = { kind: 'states', spans: { tile, row: 0 } };
  return listed(new BlockBuilder().build([{ kind, piece }], { from, columnNs }));
}

describe('BlockBuilder', () => {
  it('keeps wide intervals exact and joins neighbours that look the same', () => {
    const built = build(
      [
        { from: 0, to: 1000, value: values.STATE_USER },
        { from: 1000, to: 3000, value: values.STATE_PREEMPTED },
        { from: 3000, to: 5000, value: values.STATE_WOKEN },
        { from: 5000, to: 9000, value: DISK },
      ],
      0,
      256,
    );
    expect(built.map(({ form, from, to }) => [form, from * 256, to * 256])).toEqual([
      [DRAW_USER, 0, 1000],
      [4, 1000, 5000],
      [DRAW_DISK, 5000, 9000],
    ]);
  });

  it('fills spans with a level to a share of the height, and waits with their pattern', () => {
    const intervals = [
      { from: 0, to: 1000, value: spanValue(3, 0, 9, 2) },
      { from: 1000, to: 3000, value: spanValue(3, 0, 10, SPAN_LEVELS) },
      { from: 3000, to: 5000, value: spanValue(3, 1, 11) },
      { from: 5000, to: 9000, value: waitValue(3, 12) },
    ];
    const built = build(intervals, 0, 256, 256, 'layer');
    const span = drawCodeOf('layer', spanValue(3, 0, 9));
    const wait = drawCodeOf('layer', waitValue(3, 12));
    expect(built.map(({ form, cause, shares }) => [form, cause, shares[4]])).toEqual([
      [FORM_MIXED, span, Math.round((2 / SPAN_LEVELS) * 255)],
      [FORM_MIXED, span, 255],
      [span + 1, 0, 0],
      [wait, 0, 0],
    ]);
    expect(DRAW_STYLES[wait]).toMatchObject({ form: 'wait', token: DRAW_STYLES[span].token });
  });

  it('cuts intervals at the borders of the tile', () => {
    const [only] = build([{ from: 0, to: 1e9, value: DISK }], 512 * 256, 256);
    expect([only.from, only.to]).toEqual([0, TILE_COLUMNS]);
  });

  it('sums what is narrower than a column into shares from the base, over the longest wait', () => {
    const intervals = [
      { from: 0, to: 64, value: values.STATE_USER },
      { from: 64, to: 128, value: values.STATE_KERNEL },
      { from: 128, to: 256, value: THREAD },
    ];
    const [column, ...rest] = build(intervals, 0, 256);
    expect(rest).toEqual([]);
    expect(column).toMatchObject({ form: FORM_MIXED, cause: DRAW_THREAD, from: 0, to: 1 });
    const share = (i: number) => column.shares[i] / 255;
    expect(share(0)).toBeCloseTo(0.25, 1);
    expect(share(1)).toBeCloseTo(0.25, 1);
    expect(share(4)).toBeCloseTo(0.5, 1);
  });

  it('stretches a lone burst so that it is seen', () => {
    const [column] = build([{ from: 0, to: 2, value: values.STATE_KERNEL }], 0, 256, 1);
    expect(column.form).toBe(FORM_MIXED);
    expect(column.shares[DRAW_KERNEL - 1]).toBeGreaterThan(0);
  });

  it('leaves no notch where a narrow interval stands between wide ones', () => {
    const intervals = [
      { from: 0, to: 1000, value: values.STATE_USER },
      { from: 1000, to: 1010, value: values.STATE_INTERRUPTED },
      { from: 1010, to: 5000, value: values.STATE_USER },
    ];
    const column = build(intervals, 0, 256, 1).find((i) => i.form === FORM_MIXED);
    expect([column?.from, column?.to]).toEqual([3, 4]);
    const total = column?.shares.slice(0, 6).reduce((a, b) => a + b, 0) ?? 0;
    expect(total).toBeGreaterThanOrEqual(254);
  });

  it('is bounded by columns and shows as much of a state as there is', async () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 400 });
    const states = fc.constantFrom(values.STATE_USER, values.STATE_KERNEL, values.STATE_WOKEN, DISK, THREAD);
    await forAll(
      60,
      [lengths, fc.infiniteStream(states), fc.constantFrom(1, 4, 16)],
      (list, stream, bucketNs) => {
        let at = 0;
        const intervals = list.map((length) => {
          const from = at;
          at += length;
          return { from, to: at, value: stream.next().value };
        });
        const built = build(intervals, 0, 64, bucketNs);
        expect(built.length).toBeLessThanOrEqual(2 * TILE_COLUMNS);
        for (const { from, to } of built) {
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(TILE_COLUMNS);
          expect(to).toBeGreaterThan(from);
        }
        const end = Math.min(at, TILE_COLUMNS * 64);
        const user = intervals.filter((i) => i.value === values.STATE_USER && i.from < end);
        const expected = user.reduce((sum, i) => sum + Math.min(i.to, end) - i.from, 0) / 64;
        const exact = built.filter((i) => i.form === DRAW_USER).reduce((sum, i) => sum + i.to - i.from, 0);
        const shown = built
          .filter((i) => i.form === FORM_MIXED)
          .reduce((sum, i) => sum + ((i.to - i.from) * i.shares[0]) / 255, 0);
        // Shares are rounded to a 32nd; a thinly covered column is stretched up to 1 / 0.35.
        expect(exact + shown).toBeGreaterThanOrEqual(expected - built.length / 32 - 0.01);
        expect(exact).toBeLessThanOrEqual(expected + 1e-6);
      },
    );
  });

  it('draws load as touching trapezoids, nothing where it is unknown', () => {
    const used = new Float32Array(TILE_COLUMNS + 4).fill(1);
    used[2 + 7] = NaN;
    const piece: RowPiece = {
      kind: 'load',
      load: { used, unknown: used.map((v) => v * 0) },
      margin: 2,
      capacity: 2,
    };
    const built = listed(new BlockBuilder().build([{ kind: 'host', piece }], { from: 0, columnNs: 64 }));
    expect(built).toHaveLength(TILE_COLUMNS - 1);
    expect(built.every((i) => i.form === FORM_LOAD && i.shares[0] === 128 && i.shares[1] === 128)).toBe(true);
    expect(built.some((i) => i.from === 7)).toBe(false);
  });

  it('draws what is unknown of the load above what is known, up to the top of the row', () => {
    const used = new Float32Array(TILE_COLUMNS + 4).fill(0.5);
    const unknown = used.map((_, i) => (i < 100 ? 1 : 8));
    const piece: RowPiece = { kind: 'load', load: { used, unknown }, margin: 2, capacity: 2 };
    const built = listed(new BlockBuilder().build([{ kind: 'host', piece }], { from: 0, columnNs: 64 }));
    expect(built).toHaveLength(TILE_COLUMNS);
    expect(built[10].shares.slice(0, 4)).toEqual([64, 64, 191, 191]);
    expect(built[200].shares.slice(0, 4)).toEqual([64, 64, 255, 255]);
  });

  it('draws density on a logarithmic scale', () => {
    const piece: RowPiece = { kind: 'density', values: Float32Array.of(0, 1, 64 * 128, 1e9) };
    const built = listed(new BlockBuilder().build([{ kind: 'stream', piece }], { from: 0, columnNs: 64 }));
    expect(built.map((i) => i.form)).toEqual([FORM_DENSITY, FORM_DENSITY, FORM_DENSITY]);
    // Few events are seen, and are far below many.
    expect(built[0].shares[0]).toBeGreaterThanOrEqual(0.2 * 255);
    expect(built[0].shares[0]).toBeLessThan(75);
    expect(built.slice(1).map((i) => i.shares[0])).toEqual([255, 255]);
  });
});
