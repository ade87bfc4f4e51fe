/** The active path of synchronous programs is the true one: what they waited for is what the simulation knows. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPath } from '../../src/engine/graph/find-path.ts';
import { runGraph, segmentLines } from '../support/graph-run.ts';
import { play, type Play } from '../support/simulator/play.ts';
import { TruePath } from '../support/simulator/true-path.ts';
import { localPlay } from './random-plays.ts';
import { runsOf } from './runs.ts';

async function expectTruePath(story: Play): Promise<void> {
  const { hosts, thread, isWhole } = play(story);
  expect(isWhole).toBe(true);
  const [{ machine, files }] = hosts;
  const run = await runGraph([{ files, firstEvent: machine.tracer.first }]);
  const from = thread.stays[0].from;
  const to = thread.stays[thread.stays.length - 1].from;
  const worker = run.workerOf(`${thread.tid}`);
  const path = await findPath(run.graph, { worker, from, to, criterion: 'main task' });
  const truth = new TruePath(() => machine).of(thread, from, to);
  expect(path && segmentLines(path, run.names)).toEqual(
    truth.map(
      (segment) => `${segment.worker} ${segment.from} ${segment.to} ${segment.label} ${segment.cause}`,
    ),
  );
}

describe('synchronous programs', () => {
  it('have their true path', async () => {
    await fc.assert(fc.asyncProperty(localPlay, expectTruePath), { numRuns: runsOf(100) });
  });
});
