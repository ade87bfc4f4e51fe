/** Synchronisation recovers the clocks of a simulated network, within the uncertainty that it reports. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PACKET_RECEIVED } from '../../src/engine/linux/states/reduce/packet-rows.ts';
import { lineAt, valueAt } from '../../src/engine/sync/clock-transform.ts';
import { experimentClock } from '../../src/engine/sync/host-clocks.ts';
import { MARK_AMBIGUOUS, type PacketMatches } from '../../src/engine/sync/packet-matches.ts';
import type { PairSync } from '../../src/engine/sync/pair-sync.ts';
import { type Synchronisation, synchronise } from '../../src/engine/sync/synchronise.ts';
import {
  type ClockPlan,
  type Network,
  type NetworkPlan,
  simulateNetwork,
} from '../support/packet-network.ts';
import { randomOf } from '../support/simulator/random.ts';
import { DEEP } from '../support/tier.ts';
import { forAll } from '../support/for-all.ts';

/** Both clocks of a packet are read in whole ns. */
const ROUNDING_NS = 2;

const clockPlan = fc.record({
  offset: fc.integer({ min: -1e12, max: 1e12 }),
  // Two clocks differ by less than 500 ppm: what differs more is none (`ClockBounds.even`).
  drift: fc.oneof(fc.constant(0), fc.double({ min: -2.4e-4, max: 2.4e-4, noNaN: true })),
});

const networkPlan = (hosts: fc.Arbitrary<ClockPlan[]>, exchanges = { min: 2, max: 120 }) =>
  fc.record({
    clocks: hosts,
    exchanges: fc.integer(exchanges),
    gap: fc.integer({ min: 100_000, max: 300_000_000 }),
    delay: fc.integer({ min: 1000, max: 2_000_000 }),
    jitter: fc.integer({ min: 0, max: 5_000_000 }),
    loss: fc.constantFrom(0, 0.05, 0.3),
    duplicate: fc.constantFrom(0, 0.05),
    offload: fc.constantFrom(0, 0.3, 1),
  });

const seeds = fc.integer({ min: 0, max: 2 ** 31 });
const someClocks = fc.array(clockPlan, { minLength: 2, maxLength: 4 });

function networkOf(plan: NetworkPlan, seed: number): Network {
  return simulateNetwork(plan, randomOf(seed));
}

/** Time of host b's clock when host a's shows x; no steps. */
function trueTime({ clocks }: NetworkPlan, { a, b }: PairSync, x: number): number {
  const { offset, drift } = clocks[a];
  const apart = clocks[b].offset - offset;
  const ratio = (clocks[b].drift - drift) / (1 + drift);
  return x + apart + ratio * (x - offset);
}

/** Matched packets between two hosts: by true times and by those of the experiment. */
function crossings(network: Network, sync: Synchronisation) {
  const own = network.hosts.map(({ name, start }) => ({ name, baseNs: 0n, offsetNs: 0n, firstEvent: start }));
  const { hosts } = experimentClock(own, sync.pairs);
  return network.hosts.flatMap(({ packets }, host) => {
    const { peer, peerHost, marks } = sync.matches[host];
    return Array.from(peer, (sent, row) => ({ sent, row, sender: peerHost[row], marks: marks[row] }))
      .filter(({ row, sender }) => {
        return packets.direction[row] === PACKET_RECEIVED && sender >= 0 && sender !== host;
      })
      .map(({ sent, row, sender, marks }) => ({
        isAmbiguous: (marks & MARK_AMBIGUOUS) !== 0,
        sentTrue: network.truth[sender][sent],
        receivedTrue: network.truth[host][row],
        sent: hosts[sender].transform.toExperiment(network.hosts[sender].packets.time[sent]),
        received: hosts[host].transform.toExperiment(packets.time[row]),
      }));
  });
}

