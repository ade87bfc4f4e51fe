/** Programs over several machines whose clocks are wrong: which packet is which, and the path across machines. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Play } from '../support/simulator/play.ts';
import { foundPath, lifeOf, runPlay, truePath } from './played-run.ts';
import { bentClock, linearClock, networkPlay, steppingClock } from './random-plays.ts';
import { runsOf } from './runs.ts';

/** Synchronisation matches the packets; the graph's times are the true ones. */
async function expectTruePath(story: Play): Promise<void> {
  const run = await runPlay(story);
  const { thread, isWhole } = run.played;
  expect(isWhole).toBe(true);
  const [from, to] = lifeOf(run, thread);
  expect(await foundPath(run, thread, from, to)).toEqual(truePath(run, thread, from, to));
}

describe('programs over several machines', () => {
  it('have their true path, whatever clocks show', async () => {
    const clock = fc.oneof(linearClock, steppingClock, bentClock);
    await fc.assert(fc.asyncProperty(networkPlay(clock), expectTruePath), { numRuns: runsOf(100) });
  });
});
