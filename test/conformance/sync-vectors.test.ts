/** Synchronisation against the vectors of another implementation, and on recorded traces. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import {
  KEY_TCP_SOCKET,
  PACKET_RECEIVED,
  PACKET_SENT,
} from '../../src/engine/linux/states/reduce/packet-rows.ts';
import { ClockBounds } from '../../src/engine/sync/clock-bounds.ts';
import { valueAt, type ClockLine } from '../../src/engine/sync/clock-transform.ts';
import type { PacketMatches } from '../../src/engine/sync/packet-matches.ts';
import { type SyncHost, synchronise } from '../../src/engine/sync/synchronise.ts';
import { kernelTables, runEngine } from '../support/engine-run.ts';
import { packetRows } from '../support/packet-network.ts';
import { sharedDir, WITHOUT_SHARED } from '../support/shared.ts';
import { memoryHistory } from '../support/state-run.ts';
import { loadTrace } from '../support/trace-files.ts';

const shared = sharedDir() ?? '';
const there = shared !== '';
if (!there) console.warn(WITHOUT_SHARED);

interface Step {
  readonly send: readonly [string, number];
  readonly receive: readonly [string, number];
  readonly quality?: string;
  readonly alpha?: string;
  readonly beta?: string;
}

/**
 * Where our results are others, by case and step from 1: quality, slope, intercept. Each follows from our rules: the
 * offset of packets that went one way comes from the tightest of them; no packet arrives before it was sent.
 */
const DEVIATIONS: Readonly<
  Record<string, { readonly expected: readonly unknown[]; readonly reason: string }>
> = {
  'FullyIncremental 2': {
    expected: ['INCOMPLETE', 1, 1],
    reason: 'the two packets leave offsets from 0 to 2; the vector keeps 0',
  },
  'FullyIncremental 9': {
    expected: ['FAIL', 0.725, 1.275],
    reason: 'a line above (1, 1) and (5, 4) and below (1, 3) and (7, 4) rises at least 0.25 and at most 0',
  },
  'FullyIncremental 10': {
    expected: ['FAIL', 0.725, 1.275],
    reason: 'the last line that was possible is that of step 8',
  },
  'OneHull 4': { expected: ['INCOMPLETE', 1, 2], reason: 'the tightest packet; the vector keeps 0' },
  'Disjoint 4': { expected: ['INCOMPLETE', 1, 2], reason: 'the tightest packet; the vector keeps 0' },
  'Disjoint 7': {
    expected: ['APPROXIMATE', 1, 2],
    reason: 'by 2.5 the packet sent at 3 and received at 5 would arrive before it was sent',
  },
};

describe.skipIf(!there)('vectors of the convex hull', () => {
  const { cases } = (
    there ? JSON.parse(readFileSync(join(shared, 'golden/trace-sync-vectors.json'), 'utf8')) : { cases: [] }
  ) as { cases: readonly { readonly id: string; readonly steps: readonly Step[] }[] };

  test.each(cases)('$id', ({ id, steps }) => {
    const bounds = new ClockBounds();
    let failed = false;
    steps.forEach(({ send, receive, quality, alpha, beta }, i) => {
      const isFirst = send[0] === 't1';
      const fits = isFirst ? bounds.add(send[1], receive[1], true) : bounds.add(receive[1], send[1], false);
      failed ||= !fits;
      const line = bounds.estimate();
      if (line === undefined) throw new Error('no line');
      const found = [failed ? 'FAIL' : bounds.state.toUpperCase(), 1 + line.drift, valueAt(line, 0)];
      const deviation = DEVIATIONS[`${id} ${i + 1}`];
      const expected = deviation?.expected ?? [quality, alpha && Number(alpha), beta && Number(beta)];
      expected.forEach((value, n) => {
        if (typeof value === 'number') expect(found[n], `step ${i + 1}`).toBeCloseTo(value, 9);
        else if (value !== undefined) expect(found[n], `step ${i + 1}`).toBe(value);
      });
    });
  });
});

