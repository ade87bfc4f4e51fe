/** Scale of a row of numbers, and its numbers as text. */
import type { PlotAnswer } from '../../../engine/protocol/rows.ts';
import { formatBytes, formatCount, formatShort, THIN } from '../../format/numbers.ts';

/** Range, unit and window of the numbers of a row as a whole. */
export type PlotRange = Pick<PlotAnswer, 'low' | 'high' | 'unit' | 'windowNs'>;

/** Share of the greatest number: if numbers differ by less, the scale does not begin at 0, so that changes are visible. */
const LEAST_CHANGE = 0.2;

function scaleOf({ low, high }: PlotRange): { readonly base: number; readonly top: number } {
  if (low < 0) return { base: low, top: Math.max(0, high) };
  return { base: high > low && high - low < LEAST_CHANGE * high ? low : 0, top: high };
}

/** Function that maps a number to its share of the row's height, 0-1. */
export function plotHeights(range: PlotRange): (number: number) => number {
  const { base, top } = scaleOf(range);
  return (number) => (top > base ? Math.max(0, Math.min(1, (number - base) / (top - base))) : 0);
}

/** "0 – 2.4 GHz"; of a row without numbers ''. */
export function scaleText(range: PlotRange): string {
  if (Number.isNaN(range.low)) return '';
  const { base, top } = scaleOf(range);
  const text = plotText(range.unit, top);
  return base === 0 ? text : `${formatShort(base)} – ${text}`;
}

/** "800 MHz to 2.4 GHz"; of one number that alone. */
export function plotRangeText(unit: PlotRange['unit'], least: number, most: number): string {
  if (Number.isNaN(least)) return 'no number';
  return least === most ? plotText(unit, least) : `${plotText(unit, least)} to ${plotText(unit, most)}`;
}

function plotText(unit: PlotRange['unit'], number: number): string {
  switch (unit) {
    case 'number':
      return formatCount(number);
    case 'hertz':
      return number < 10_000 ? `${formatCount(number)}${THIN}Hz` : `${formatShort(number)}Hz`;
    case 'number per second':
      return `${formatShort(number)}/s`;
    case 'bytes per second':
      return `${formatBytes(number)}/s`;
    case 'bytes':
      return formatBytes(number);
  }
}
