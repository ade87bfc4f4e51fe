/**
 * Tables 4.3 and 4.4 of Giraldeau 2015 (section 4.5), and Figures 5.4 and 5.5 (section 5.4), by programs of the simulator that do what the programs there did:
 * the share of each task in the active path.
 */
import { describe, expect, it } from 'vitest';
import { addNumber } from '../../src/engine/base/group-by.ts';
import type { Thread } from '../support/simulator/machine.ts';
import type { Play } from '../support/simulator/play.ts';
import type { Step } from '../support/simulator/steps.ts';
import { DEEP } from '../support/tier.ts';
import { foundPath, lifeOf, runPlay, truePath, type PlayedRun } from './played-run.ts';

/** What is expected and what is found may differ by so much of the whole (Giraldeau 2015: 1 %). */
const POINTS = 1;

/** Shares in per cent of the path of the program's first child; the path is the true one. */
async function sharesOf(seed: number, teams: readonly (readonly Step[])[]): Promise<Map<string, number>> {
  const run = await runPlay(storyOf(seed, [{ does: 'spawn', meets: false, teams }]));
  const [studied] = childrenOf(run);
  const [from, to] = lifeOf(run, studied);
  const lines = await foundPath(run, studied, from, to);
  expect(lines).toEqual(truePath(run, studied, from, to));
  const shares = new Map<string, number>();
  for (const line of lines) {
    const [worker, begin, end] = line.split(' ');
    const name = nameOf(run, worker);
    addNumber(shares, name, (100 * (Number(end) - Number(begin))) / (to - from));
  }
  return shares;
}

function storyOf(seed: number, steps: readonly Step[]): Play {
  return {
    seed,
    hosts: [{ cpus: 4, others: 0, vectors: false }],
    weather: { delayNs: 0, jitterNs: 0, loss: 0, offload: false },
    ipv6: false,
    steps,
  };
}

/** Children by letter in order of birth, others by name. */
function nameOf(run: PlayedRun, worker: string): string {
  const child = childrenOf(run).findIndex(({ tid }) => `${tid}` === worker);
  if (child >= 0) return 'ABCD'[child];
  const { threads } = run.played.hosts[0].machine;
  return threads.find(({ tid }) => `${tid}` === worker)?.name ?? worker;
}

function childrenOf({ played }: PlayedRun): Thread[] {
  return played.hosts[0].machine.threads.filter(({ parent }) => parent === played.thread);
}

function repeated(times: number, step: (n: number) => readonly Step[]): Step[] {
  return Array.from({ length: times }, (_, n) => step(n)).flat();
}

it('Table 4.3 an uneven parallel computation', async () => {
  // The work grows with the rank and goes round from stage to stage.
  const teams = [0, 1, 2, 3].map((rank) =>
    repeated(100 * 4, (stage) => [
      { does: 'compute', ns: 400_000 * (1 + ((rank + stage) % 4)) },
      { does: 'meet' },
    ]),
  );
  const shares = await sharesOf(43, teams);
  const expected = { A: 62.5, B: 6.25, C: 12.5, D: 18.75 };
  for (const [task, share] of Object.entries(expected))
    expect(Math.abs((shares.get(task) ?? 0) - share), `${task} ${shares.get(task)}`).toBeLessThan(POINTS);
}, 60_000);

it('Table 4.4 synchronous writes wait for the journal, seldom for who shares a lock', async () => {
  const own = 29.5;
  const journal = 70.4;
  const writer = repeated(300, () => [
    { does: 'compute', ns: 20_000 * own },
    { does: 'lock', lock: 0, ns: 1_000 },
    { does: 'sync', ns: 20_000 * journal },
  ]);
  const consumer = repeated(100, () => [
    { does: 'sleep', ns: 3_000_000 },
    { does: 'lock', lock: 0, ns: 50_000 },
  ]);
  const shares = await sharesOf(44, [writer, consumer]);
  const [a, b, jbd2] = ['A', 'B', 'jbd2/vda-8'].map((name) => shares.get(name) ?? 0);
  expect(Math.abs(a - own), `${a}`).toBeLessThan(POINTS);
  expect(Math.abs(jbd2 - journal), `${jbd2}`).toBeLessThan(POINTS);
  expect(b).toBeGreaterThan(0);
  expect(b).toBeLessThan(POINTS);
}, 60_000);

/** Work of the client between requests, and of the server for each, ns. */
const CLIENT_NS = 2_000_000;
const SERVER_NS = 20_000_000;
const REQUESTS = 10;

/**
 * Shares in per cent of the path of a client that asks a server on another machine: its own, the server's, the network's.
 * @param busyNs work of the client between a question and waiting for the answer
 */
async function remoteShares(seed: number, delayNs: number, busyNs: number) {
  const steps = repeated(REQUESTS, () => [
    { does: 'compute', ns: CLIENT_NS },
    {
      ...{ does: 'ask', via: 'tcp', host: 1, bytes: 64, drains: false, busyNs },
      server: [{ does: 'compute', ns: SERVER_NS }],
    },
  ]);
  const machine = { cpus: 2, others: 0, vectors: false };
  const weather = { delayNs, jitterNs: 0, loss: 0, offload: false };
  const run = await runPlay({ seed, hosts: [machine, machine], weather, ipv6: false, steps });
  const studied = run.played.thread;
  const [from, to] = lifeOf(run, studied);
  const lines = await foundPath(run, studied, from, to);
  expect(lines).toEqual(truePath(run, studied, from, to));
  const shares = { client: 0, server: 0, network: 0 };
  for (const line of lines) {
    const [worker, begin, end, label] = line.split(' ');
    const part = label === 'network' ? 'network' : worker.startsWith('host1') ? 'server' : 'client';
    shares[part] += (100 * (Number(end) - Number(begin))) / (to - from);
  }
  return shares;
}

/** Expects shares within `POINTS` of what the parts would take alone, ns. */
function expectShares(
  shares: Readonly<Record<'client' | 'server' | 'network', number>>,
  parts: Readonly<Record<'client' | 'server' | 'network', number>>,
): void {
  const sum = parts.client + parts.server + parts.network;
  for (const part of ['client', 'server', 'network'] as const)
    expect(Math.abs(shares[part] - (100 * parts[part]) / sum), `${part} ${shares[part]}`).toBeLessThan(
      POINTS,
    );
}

describe.runIf(DEEP)('Figure 5.4', () => {
  it.each([100_000, 10_000_000, 100_000_000])(
    'packets that take %i ns each way',
    async (delayNs) => {
      const shares = await remoteShares(54, delayNs, 0);
      expectShares(shares, { client: CLIENT_NS, server: SERVER_NS, network: 2 * delayNs });
    },
    60_000,
  );
});

describe.runIf(DEEP)('Figure 5.5', () => {
  // While the client is busy, the server's work and the packets' way delay nobody.
  it.each([0, 0.5, 1])(
    'a client that computes for %d of the time until the answer',
    async (share) => {
      const delayNs = 100_000;
      const busyNs = share * (SERVER_NS + 2 * delayNs);
      const shares = await remoteShares(55, delayNs, busyNs);
      const way = share === 0 ? 2 * delayNs : share < 1 ? delayNs : 0;
      const server = share < 1 ? SERVER_NS * (1 - share) : 0;
      expectShares(shares, { client: CLIENT_NS + busyNs, server, network: way });
    },
    60_000,
  );
});
