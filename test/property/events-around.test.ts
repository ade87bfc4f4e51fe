/** The events listed around a time are the nearest ones of all streams, with none left out between them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { PacketReader } from '../support/ctf-reader/packet-reader.ts';
import { localSession } from '../support/local-session.ts';
import { folderRefs } from '../support/memory-files.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { modelOf } from '../support/trace-files.ts';
import { recordedAs } from '../support/trace-chunks.ts';
import { runsOf } from './runs.ts';

const options = fc.record({
  seed: fc.nat(),
  perPacket: fc.constantFrom(undefined, 2, 7, 100),
  folders: fc.constantFrom(1, 3),
  questions: fc.array(
    fc.record({ part: fc.double({ noNaN: true, min: 0, max: 1 }), limit: fc.integer({ min: 1, max: 80 }) }),
    { minLength: 1, maxLength: 8 },
  ),
});

describe('events around a time', () => {
  it('are the nearest ones, whatever packets they are in', async () => {
    await fc.assert(
      fc.asyncProperty(options, async ({ seed, perPacket, folders, questions }) => {
        const { files } = simulate(settingsOf(seed));
        const times = timesOf(files);
        const { api, open } = localSession();
        await open(folderRefs(await recordedAs(files, { perPacket, folders, overlap: false }, seed)));
        for (const { part, limit } of questions) {
          const time = Math.round(part * times[times.length - 1]);
          const listed = (await api.ask('events', { timeNs: time, limit })).map(({ timeNs }) => timeNs);
          const distances = (found: readonly number[]) =>
            found.map((t) => Math.abs(t - time)).sort(ascending);
          expect(distances(listed)).toEqual(distances(times).slice(0, limit));
          expect(listed).toEqual([...listed].sort(ascending));
        }
      }),
      { numRuns: runsOf(20) },
    );
  });
});

/** Of all events, ns since the first one. */
function timesOf(files: TraceFiles): number[] {
  const reader = new PacketReader(modelOf(files));
  const data = [...files].filter(([path]) => path !== 'metadata' && !path.startsWith('index/'));
  const times = data
    .flatMap(([, bytes]) => [...reader.packets(bytes)].flatMap(({ events }) => events))
    .map(({ time }) => time)
    .sort((a, b) => Number(a - b));
  return times.map((time) => Number(time - times[0]));
}

function ascending(a: number, b: number): number {
  return a - b;
}
