/** What synchronisation tells of clocks is true of them: offset, drift, order, and the path in the time that it gives. */
import { expect, it } from 'vitest';
import { findPath } from '../../src/engine/graph/find-path.ts';
import { LABELS } from '../../src/engine/graph/path-codes.ts';
import { PACKET_RECEIVED } from '../../src/engine/linux/states/reduce/packet-rows.ts';
import { lineAt, valueAt } from '../../src/engine/sync/clock-transform.ts';
import { experimentClock, type ExperimentClock } from '../../src/engine/sync/host-clocks.ts';
import { matchedPackets } from '../../src/engine/sync/matched-packets.ts';
import { MARK_AMBIGUOUS, MARK_WEAK } from '../../src/engine/sync/packet-matches.ts';
import { graphOfHosts } from '../support/graph-run.ts';
import type { Play } from '../support/simulator/play.ts';
import { lifeOf, type PlayedRun, RESOLUTION_NS, runPlay, shownTo } from './played-run.ts';
import { linearClock, networkPlay } from './random-plays.ts';
import { forAll } from '../support/for-all.ts';

async function expectTrueClocks(story: Play): Promise<void> {
  const run = await runPlay(story);
  for (const pair of run.sync.pairs) {
    const { a, b, lines, state, from, to, uncertaintyNs, driftUncertainty } = pair;
    if (state !== 'accurate' || lines === undefined) continue;
    const line = lineAt(lines, from);
    const slope = (1 + driftOf(story, b)) / (1 + driftOf(story, a));
    // Clocks that are taken to run equally fast are off by what they do not, over the exchange.
    const apart = line.drift === 0 ? Math.abs(slope - 1) * (to - from) : 0;
    for (const time of timesBetween(run, a, from, to)) {
      const x = shownTo(story, a, time);
      expect(Math.abs(valueAt(line, x) - shownTo(story, b, time))).toBeLessThanOrEqual(
        uncertaintyNs + apart + RESOLUTION_NS,
      );
    }
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

/** True times of some events of a host between two of its HostNs. */
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
      // One of them is the reference of the other: so no third host's clock is in between.
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
  if (clock.hosts.some(({ source }) => source === 'start')) return;
  const { story, played, truth } = run;
  const [from, to] = lifeOf(run, played.thread);
  const segments = truth.of(played.thread, from, to);
  const shown = (time: number, host = 0): number =>
    clock.hosts[host].transform.toExperiment(shownTo(story, host, time));
  const error = Math.max(
    ...segments.flatMap((segment) =>
      played.hosts.map((_, host) => Math.abs(shown(segment.from, host) - shown(segment.from))),
    ),
  );
  const found = await syncedPath(run, clock, shown(from), shown(to));
  segments.forEach((segment, i) => {
    const begin = shown(segment.from) + error + RESOLUTION_NS;
    const end = shown(segment.to) - error - RESOLUTION_NS;
    const inside = found.filter((piece) => begin < end && piece.from < end && piece.to > begin);
    const labels = [segment.label];
    if (isUntold(segments.slice(0, i), segment.from, 2 * error)) labels.push('network');
    for (const { worker, label } of inside)
      expect(labels.map((each) => `${segment.worker} ${each}`)).toContain(`${worker} ${label}`);
  });
}

/**
 * Whether clocks that are wrong by so much cannot tell that a packet was sent before the softirq began which took it, after
 * a wait of its own: one that is sent later is on its way until it is taken.
 */
function isUntold(
  before: readonly { from: number; label: string; cause: string }[],
  entered: number,
  error: number,
) {
  const [sent, waited] = before.slice(-2);
  return waited?.cause === 'softirq NET_RX' && sent?.label === 'network' && entered - sent.from <= error;
}

interface Piece {
  readonly worker: string;
  readonly label: string;
  readonly from: number;
  readonly to: number;
}

/** The path of the program in the experiment's time. */
async function syncedPath(
  { graph, sync, played, keyOf }: PlayedRun,
  clock: ExperimentClock,
  from: number,
  to: number,
): Promise<Piece[]> {
  const matches = graph.hosts.map(({ tables }, i) => matchedPackets(tables.packets, sync.matches[i]));
  const hosts = graph.hosts.map((host, i) => {
    const { transform } = clock.hosts[i];
    return { ...host, toGraph: (time: number) => transform.toExperiment(time) };
  });
  const synced = await graphOfHosts(hosts, matches);
  const worker = synced.workerOf(keyOf(played.thread));
  const path = await findPath(synced.graph, { worker, from, to, criterion: 'main task' });
  if (path === undefined) throw new Error('the path was wanted');
  const { segments: s } = path;
  return Array.from({ length: s.length }, (_, i) => {
    return {
      worker: synced.names.worker(s.worker[i]),
      label: LABELS[s.label[i]],
      from: s.from[i],
      to: s.to[i],
    };
  });
}

it('clocks that run evenly are told within the uncertainty that is told', () =>
  forAll(40, [networkPlay(linearClock)], expectTrueClocks));