describe('clocks that run evenly', () => {
  it('are within the reported uncertainty, and no packet arrives before it was sent', async () => {
    let accurate = 0;
    await forAll(300, [networkPlan(someClocks), seeds], (plan, seed) => {
      const network = networkOf(plan, seed);
      const sync = synchronise(network.hosts);
      for (const pair of sync.pairs) {
        expect(pair.state).not.toBe('failed');
        if (pair.state !== 'accurate' || pair.lines === undefined) continue;
        accurate++;
        const { a, b } = pair;
        const drift = (1 + plan.clocks[b].drift) / (1 + plan.clocks[a].drift) - 1;
        // Clocks that are taken to run equally fast are off by what they do not, over the exchange.
        const apart = pair.lines[0].drift === 0 ? Math.abs(drift) * (pair.to - pair.from) : 0;
        for (const x of [pair.from, (pair.from + pair.to) / 2, pair.to]) {
          const error = Math.abs(valueAt(lineAt(pair.lines, x), x) - trueTime(plan, pair, x));
          expect(error).toBeLessThanOrEqual(pair.uncertaintyNs + apart + ROUNDING_NS);
        }
        const slack = ROUNDING_NS / (pair.to - pair.from);
        expect(Math.abs(pair.lines[0].drift - drift)).toBeLessThanOrEqual(pair.driftUncertainty + 2 * slack);
      }
      if (!sync.pairs.filter(({ matched }) => matched > 0).every(({ state }) => state === 'accurate')) return;
      for (const { sent, received, sentTrue, receivedTrue, isAmbiguous } of crossings(network, sync)) {
        if (isAmbiguous) continue;
        expect(received).toBeGreaterThanOrEqual(sent);
        expect(receivedTrue).toBeGreaterThan(sentTrue);
      }
    });
    if (DEEP) expect(accurate).toBeGreaterThan(100);
  });

  it('give the same in any order of hosts', () =>
    forAll(100, [networkPlan(someClocks), seeds], (plan, seed) => {
      const { hosts } = networkOf(plan, seed);
      const sync = synchronise(hosts);
      const turned = synchronise([...hosts].reverse());
      const back = (host: number) => (host < 0 ? -1 : hosts.length - 1 - host);
      expect(turned.pairs.map((pair) => ({ ...pair, a: back(pair.a), b: back(pair.b) }))).toEqual(sync.pairs);
      hosts.forEach((_, host) => {
        const other = turned.matches[back(host)];
        expect(other.peer).toEqual(sync.matches[host].peer);
        expect(other.peerHost.map(back)).toEqual(sync.matches[host].peerHost);
      });
    }));

  it('differ by a constant more when the clock of one is set differently', () =>
    forAll(100, [networkPlan(someClocks), seeds, fc.integer({ min: -1e13, max: 1e13 })], (plan, seed, by) => {
      const { hosts } = networkOf(plan, seed);
      const moved = hosts.map((host, i) => {
        if (i !== 1) return host;
        const time = host.packets.time.map((t) => t + by);
        return { ...host, start: host.start + by, packets: { ...host.packets, time } };
      });
      const before = synchronise(hosts);
      const after = synchronise(moved);
      expect(after.matches).toEqual(before.matches);
      expect(after.pairs.map(({ state, matched }) => [state, matched])).toEqual(
        before.pairs.map(({ state, matched }) => [state, matched]),
      );
      before.pairs.forEach(({ a, b, lines, from }, i) => {
        const other = after.pairs[i].lines;
        if (lines === undefined || other === undefined) return;
        const x = a === 1 ? from + by : from;
        const y = b === 1 ? by : 0;
        expect(Math.abs(valueAt(other[0], x) - valueAt(lines[0], from) - y)).toBeLessThan(0.1);
      });
    }));

  it('lose no match when old packets are forgotten', () =>
    forAll(10, [networkPlan(someClocks, { min: 600, max: 1500 }), seeds], (plan, seed) => {
      const { hosts } = networkOf({ ...plan, gap: 20_000_000 }, seed);
      const kept = synchronise(hosts, { expires: false });
      const sync = synchronise(hosts);
      expect(sync.pairs.map(({ state }) => state)).toEqual(kept.pairs.map(({ state }) => state));
      // Of a packet that was sent again the lost one may be forgotten by then: what was ambiguous may be certain.
      kept.matches.forEach((before, host) => {
        const certain = [...before.peer.keys()].filter(
          (row) => before.peerHost[row] >= 0 && (before.marks[row] & MARK_AMBIGUOUS) === 0,
        );
        const ends = (of: PacketMatches) => certain.map((row) => [of.peerHost[row], of.peer[row]]);
        expect(ends(sync.matches[host])).toEqual(ends(before));
      });
    }));
});

describe('a clock that is set', () => {
  const gap = 50_000_000;
  const exchanges = 2000;
  const at = (gap * exchanges) / 2;
  const setClock = (first: ClockPlan, second: ClockPlan, by: number, seed: number): Network => {
    const clocks = [first, { ...second, step: { at, by } }];
    const link = { delay: 100_000, jitter: 1_000_000, loss: 0, duplicate: 0, offload: 0 };
    return networkOf({ clocks, exchanges, gap, ...link }, seed);
  };

  it('forward gives a line before and one after, and no packet arrives before it was sent', async () => {
    const step = fc.constantFrom(4e7, 7e9, 3.6e12);
    await forAll(10, [clockPlan, clockPlan, step, seeds], (first, second, by, seed) => {
      const network = setClock(first, second, by, seed);
      const sync = synchronise(network.hosts);
      expect(sync.pairs[0].state).toBe('failed');
      expect(sync.pairs[0].lines).toHaveLength(2);
      const far = crossings(network, sync).filter(
        ({ sentTrue, receivedTrue }) => receivedTrue < at - 2 * gap || sentTrue > at + 2 * gap,
      );
      expect(far.length).toBeGreaterThan(5000);
      for (const { sent, received } of far) expect(received).toBeGreaterThanOrEqual(sent);
    });
  });

  it('back is told, and time still goes forward', () =>
    forAll(5, [clockPlan, clockPlan, fc.constantFrom(-4e7, -7e9), seeds], (first, second, by, seed) => {
      const { hosts } = setClock(first, second, by, seed);
      const sync = synchronise(hosts);
      expect(sync.pairs[0].state).toBe('failed');
      const own = hosts.map(({ name, start }) => ({ name, baseNs: 0n, offsetNs: 0n, firstEvent: start }));
      experimentClock(own, sync.pairs).hosts.forEach(({ transform }, host) => {
        let now = -Infinity;
        for (const time of hosts[host].packets.time) {
          const shown = transform.toExperiment(time);
          expect(shown).toBeGreaterThanOrEqual(now);
          now = shown;
        }
      });
    }));
});
