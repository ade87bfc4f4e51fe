/** Where points of durations over time stand in a picture. Pure. */
import { logScale } from '../../engine/words/scale.ts';

export interface Points {
  readonly length: number;
  /** CSS pixels. */
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** A picture with margins around the points, in CSS pixels. */
interface Area {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/**
 * The shortest stands at the bottom and the longest at the top; what began before the extent at its begin.
 * @param fromNs when each began; as many as `ns`, the longest first
 */
export function scatterPoints(
  fromNs: Float64Array,
  ns: Float64Array,
  extent: { readonly from: number; readonly to: number },
  { width, height, left, right, top, bottom }: Area,
): Points {
  const { length } = ns;
  const scale = logScale(ns[length - 1] ?? 1, ns[0] ?? 1);
  const x = new Float32Array(length);
  const y = new Float32Array(length);
  const perNs = Math.max(0, width - left - right) / Math.max(1, extent.to - extent.from);
  for (let i = 0; i < length; i++) {
    x[i] = left + Math.max(0, Math.min(extent.to, fromNs[i]) - extent.from) * perNs;
    y[i] = height - bottom - scale.place(ns[i]) * (height - bottom - top);
  }
  return { length, x, y };
}

/** The point nearest to a place, -1 where none is within reach (CSS pixels); of equal ones the first. Linear. */
export function nearestPoint({ length, x, y }: Points, atX: number, atY: number, reach: number): number {
  let found = -1;
  let least = reach * reach;
  for (let i = 0; i < length; i++) {
    const distance = (x[i] - atX) ** 2 + (y[i] - atY) ** 2;
    if (distance < least || (distance === least && found < 0)) {
      least = distance;
      found = i;
    }
  }
  return found;
}
