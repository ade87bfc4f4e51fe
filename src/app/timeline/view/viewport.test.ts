import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  SHORTEST_SPAN,
  between,
  clamped,
  panned,
  rangeOf,
  timeOfX,
  viewportOf,
  xOfTime,
  zoomed,
  type Viewport,
} from './viewport.ts';
import { forAll } from '../../../../test/support/for-all.ts';

const YEAR = 365 * 86_400 * 1e9;
const anyView = fc
  .record({ from: fc.integer({ min: 0, max: 9e15 }), span: fc.integer({ min: 10, max: 1e16 }) })
  .map(({ from, span }) => viewportOf({ from, to: from + span }));

describe('viewport', () => {
  it('tells single ns apart a hundred days from the origin', () => {
    const start = 100 * 86_400 * 1e9 + 1;
    const view = viewportOf({ from: start, to: start + 10 });
    expect(xOfTime(view, 1000, start + 3)).toBe(300);
    expect(timeOfX(view, 1000, 399)).toBe(start + 3);
    expect(timeOfX(view, 1000, 400)).toBe(start + 4);
  });

  it('pans by fractions of a ns without losing them', () => {
    const start = 8e15;
    let view = viewportOf({ from: start, to: start + 10 });
    for (let i = 0; i < 1000; i++) view = panned(view, 0.001);
    expect(view.start + Math.round(view.fraction * 1e6) / 1e6).toBe(start + 10);
    expect(view.fraction).toBeGreaterThanOrEqual(0);
    expect(view.fraction).toBeLessThan(1);
  });

  it('keeps the time under the pointer while zooming', () =>
    forAll(
      100,
      [anyView, fc.double({ min: 1, max: 8, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })],
      (view, factor, share) => {
        const closer = zoomed(view, factor, share);
        const before = view.fraction + share * view.span;
        const after = closer.start - view.start + closer.fraction + share * closer.span;
        expect(Math.abs(after - before)).toBeLessThanOrEqual(1e-6 + view.span * 1e-9);
        expect(closer.span).toBeGreaterThanOrEqual(SHORTEST_SPAN);
      },
    ));

  it('stays so wide that times in it can be told apart', () => {
    const far = viewportOf({ from: 2 ** 63, to: 2 ** 64 });
    const { start, span } = zoomed(far, 2 ** 60, 0.5);
    expect(span).toBe(2 ** 24);
    expect(start + span / 1024).toBeGreaterThan(start);
  });

  it('takes pixels to times and back', () =>
    forAll(100, [anyView, fc.integer({ min: 0, max: 1999 })], (view, x) => {
      const time = timeOfX(view, 2000, x);
      const pixelNs = view.span / 2000;
      expect(xOfTime(view, 2000, time)).toBeLessThanOrEqual(x + 1e-3);
      expect(xOfTime(view, 2000, time + Math.max(1, pixelNs))).toBeGreaterThan(x - 1e-3);
    }));

  it('stays within the experiment but for a margin', () => {
    const all = { from: 0, to: 1000 };
    const within = (view: Viewport) => [view.start + view.fraction, view.span];
    expect(within(clamped(viewportOf({ from: -500, to: -400 }), all))).toEqual([0, 100]);
    expect(within(clamped(viewportOf({ from: 5000, to: 5100 }), all))).toEqual([900, 100]);
    expect(within(clamped(viewportOf({ from: -10, to: 5000 }), all))).toEqual([0, 1000]);
  });

  it('animates from one view to another and ends exactly there', () => {
    const a = viewportOf({ from: 0, to: YEAR });
    const b = viewportOf({ from: 1_234_567, to: 1_234_589 });
    expect(between(a, b, 1)).toBe(b);
    const half = between(a, b, 0.5);
    expect(half.span).toBeCloseTo(Math.sqrt(YEAR * 22), -3);
    expect(rangeOf(half).from).toBeLessThanOrEqual(b.start);
    expect(rangeOf(half).to).toBeGreaterThanOrEqual(b.start + 22);
  });
});