test.skipIf(!there)('packets that pass several interfaces of a host are matched as the fixture says', () => {
  const { fixtures } = JSON.parse(readFileSync(join(shared, 'golden/kernel-state-vectors.json'), 'utf8'));
  const fixture = fixtures.find(({ id }: { id: string }) => id === 'event_matching_virtual_interfaces');
  const names = ['client', 'server'];
  const lists = names.map((name) => fixture.events.filter(({ host }: { host: string }) => host === name));
  const hosts = names.map((name, i) => {
    const rows = lists[i].map((event: { ts: number; name: string; fields: { msgid: number } }) => ({
      time: event.ts,
      direction: event.name === 'packet_sent' ? PACKET_SENT : PACKET_RECEIVED,
      key: [0, 0, 0, event.fields.msgid, 0, 0, 0, 0],
    }));
    return { name, start: 0, packets: packetRows(rows, KEY_TCP_SOCKET) };
  });
  const { matches } = synchronise(hosts);
  const found = hosts.flatMap(({ packets, name }, host) =>
    Array.from(packets.time, (ts, row) => {
      const { peer, peerHost } = matches[host];
      if (packets.direction[row] !== PACKET_RECEIVED || peer[row] < 0) return undefined;
      const from = { host: names[peerHost[row]], ts: hosts[peerHost[row]].packets.time[peer[row]] };
      return { from, to: { host: name, ts } };
    }).filter((match) => match !== undefined),
  );
  found.sort((a, b) => a.to.ts - b.to.ts);
  expect(found).toEqual(fixture.matches);
});

async function recorded(name: string, folder: string) {
  const run = await runEngine(loadTrace(join(shared, folder)), [kernelState as AnyAnalysis], memoryHistory());
  const [{ baseNs, offsetNs, firstEvent }] = run.experiment.hosts;
  return { name, start: firstEvent, packets: kernelTables(run).packets, epoch: baseNs + offsetNs };
}

describe.skipIf(!there)('recorded traces', () => {
  test('of two hosts that exchange HTTP: the offset lies where the first and last packets leave room', async () => {
    const client = await recorded('client', 'traces/two-hosts-http/client/kernel');
    const server = await recorded('server', 'traces/two-hosts-http/server/kernel');
    const { pairs } = synchronise([client, server]);
    const [{ state, lines, matched, from, to }] = pairs;
    expect([state, matched]).toEqual(['accurate', 310]);
    const middle = (from + to) / 2;
    const offset = Number(server.epoch - client.epoch) + valueAt(lines?.[0] ?? fail(), middle) - middle;
    expect(offset).toBeGreaterThan(5_508_793_049);
    expect(offset).toBeLessThan(5_508_934_616);
  });

  test('of socket events: the matches and the line of another implementation', async () => {
    const source = await recorded('scp_src', 'corpus/ctf1-ok/tc-synctraces/scp_src');
    const destination = await recorded('scp_dest', 'corpus/ctf1-ok/tc-synctraces/scp_dest');
    const { pairs, matches } = synchronise([destination, source]);
    const [{ state, matched, lines, from, uncertaintyNs }] = pairs;
    expect([state, matched]).toEqual(['accurate', 46]);
    // The line before the rule that clocks run equally fast where packets allow it.
    const line = lineBetween(destination, source, matches);
    expect(lines?.[0].drift).toBe(0);
    expect(Math.abs(valueAt(lines?.[0] ?? fail(), from) - valueAt(line, from))).toBeLessThan(uncertaintyNs);
    expect(1 / (1 + line.drift)).toBeCloseTo(0.9999413783703139, 14);
    // Its slope and offset lead from the source's clock to the destination's: compared in 10^-34 ns.
    const y = BigInt(Math.round(from + 1e9));
    const slope = 9_999_413_783_703_139_011_056_845_831_168_394n;
    const scale = 10n ** 34n;
    const offset = 79_796_507_913_179n;
    const theirs = Number(((source.epoch + y) * slope) / scale + offset - destination.epoch);
    const x = (Number(y) - line.shift + line.drift * line.at) / (1 + line.drift);
    expect(Math.abs(x - theirs)).toBeLessThan(2);
  });
});

/** The line that the packets between two hosts allow best, from the first one's times to the second's. */
function lineBetween(a: SyncHost, b: SyncHost, matches: readonly PacketMatches[]): ClockLine {
  const bounds = new ClockBounds();
  [a, b].forEach(({ packets }, host) => {
    const { peer, peerHost, marks } = matches[host];
    packets.time.forEach((received, row) => {
      if (packets.direction[row] !== PACKET_RECEIVED || peerHost[row] !== 1 - host || marks[row] !== 0)
        return;
      const sent = [a, b][1 - host].packets.time[peer[row]];
      if (host === 1) bounds.add(sent, received, true);
      else bounds.add(received, sent, false);
    });
  });
  return bounds.estimate() ?? fail();
}

function fail(): never {
  throw new Error('no line');
}
