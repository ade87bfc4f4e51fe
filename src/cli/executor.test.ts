import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import type { Experiment } from '../engine/trace/types.ts';
import { workersFor } from './executor.ts';

const MIB = 2 ** 20;

/** An experiment with streams of these sizes, bytes. */
function experimentOf(...sizes: readonly number[]): Experiment {
  return { traces: [{ streams: sizes.map((bytes) => ({ bytes })) }] } as unknown as Experiment;
}

it('starts no workers for a small trace, unless they are asked for', () => {
  expect(workersFor(experimentOf(8 * MIB, 8 * MIB), undefined)).toBe(0);
  expect(workersFor(experimentOf(8 * MIB, 8 * MIB + 1), undefined)).toBe(
    Math.max(1, availableParallelism() - 1),
  );
  expect(workersFor(experimentOf(MIB), 3)).toBe(3);
  expect(workersFor(experimentOf(64 * MIB), 0)).toBe(0);
});
