/** Which channel an event was recorded in tells nothing: histories and statistics are those of one channel. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { perChannelStreams, withOwnTimes } from '../support/per-channel-streams.ts';
import { openLocal } from '../support/local-session.ts';
import { folderRefs } from '../support/memory-files.ts';
import { stateHash } from '../support/engine-run.ts';
import { statisticsOf } from '../support/session-statistics.ts';
import { randomOf } from '../support/simulator/random.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { forAll } from '../support/for-all.ts';

/**
 * A simulated trace that lost nothing, whose events have times of their own. Old tracers do not name the call that
 * returns, so that nobody knows whose it is in a channel without switches.
 */
function traceOf(seed: number): TraceFiles {
  return withOwnTimes(simulate({ ...settingsOf(seed), losses: 0, lostPackets: 0, generation: 'new' }).files);
}

const options = fc.record({
  seed: fc.nat(),
  perPacket: fc.constantFrom(1, 7, 100, 1e6),
  chunkBytes: fc.constantFrom(1, 600, 4 << 20),
});

describe('simulated kernels in several channels', () => {
  it('have the same history, whichever events are in which', () =>
    forAll(20, [options], async ({ seed, perPacket, chunkBytes }) => {
      const files = traceOf(seed);
      const random = randomOf(seed);
      const channels = new Map<string, number>();
      const channelOf = (name: string): number => {
        if (!channels.has(name)) channels.set(name, channels.size < 3 ? channels.size : random.between(0, 3));
        return channels.get(name) ?? 0;
      };
      const apart = perChannelStreams(files, channelOf, perPacket);
      expect(await stateHash(apart, { chunkBytes })).toBe(await stateHash(files));
    }));

  it('have the same statistics, calls, interrupts and disks in channels of their own', () =>
    forAll(15, [options, fc.double({ noNaN: true, min: 0, max: 0.9 })], async (option, part) => {
      const files = traceOf(option.seed);
      const statistics = await bothStatisticsOf(files, undefined, part);
      const apart = perChannelStreams(files, channelOfSubject, option.perPacket);
      expect(await bothStatisticsOf(apart, option.chunkBytes, part)).toEqual(statistics);
    }));
});

function channelOfSubject(name: string): number {
  if (name.startsWith('syscall_')) return 1;
  if (name.startsWith('block_')) return 2;
  return /irq|timer/.test(name) ? 3 : 0;
}

/** Of everything and of a range that begins at `part` of it. */
async function bothStatisticsOf(files: TraceFiles, chunkBytes: number | undefined, part: number) {
  const { api, info } = await openLocal(folderRefs(files), { chunkBytes });
  const from = Math.round(part * info.lengthNs);
  const range = { from, to: from + Math.round(info.lengthNs / 10) };
  return [await statisticsOf(api, undefined), await statisticsOf(api, range)];
}
