/**
 * Kernel memory of a recorded trace against what babeltrace2 and awk count: events of the allocators and page faults, for
 * the thread that the switches of their CPU name.
 */
import { describe, expect, test } from 'vitest';
import { MEMORY_SUM_NAMES } from '../../src/engine/linux/sums/memory/memory-chunk.ts';
import type { MemorySums } from '../../src/engine/linux/sums/memory/memory.ts';
import { inspectJson } from '../support/inspect-run.ts';
import { sharedDir, sharedPath } from '../support/shared.ts';

interface MemoryAnswer {
  readonly threads: readonly (MemorySums & { readonly worker?: string; readonly name: string })[];
  readonly missing: readonly string[];
}

/** WORKER NAME: the sums in their order. */
const EXPECTED = [
  '13040 lttng-consumerd: 5832 5811 8269 2064264 6818 0 0',
  // Of it 7 objects of 6120 bytes, and 4 that it freed, before the first switch of a CPU, which takes the CPU from it.
  '13024 lttng-sessiond: 255 131 8354 575368 8346 0 0',
  '13039 lttng-consumerd: 242 226 1788 833784 799 0 0',
  '13058 lttng: 110 50 299 178512 208 166 5',
  '12611 bash: 95 0 340 132688 22 75 2',
  '13057 sleep: 50 89 97 45272 227 87 8',
];
/** Of all threads; there are 40. */
const TOTALS = [6587, 6423, 19157, 3836128, 19085, 339, 15];

// Skipped where the folder with recorded traces is not there.
describe.skipIf(sharedDir() === undefined)('kernel memory', () => {
  const ask = (...options: readonly string[]) =>
    inspectJson<MemoryAnswer>('stats', 'memory', sharedPath('real/16-cores-rt'), ...options);
  const totals = (answers: readonly MemoryAnswer[]) =>
    MEMORY_SUM_NAMES.map((name) =>
      answers.flatMap(({ threads }) => threads).reduce((sum, thread) => sum + thread[name], 0),
    );

  test('by thread', async () => {
    const whole = await ask();
    expect(whole.missing).toEqual([]);
    const lines = whole.threads.map(
      ({ worker, name, ...sums }) =>
        `${worker} ${name}: ${MEMORY_SUM_NAMES.map((sum) => sums[sum]).join(' ')}`,
    );
    expect(lines.length).toBe(40);
    expect(lines.slice(0, EXPECTED.length)).toEqual(EXPECTED);
    expect(totals([whole])).toEqual(TOTALS);
    const named = await ask('--name', 'lttng*', '--limit', '2', '--chunk-bytes', '5000', '--decoder', 'ts');
    expect(named.threads).toEqual(whole.threads.slice(0, 2));
  });

  test('of parts of a range adds up to the whole', async () => {
    expect(totals([await ask('--range', '..+0.7s'), await ask('--range', '+0.7s..')])).toEqual(TOTALS);
  });
});
