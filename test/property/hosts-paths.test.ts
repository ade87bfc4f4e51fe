/** Programs over several machines whose clocks are wrong: which packet is which, and the path across machines. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PACKET_RECEIVED } from '../../src/engine/linux/states/reduce/packet-rows.ts';
import type { Play } from '../support/simulator/play.ts';
import type { Step } from '../support/simulator/steps.ts';
import { foundPath, lifeOf, type PlayedRun, runPlay, truePath } from './played-run.ts';
import { bentClock, linearClock, networkPlay, steppingClock } from './random-plays.ts';
import { forAll } from '../support/for-all.ts';

/** Synchronisation matches the packets; the graph's times are the true ones. */
async function expectTruePath(story: Play): Promise<void> {
  const run = await runPlay(story);
  const { thread } = run.played;
  const [from, to] = lifeOf(run, thread);
  expect(await foundPath(run, thread, from, to)).toEqual(truePath(run, thread, from, to));
}

/** A device cuts the questions, and the network loses acknowledgements, so that a piece is sent again by itself. */
function piecesSentAgain(seed: number): Play {
  const host = { cpus: 1, others: 0, vectors: false };
  const question: Step = {
    does: 'ask',
    via: 'tcp',
    host: 1,
    bytes: 5_000,
    drains: false,
    server: [{ does: 'compute', ns: 5_000 }],
  };
  return {
    seed,
    hosts: [host, host],
    weather: { delayNs: 50_000, jitterNs: 0, loss: 0.1, offload: true },
    ipv6: false,
    steps: [question, { ...question }],
  };
}

/** Received packets that were matched with ones sent later, in true time. */
function inversions({ graph, sync }: PlayedRun): number {
  let inverted = 0;
  graph.hosts.forEach(({ tables: { packets }, toGraph }, host) => {
    const { peer, peerHost } = sync.matches[host];
    for (let row = 0; row < packets.length; row++) {
      if (packets.direction[row] !== PACKET_RECEIVED || peerHost[row] < 0) continue;
      const sender = graph.hosts[peerHost[row]];
      if (sender.toGraph(sender.tables.packets.time[peer[row]]) > toGraph(packets.time[row])) inverted++;
    }
  });
  return inverted;
}

describe('programs over several machines', () => {
  it('no packet is taken for one that was sent later', async () => {
    const seeds = fc.integer({ min: 1, max: 10_000 });
    await forAll(15, [seeds], async (seed) => {
      expect(inversions(await runPlay(piecesSentAgain(seed)))).toBe(0);
    });
  });

  it('have their true path, whatever clocks show', async () => {
    const clock = fc.oneof(linearClock, steppingClock, bentClock);
    await forAll(40, [networkPlay(clock)], expectTruePath);
  });
});
