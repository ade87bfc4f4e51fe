import { join } from 'node:path';
import { setImmediate as tick } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { filesOfFolder, memoryRefs } from '../../test/support/memory-files.ts';
import { projectDir } from '../../test/support/shared.ts';
import { blobTempFiles } from '../engine/io/browser-temp-files.ts';
import type { SourceRef } from '../engine/io/byte-source.ts';
import { openSource } from '../engine/io/open-source.ts';
import type { SessionEnvironment } from '../engine/open/environment.ts';
import { createLocalExecutor } from './local-executor.ts';
import { mapSet } from '../engine/maps.ts';
import { Rehearsal } from './rehearsal.ts';
import { DEEP } from '../../test/support/tier.ts';

const EXAMPLE = memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/imbalance-4t')));

/** Counts executors that began and ended; those that read a whole trace, and their chunks. */
function rehearse(files: readonly SourceRef[], fail = false) {
  const seen = { begun: 0, ended: 0, readings: 0, chunks: 0 };
  const environment: SessionEnvironment = {
    openSource,
    tempFiles: {
      ...blobTempFiles(),
      keepOnly: () => Promise.reject(new Error('the temporary files of the user')),
    },
    openStore: () => Promise.reject(new Error('the store of the user')),
    startExecutor: async (experiment, analyses) => {
      if (fail) throw new Error('no worker');
      const executor = createLocalExecutor({ experiment, analyses }, openSource, mapSet);
      seen.begun++;
      // Layers read a few streams afterwards.
      const isReading = analyses.length > 1;
      if (isReading) seen.readings++;
      let isOpen = true;
      return {
        ...executor,
        run: (job) => {
          if (isReading) seen.chunks++;
          return executor.run(job);
        },
        dispose: () => {
          if (isOpen) seen.ended++;
          isOpen = false;
        },
      };
    },
    workers: 1,
  };
  return { seen, rehearsal: new Rehearsal(environment, files) };
}

test('reads a trace some times in many chunks, and leaves store and temporary files alone', async () => {
  const { seen, rehearsal } = rehearse(EXAMPLE);
  await rehearsal.ended;
  expect(seen.readings).toBeGreaterThan(1);
  expect(seen.ended).toBe(seen.begun);
  expect(seen.chunks).toBeGreaterThan(4 * seen.readings);
});

test('stops at any time, and nothing goes on', async () => {
  for (const turns of DEEP ? [0, 3, 21, 200] : [21]) {
    const { seen, rehearsal } = rehearse(EXAMPLE);
    for (let turn = 0; turn < turns; turn++) await tick();
    await rehearsal.stop();
    await rehearsal.ended;
    const then = { ...seen };
    expect(then.ended, `after ${turns} turns`).toBe(then.begun);
    for (let turn = 0; turn < 50; turn++) await tick();
    expect(seen, `after ${turns} turns`).toEqual(then);
  }
});

test('ends where there is nothing to read, or nobody reads', async () => {
  const nothing = rehearse([]);
  await nothing.rehearsal.ended;
  expect(nothing.seen.begun).toBe(0);
  const failing = rehearse(EXAMPLE, true);
  await failing.rehearsal.ended;
  await failing.rehearsal.stop();
  expect(failing.seen.begun).toBe(0);
});
