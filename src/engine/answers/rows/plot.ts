/**
 * Rows of numbers over time, in buckets: the least and greatest number of each bucket. A rate is the growth of a sum
 * per second over windows whose width depends only on the length of the history, so the scale of a row does not change
 * with the zoom.
 */
import { firstWhere } from '../../base/lower-bound.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { HostNs } from '../../base/units.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import { isRate, plotNumber, type PlotUnit, plotUnit } from '../../layers/plots/plot-values.ts';
import type { Grid } from './resample.ts';
import type { PlotAnswer } from '../../protocol/rows.ts';
import { roundStep } from '../../words/scale.ts';
import type { ShownHistory } from './tiles.ts';

/** Windows of a history's rates: about this many, at most two and a half times as many. */
const WINDOWS = 1000;

/** Pieces of numbers that touch or have gaps between them, in order of time; HostNs. NaN: not known. */
interface Numbers extends Pick<PlotAnswer, 'low' | 'high' | 'unit' | 'windowNs'> {
  readonly length: number;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly number: Float64Array;
}

/** @param attribute of a layer's plot */
export async function plotOf(
  { query, clock }: ShownHistory,
  attribute: number,
  grid: Grid,
): Promise<PlotAnswer> {
  const numbers = await numbersOf(query)(attribute);
  const { low, high, unit, windowNs } = numbers;
  const edges = Float64Array.from({ length: grid.length + 1 }, (_, i) =>
    clock.toHost(grid.from + i * grid.bucketNs),
  );
  return { ...extremes(numbers, edges), low, high, unit, windowNs };
}

export function noPlot({ length }: Grid): PlotAnswer {
  const none = () => new Float64Array(length).fill(NaN);
  return { least: none(), most: none(), low: NaN, high: NaN, unit: 'number', windowNs: 0 };
}

/** Least and greatest number between each two edges. Linear in numbers and edges. */
function extremes(
  { length, begin, end, number }: Numbers,
  edges: Float64Array,
): Pick<PlotAnswer, 'least' | 'most'> {
  const buckets = edges.length - 1;
  const least = new Float64Array(buckets).fill(NaN);
  const most = new Float64Array(buckets).fill(NaN);
  let first = firstWhere(0, length, (i) => end[i] > edges[0]);
  for (let bucket = 0; bucket < buckets; bucket++) {
    while (first < length && end[first] <= edges[bucket]) first++;
    for (let i = first; i < length && begin[i] < edges[bucket + 1]; i++) {
      const value = number[i];
      if (Number.isNaN(value)) continue;
      if (!(value >= least[bucket])) least[bucket] = value;
      if (!(value <= most[bucket])) most[bucket] = value;
    }
  }
  return { least, most };
}

/** Numbers by attribute of a complete history; cached as long as the history is there. */
const numbersOf = cachedByKey((query: HistoryQuery) => {
  const known = new Map<number, Promise<Numbers>>();
  return (attribute: number): Promise<Numbers> => {
    const found = known.get(attribute) ?? readNumbers(query, attribute);
    known.set(attribute, found);
    return found;
  };
});

async function readNumbers(query: HistoryQuery, attribute: number): Promise<Numbers> {
  const { from, to } = query.extent();
  const begin: number[] = [];
  const end: number[] = [];
  const number: number[] = [];
  let unit: PlotUnit = 'number';
  await query.scan([attribute], from, to, (_, piece) => {
    unit = plotUnit(piece.value);
    const value = plotNumber(piece.value);
    const last = number.length - 1;
    // An interval that crosses segments comes in several pieces.
    if (last >= 0 && end[last] === piece.begin && Object.is(number[last], value)) {
      end[last] = piece.end;
      return;
    }
    begin.push(piece.begin);
    end.push(piece.end);
    number.push(value);
  });
  const read = {
    length: number.length,
    begin: Float64Array.from(begin),
    end: Float64Array.from(end),
    number: Float64Array.from(number),
  };
  return isRate(unit) ? rates(read, unit, from, to) : { ...read, ...rangeOf(read.number), unit, windowNs: 0 };
}

type Steps = Pick<Numbers, 'length' | 'begin' | 'end' | 'number'>;

/** Growth of a sum per second. A window in which the sum is unknown for some time has no rate. */
function rates(sums: Steps, unit: PlotUnit, from: HostNs, to: HostNs): Numbers {
  const windowNs = roundStep(Math.max(1, (to - from) / WINDOWS));
  const first = Math.floor(from / windowNs);
  const length = sums.length === 0 ? 0 : Math.ceil(to / windowNs) - first;
  const begin = Float64Array.from({ length }, (_, i) => (first + i) * windowNs);
  const number = new Float64Array(length);
  /** The sum is 0 before the first number. */
  let sum = 0;
  for (let i = 0; i < sums.length; i++) {
    const value = sums.number[i];
    const at = Math.floor(sums.begin[i] / windowNs) - first;
    if (Number.isNaN(value)) {
      const last = Math.ceil(sums.end[i] / windowNs) - first;
      number.fill(NaN, at, last);
    } else {
      // The growth since an unknown sum cannot be dated: this window has no rate either.
      number[at] += ((value - sum) * 1e9) / windowNs;
    }
    sum = value;
  }
  const end = begin.map((time) => time + windowNs);
  return { length, begin, end, number, ...rangeOf(number), unit, windowNs };
}

function rangeOf(number: Float64Array): Pick<Numbers, 'low' | 'high'> {
  let low = NaN;
  let high = NaN;
  for (const value of number) {
    if (Number.isNaN(value)) continue;
    if (!(value >= low)) low = value;
    if (!(value <= high)) high = value;
  }
  return { low, high };
}
