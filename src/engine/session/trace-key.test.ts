import { expect, it } from 'vitest';
import type { Experiment } from '../trace/types.ts';
import { fingerprintOf } from './fingerprint.ts';
import { traceKey } from './trace-key.ts';

function experimentOf(...fingerprints: readonly string[]): Experiment {
  return { hosts: [], traces: fingerprints.map((fingerprint) => ({ fingerprint })) } as unknown as Experiment;
}

it('names a trace by its files, in any order, and by how it is kept', async () => {
  const key = await traceKey(experimentOf('a', 'b'));
  expect(key).toMatch(/^[0-9a-f]{64}-[0-9a-f]{16}$/);
  expect(await traceKey(experimentOf('b', 'a'))).toBe(key);
  expect(fingerprintOf(key)).toBe(key.slice(0, 64));
  const other = await traceKey(experimentOf('a', 'c'));
  expect(fingerprintOf(other)).not.toBe(fingerprintOf(key));
  expect(other.slice(64)).toBe(key.slice(64));
});
