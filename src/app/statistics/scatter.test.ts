import { expect, it } from 'vitest';
import { nearestPoint, scatterPoints } from './scatter.tsx';

const area = { width: 120, height: 100, left: 10, right: 10, top: 0, bottom: 0 };
const points = scatterPoints(
  Float64Array.of(500, -50, 1000),
  Float64Array.of(1e6, 1e3, 1),
  { from: 0, to: 1000 },
  area,
);

it('stand by begin from left to right, and by the logarithm of their length from bottom to top', () => {
  expect([...points.x]).toEqual([60, 10, 110]);
  expect([...points.y]).toEqual([0, 50, 100]);
});

it('are found by the nearest place within reach', () => {
  expect(nearestPoint(points, 62, 3, 12)).toBe(0);
  expect(nearestPoint(points, 15, 45, 12)).toBe(1);
  expect(nearestPoint(points, 35, 25, 12)).toBe(-1);
});

it('are none where there are none', () => {
  const none = scatterPoints(new Float64Array(0), new Float64Array(0), { from: 0, to: 0 }, area);
  expect(nearestPoint(none, 10, 10, 1000)).toBe(-1);
});
