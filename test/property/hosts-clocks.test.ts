/** What synchronisation tells of clocks is true of them: offset, drift, order, and the path in the time that it gives. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPath } from '../../src/engine/graph/find-path.ts';
import { LABELS } from '../../src/engine/graph/path-codes.ts';
import { PACKET_RECEIVED } from '../../src/engine/kernel/packet-rows.ts';
import { lineAt, valueAt } from '../../src/engine/sync/clock-transform.ts';
import { experimentClock, type ExperimentClock } from '../../src/engine/sync/host-clocks.ts';
import { MARK_AMBIGUOUS, MARK_WEAK } from '../../src/engine/sync/packet-matches.ts';
import { matchedPackets } from '../../src/engine/sync/matched-packets.ts';
import type { PairSync } from '../../src/engine/sync/pair-sync.ts';
import { graphOfHosts } from '../support/graph-run.ts';
import { shownAt } from '../support/simulator/clocks.ts';
import type { Play } from '../support/simulator/play.ts';
import { runPlay, type PlayedRun } from './played-run.ts';
import { chattyPlay, linearClock, networkPlay } from './random-plays.ts';
import { runsOf } from './runs.ts';

/** A clock shows whole ns: two of them differ by that much from what they would show. */
const RESOLUTION_NS = 2;

async function expectTrueClocks(story: Play): Promise<void> {
  const run = await runPlay(story);
  for (const pair of run.sync.pairs) {
    const { a, b, lines, state, from, to, uncertaintyNs, driftUncertainty } = pair;
    if (state !== 'accurate' || lines === undefined) continue;
    const line = lineAt(lines, from);
    for (const time of timesBetween(run, a, from, to)) {
      const x = shownTo(story, a, time);
      expect(Math.abs(valueAt(line, x) - shownTo(story, b, time))).toBeLessThanOrEqual(
        uncertaintyNs + RESOLUTION_NS,
      );
    }
    const slope = (1 + driftOf(story, b)) / (1 + driftOf(story, a));
    expect(Math.abs(1 + line.drift - slope)).toBeLessThanOrEqual(
      driftUncertainty + (2 * RESOLUTION_NS) / (to - from),
    );
  }
  const clock = clockOf(run);
  expectOrder(run, clock);
  await expectPath(run, clock);
}

function driftOf({ hosts }: Play, host: number): number {
  return hosts[host].clock?.drift ?? 0;
}

/** TimeNs of a host at a true time. */
function shownTo({ hosts }: Play, host: number, time: number): number {
  const { clock } = hosts[host];
  return clock === undefined ? time : shownAt(clock, time) - shownAt(clock, 0);
}

/** True times of some events of a host between two of its TimeNs. */
function timesBetween({ played }: PlayedRun, host: number, from: number, to: number): number[] {
  return [...played.hosts[host].trueTimes]
    .filter(([shown]) => shown >= from && shown <= to)
    .map(([, time]) => time);
}

function clockOf({ graph, sync }: PlayedRun): ExperimentClock {
  const own = graph.hosts.map(({ tables, prefix }) => ({
    name: prefix,
    baseNs: 0n,
    offsetNs: 0n,
    firstEvent: Math.min(...tables.cpus.map((cpu) => cpu.first)),
  }));
  return experimentClock(own, sync.pairs);
}

/**
 * No packet is received before it was sent, between hosts whose clocks are known as well as packets can tell; of those
 * packets that tell of clocks.
 */
function expectOrder({ graph, sync }: PlayedRun, { hosts }: ExperimentClock): void {
  const isAccurate = (a: number, b: number): boolean =>
    sync.pairs.some(
      (pair) => pair.state === 'accurate' && pair.a === Math.min(a, b) && pair.b === Math.max(a, b),
    );
  const wrong: string[] = [];
  graph.hosts.forEach(({ tables: { packets } }, host) => {
    const { peerHost, peer, marks } = sync.matches[host];
    for (let row = 0; row < packets.length; row++) {
      const sender = peerHost[row];
      if (packets.direction[row] !== PACKET_RECEIVED || sender < 0 || !isAccurate(host, sender)) continue;
      if ((marks[row] & (MARK_AMBIGUOUS | MARK_WEAK)) !== 0) continue;
      if (hosts[host].via.length + hosts[sender].via.length !== 3) continue;
      const received = hosts[host].transform.toExperiment(packets.time[row]);
      const sent = hosts[sender].transform.toExperiment(graph.hosts[sender].tables.packets.time[peer[row]]);
      if (received < sent) wrong.push(`${sender} ${peer[row]} -> ${host} ${row}: ${sent} ${received}`);
    }
  });
  expect(wrong).toEqual([]);
}

/**
 * In the experiment's time the path has at each instant the worker and label of the true one, but near the borders of
 * true segments, by what the clocks are really wrong there.
 */
async function expectPath(run: PlayedRun, clock: ExperimentClock): Promise<void> {
  const { played, graph, sync, truth } = run;
  if (clock.hosts.some(({ source }) => source === 'start')) return;
  const matches = graph.hosts.map(({ tables }, i) => matchedPackets(tables.packets, sync.matches[i]));
  const hosts = graph.hosts.map((host, i) => {
    const { transform } = clock.hosts[i];
    return { ...host, toGraph: (time: number) => transform.toExperiment(time) };
  });
  const synced = await graphOfHosts(hosts, matches);
  const { stays } = played.thread;
  const segments = truth.of(played.thread, stays[0].from, stays[stays.length - 1].from);
  const shown = (host: number, time: number): number =>
    clock.hosts[host].transform.toExperiment(shownTo(run.story, host, time));
  const borders = segments.map(({ from }) => from);
  const error = Math.max(
    ...borders.flatMap((time) => played.hosts.map((_, host) => Math.abs(shown(host, time) - shown(0, time)))),
  );
  const [from, to] = [shown(0, stays[0].from), shown(0, stays[stays.length - 1].from)];
  const worker = synced.workerOf(run.keyOf(played.thread));
  const path = await findPath(synced.graph, { worker, from, to, criterion: 'main task' });
  if (path === undefined) throw new Error('the path was wanted');
  for (const segment of segments) {
    const begin = shown(0, segment.from) + error + RESOLUTION_NS;
    const end = shown(0, segment.to) - error - RESOLUTION_NS;
    if (begin >= end) continue;
    const { segments: s } = path;
    for (let i = 0; i < s.length; i++) {
      if (s.to[i] <= begin || s.from[i] >= end) continue;
      expect(`${synced.names.worker(s.worker[i])} ${LABELS[s.label[i]]}`).toBe(
        `${segment.worker} ${segment.label}`,
      );
    }
  }
}

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

describe('clocks that are set', () => {
  it('have a line on each side of the step', async () => {
    let told = 0;
    const runs = runsOf(20);
    await fc.assert(
      fc.asyncProperty(chattyPlay, async (story) => {
        if (await expectStep(story)) told++;
      }),
      { numRuns: runs },
    );
    expect(told).toBeGreaterThan(runs / 4);
  });
});

describe('clocks that run evenly', () => {
  it('are told within the uncertainty that is told', async () => {
    await fc.assert(fc.asyncProperty(networkPlay(linearClock), expectTrueClocks), { numRuns: runsOf(80) });
  });
});
