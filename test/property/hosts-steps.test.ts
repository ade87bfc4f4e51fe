/** A clock that is set forward while machines talk: it is told, and the line on each side of the step is right. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PACKET_RECEIVED } from '../../src/engine/linux/states/reduce/packet-rows.ts';
import { lineAt, valueAt } from '../../src/engine/sync/clock-transform.ts';
import { MARK_AMBIGUOUS, MARK_WEAK } from '../../src/engine/sync/packet-matches.ts';
import type { PairSync } from '../../src/engine/sync/pair-sync.ts';
import type { Play } from '../support/simulator/play.ts';
import { type PlayedRun, RESOLUTION_NS, runPlay, shownTo } from './played-run.ts';
import { chattyPlay } from './random-plays.ts';
import { forAll } from '../support/for-all.ts';

/** A packet that tells of the clocks of a pair: when it passed the first host and the second, in true time. */
interface Witness {
  readonly time: number;
  readonly otherTime: number;
  readonly isForward: boolean;
}

function witnessesOf({ graph, played, sync }: PlayedRun, { a, b }: PairSync): Witness[] {
  const witnesses: Witness[] = [];
  for (const [host, sender] of [
    [a, b],
    [b, a],
  ]) {
    const { packets } = graph.hosts[host].tables;
    const { peerHost, peer, marks } = sync.matches[host];
    for (let row = 0; row < packets.length; row++) {
      if (packets.direction[row] !== PACKET_RECEIVED || peerHost[row] !== sender) continue;
      if ((marks[row] & (MARK_AMBIGUOUS | MARK_WEAK)) !== 0) continue;
      const ends = [
        { host, shown: packets.time[row] },
        { host: sender, shown: graph.hosts[sender].tables.packets.time[peer[row]] },
      ].sort((one, other) => one.host - other.host);
      const [time, otherTime] = ends.map(
        ({ host: end, shown }) => played.hosts[end].trueTimes.get(shown) ?? NaN,
      );
      witnesses.push({ time, otherTime, isForward: sender === a });
    }
  }
  return witnesses.sort((one, other) => one.time - other.time);
}

/** Packets overtake each other, so near a step they may be taken for those of either side. */
const OVERTAKING_NS = 1_000_000;

/** Known so long on each side, and jumping so far, a clock cannot be one that runs evenly (traffic takes a ms at most). */
const KNOWN_NS = 4_000_000;
const TOLD_STEP_NS = 10_000_000;

/** Whether packets of both directions frame each side of a step. */
function isTold(witnesses: readonly Witness[], step: number): boolean {
  return [true, false].every((isForward) => {
    const times = witnesses.filter((one) => one.isForward === isForward).map(({ time }) => time);
    const [before, after] = [times.filter((time) => time < step), times.filter((time) => time >= step)];
    return [before, after].every((side) => Math.max(...side) - Math.min(...side) > KNOWN_NS);
  });
}

/** Whether a step was told. */
async function expectStep(story: Play): Promise<boolean> {
  const run = await runPlay(story);
  const [pair] = run.sync.pairs;
  const { a, b, lines, state, uncertaintyNs } = pair;
  const witnesses = witnessesOf(run, pair);
  const step = story.hosts[b].clock?.steps.find(({ by }) => by >= TOLD_STEP_NS);
  if (step === undefined || !isTold(witnesses, step.at)) return false;
  expect(state).toBe('failed');
  // Until the second host, which was set forward, has sent a packet, packets to it may have taken so long.
  const answer =
    witnesses.find(({ isForward, otherTime }) => !isForward && otherTime >= step.at)?.time ?? NaN;
  for (const { time, otherTime } of witnesses) {
    if (time < answer + OVERTAKING_NS && Math.max(time, otherTime) >= step.at) continue;
    const x = shownTo(story, a, time);
    const value = lines === undefined ? NaN : valueAt(lineAt(lines, x), x);
    expect(Math.abs(value - shownTo(story, b, time))).toBeLessThanOrEqual(uncertaintyNs + RESOLUTION_NS);
  }
  return true;
}

it('clocks that are set have a line on each side of the step', async () => {
  // Plays whose step packets do not frame on both sides tell nothing of it: others are taken instead.
  await forAll(8, [chattyPlay], async (story) => fc.pre(await expectStep(story)));
});
