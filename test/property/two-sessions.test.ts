/** Two sessions that record one kernel at the same time: what both have counts once. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PacketReader } from '../support/ctf-reader/packet-reader.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { stateHash } from '../support/engine-run.ts';
import { localSession } from '../support/local-session.ts';
import { folderRefs } from '../support/memory-files.ts';
import { withOwnTimes } from '../support/per-channel-streams.ts';
import { statisticsOf } from '../support/session-statistics.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { modelOf } from '../support/trace-files.ts';
import { inTwoSessions, withoutUnrecorded, type TwoSessions } from '../support/two-sessions.ts';
import { runsOf } from './runs.ts';

const options = fc.record({
  seed: fc.nat(),
  perPacket: fc.constantFrom(1, 7, 100, 1e6),
  chunkBytes: fc.constantFrom(600, 4 << 20),
  cuts: fc.tuple(fc.double({ noNaN: true, min: 0, max: 1 }), fc.double({ noNaN: true, min: 0, max: 1 })),
});

function traceOf(seed: number): TraceFiles {
  return withOwnTimes(simulate({ ...settingsOf(seed), losses: 0, lostPackets: 0, generation: 'new' }).files);
}

function sessionsOf(files: TraceFiles, cuts: readonly [number, number], perPacket: number): TwoSessions {
  const times = timesOf(files);
  const [from, to] = cuts
    .map((cut) => times[Math.floor(cut * (times.length - 1))])
    .sort((a, b) => (a < b ? -1 : 1));
  return { from, to, delay: 0n, perPacket, isInFirst: () => true };
}

function timesOf(files: TraceFiles): bigint[] {
  const reader = new PacketReader(modelOf(files));
  const data = [...files].filter(([path]) => path !== 'metadata' && !path.startsWith('index/'));
  const packets = data.flatMap(([, bytes]) => [...reader.packets(bytes)]);
  return packets.flatMap(({ events }) => events.map(({ time }) => time)).sort((a, b) => (a < b ? -1 : 1));
}

async function toldOf(files: TraceFiles, chunkBytes?: number) {
  const { api, open } = localSession();
  const { info } = await open(folderRefs(files), { chunkBytes });
  const { rows } = await api.ask('eventRows', { filter: '', first: 0, count: 100_000 });
  return { info, statistics: await statisticsOf(api, undefined), rows };
}

function countsOf({ statistics }: Awaited<ReturnType<typeof toldOf>>) {
  return Object.fromEntries(statistics.counts.map(({ name, count }) => [name, count]));
}

describe('a simulated kernel that two sessions recorded', () => {
  it('has the history of one recording', async () => {
    await fc.assert(
      fc.asyncProperty(options, async ({ seed, perPacket, chunkBytes, cuts }) => {
        const files = traceOf(seed);
        const sessions = sessionsOf(files, cuts, perPacket);
        const one = withoutUnrecorded(files, sessions);
        expect(await stateHash(inTwoSessions(files, sessions), { chunkBytes })).toBe(await stateHash(one));
      }),
      { numRuns: runsOf(15) },
    );
  });

  it('has its events, too where the first session recorded fewer kinds', async () => {
    await fc.assert(
      fc.asyncProperty(options, async ({ seed, perPacket, chunkBytes, cuts }) => {
        const files = traceOf(seed);
        const isInFirst = (name: string) => !name.startsWith('irq_handler');
        const sessions = { ...sessionsOf(files, cuts, perPacket), isInFirst };
        const one = await toldOf(withoutUnrecorded(files, sessions));
        const two = await toldOf(inTwoSessions(files, sessions), chunkBytes);
        expect(two.statistics.counts).toEqual(one.statistics.counts);
        const textOf = ({ timeNs, cpu, name, fields }: (typeof one.rows)[number]) =>
          `${timeNs} ${cpu} ${name} ${fields.payload}`;
        expect(two.rows.map(textOf).sort()).toEqual(one.rows.map(textOf).sort());
      }),
      { numRuns: runsOf(10) },
    );
  });

  it('has as many events where the second session reads the clock later', async () => {
    await fc.assert(
      fc.asyncProperty(options, fc.bigInt(1n, 50n), async ({ seed, perPacket, cuts }, delay) => {
        const files = traceOf(seed);
        const sessions = { ...sessionsOf(files, cuts, perPacket), delay };
        // Else they follow each other.
        fc.pre(sessions.from + delay <= sessions.to);
        const one = await toldOf(withoutUnrecorded(files, sessions));
        const two = await toldOf(inTwoSessions(files, sessions));
        expect(countsOf(two)).toEqual(countsOf(one));
        expect(two.rows).toHaveLength(one.rows.length);
      }),
      { numRuns: runsOf(10) },
    );
  });
});
