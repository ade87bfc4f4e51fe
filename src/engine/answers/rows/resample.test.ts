import { describe, expect, it } from 'vitest';
import { resampleMean, resampleSum } from './resample.ts';

const grid = (from: number, bucketNs: number, length: number) => ({ from, bucketNs, length });

describe('resample', () => {
  it('keeps the total of amounts that lie within the target', () => {
    const values = [4, 0, 8, 2];
    const sums = resampleSum(values, grid(3, 4, 4), grid(0, 5, 4));
    expect(sums.reduce((a, b) => a + b)).toBeCloseTo(14);
    expect(sums[0]).toBeCloseTo(2);
  });

  it('means ignore what is unknown, and are unknown where all is', () => {
    const means = resampleMean([1, NaN, NaN, NaN], grid(0, 4, 4), grid(0, 8, 2));
    expect([...means]).toEqual([1, NaN]);
  });
});
