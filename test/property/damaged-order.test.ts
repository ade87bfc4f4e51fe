/** Where times of a stream go back and events were lost, stored bytes still do not depend on chunks and arrival. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { disorderPackets } from '../support/disorder.ts';
import { stateHash } from '../support/engine-run.ts';
import { randomOf } from '../support/simulator/random.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { forAll } from '../support/for-all.ts';

const PACKET_BYTES = 1024;

async function expectLaw(seed: number, chunkBytes: number): Promise<void> {
  const losses = { losses: 0.3, lostPackets: 0.1 };
  const { files } = simulate({
    ...settingsOf(seed),
    ...losses,
    packetBytes: PACKET_BYTES,
    durationNs: 6_000_000,
  });
  const random = randomOf(seed);
  const damaged = disorderPackets(files, PACKET_BYTES, random);
  const whole = await stateHash(damaged);
  expect(await stateHash(damaged, { chunkBytes, disorder: { parallel: 4, random } })).toBe(whole);
}

describe('damaged streams', () => {
  it('give the same bytes for any chunks', () =>
    forAll(15, [fc.integer({ min: 1, max: 1_000_000 }), fc.integer({ min: 1, max: 8192 })], expectLaw));

  it('a loss whose begin is lifted ends where it ended', () => expectLaw(14, 1));
});
