import { expect, it } from 'vitest';
import { HistoryBuilder } from '../../history/builder.ts';
import { createQuery } from '../../history/query.ts';
import { plotScheme, type PlotUnit, plotValue } from '../../layers/plots/plot-values.ts';
import { ClockTransform, SAME_CLOCK } from '../../sync/clock-transform.ts';
import { plotOf } from './plot.ts';

const MS = 1e6;

/** A row whose number is as given from each time (ms) on; NaN: not known. undefined: there is none. */
async function shown(
  unit: PlotUnit,
  numbers: readonly (readonly [number, number | undefined])[],
  endMs: number,
) {
  const builder = new HistoryBuilder({ schemeOf: () => plotScheme, segmentIntervals: 3 });
  builder.moveTo(0);
  const other = builder.attribute(['other'], 'state');
  builder.set(other, plotValue('number', 1));
  const attribute = builder.attribute(['plots'], 'state');
  for (const [time, number] of numbers) {
    builder.moveTo(time * MS);
    if (number === undefined) builder.end(attribute);
    else builder.set(attribute, plotValue(unit, number));
  }
  builder.finish(endMs * MS);
  const history = { query: createQuery(builder), clock: new ClockTransform(SAME_CLOCK) };
  return (fromMs: number, bucketMs: number, length: number) =>
    plotOf(history, attribute, { from: fromMs * MS, bucketNs: bucketMs * MS, length });
}

it('has the least and the greatest number of each bucket, and of the whole row', async () => {
  const steps = [
    [10, 5],
    [20, -3],
    [25, 8],
    [30, NaN],
    [40, 2],
    [50, undefined],
    [70, 4],
  ] as const;
  const plot = await shown('number', steps, 100);
  expect(await plot(0, 10, 10)).toEqual({
    least: Float64Array.from([NaN, 5, -3, NaN, 2, NaN, NaN, 4, 4, 4]),
    most: Float64Array.from([NaN, 5, 8, NaN, 2, NaN, NaN, 4, 4, 4]),
    low: -3,
    high: 8,
    unit: 'number',
    windowNs: 0,
  });
  expect(await plot(15, 30, 2)).toMatchObject({
    least: Float64Array.from([-3, 2]),
    most: Float64Array.from([8, 4]),
  });
});

it('shows the growth of a sum per second, in windows of a round length', async () => {
  // 1000 ms long: windows of 1 ms.
  const sums = [
    [100.2, 500],
    [100.7, 1500],
    [101.5, 1600],
    [300, NaN],
    [400.5, 2000],
    [401.5, 2700],
  ] as const;
  const plot = await shown('bytes per second', sums, 1000);
  const { least, most, low, high, windowNs } = await plot(99, 1, 4);
  expect([...least]).toEqual([0, 1500 * 1000, 100 * 1000, 0]);
  expect([...most]).toEqual([...least]);
  expect({ low, high, windowNs }).toEqual({ low: 0, high: 1_500_000, windowNs: MS });
  // Not known up to the first number behind the loss, nor how much of it came in its window.
  expect([...(await plot(298, 1, 4)).least]).toEqual([0, 0, NaN, NaN]);
  expect([...(await plot(399, 1, 4)).least]).toEqual([NaN, NaN, 700 * 1000, 0]);
});

it('keeps numbers exactly, and those that have no room as not known', async () => {
  for (const number of [0, 1, -1, 2_400_000_000, 2 ** 47 - 1, 1 - 2 ** 47]) {
    const plot = await shown('number', [[0, number]], 1);
    expect((await plot(0, 1, 1)).least[0]).toBe(number);
  }
  const plot = await shown('number', [[0, 2 ** 47]], 1);
  expect((await plot(0, 1, 1)).least[0]).toBeNaN();
});
