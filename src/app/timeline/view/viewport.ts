/**
 * The visible stretch of time. Its begin is kept as whole ns plus a fraction, so that panning at 1 ns a hundred pixels
 * stays smooth years away from the origin, where a single double has steps of many ns.
 */
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { TimeRange } from '../../../engine/protocol/range.ts';

export type { TimeRange };

export interface Viewport {
  /** Whole ns at or before the left edge. */
  readonly start: DisplayNs;
  /** ns from `start` to the left edge, 0 ≤ fraction < 1. */
  readonly fraction: number;
  /** ns from the left to the right edge, positive. */
  readonly span: number;
}

/** Narrowest view: one ns is then wider than a hundred pixels on most screens. @internal */
export const SHORTEST_SPAN = 8;

/** Least span as a share of the time: beyond 2^53 ns doubles have steps, which would become visible and stop loops over time. */
const SHORTEST_SHARE = 2 ** -40;

/** Narrowest span (ns) of a view that begins at `start`. */
function shortestSpan(start: DisplayNs): number {
  return Math.abs(start) <= Number.MAX_SAFE_INTEGER ? SHORTEST_SPAN : Math.abs(start) * SHORTEST_SHARE;
}

export function viewportOf(range: TimeRange): Viewport {
  return viewport(range.from, 0, range.to - range.from);
}

/** Whole ns that the viewport touches. */
export function rangeOf(view: Viewport): TimeRange {
  return { from: view.start, to: view.start + Math.ceil(view.fraction + view.span) };
}

/** Pixels from the left edge to `time` (ns) when the view is `width` pixels wide. */
export function xOfTime(view: Viewport, width: number, time: DisplayNs): number {
  return (time - view.start - view.fraction) * (width / view.span);
}

/** Whole ns under a pixel, at its left edge if it is wider than a ns. */
export function timeOfX(view: Viewport, width: number, x: number): DisplayNs {
  return view.start + Math.floor(view.fraction + (x / width) * view.span);
}

/** The viewport moved by a share of its span; positive is later. */
export function panned(view: Viewport, share: number): Viewport {
  return viewport(view.start, view.fraction + share * view.span, view.span);
}

/** The viewport zoomed by `factor` (above 1: closer) around the point at `share` of the width. */
export function zoomed(view: Viewport, factor: number, share: number): Viewport {
  const span = Math.max(shortestSpan(view.start + view.span), view.span / factor);
  return viewport(view.start, view.fraction + share * (view.span - span), span);
}

/** The viewport within `all`; a wider one becomes all of it. */
export function clamped(view: Viewport, all: TimeRange): Viewport {
  const length = Math.max(SHORTEST_SPAN, all.to - all.from);
  if (view.span >= length) return viewport(all.from, 0, length);
  const begin = view.start - all.from + view.fraction;
  if (begin < 0) return viewport(all.from, 0, view.span);
  if (begin + view.span > length) return viewport(all.from, length - view.span, view.span);
  return view;
}

/** Interpolates two views at `t` of 0 … 1. Spans change geometrically, so that a long zoom has an even speed. */
export function between(a: Viewport, b: Viewport, t: number): Viewport {
  if (t >= 1) return b;
  const span = a.span * (b.span / a.span) ** t;
  const moved = b.start - a.start + (b.fraction - a.fraction);
  // The begin follows the span, so that the point that both views share stays in place.
  const share = Math.abs(b.span - a.span) < a.span * 1e-6 ? t : (span - a.span) / (b.span - a.span);
  return viewport(a.start, a.fraction + moved * share, span);
}

/** Whole ns in the middle of the view. */
export function middle(view: Viewport): DisplayNs {
  return view.start + Math.floor(view.fraction + view.span / 2);
}

export function sameViewport(a: Viewport, b: Viewport): boolean {
  return a.start === b.start && a.fraction === b.fraction && a.span === b.span;
}

/** Viewport with the whole part of `fraction` carried over to `start`. */
function viewport(start: DisplayNs, fraction: number, span: number): Viewport {
  const whole = Math.floor(fraction);
  return { start: start + whole, fraction: fraction - whole, span };
}
