/**
 * Tables 4.3 and 4.4 of Giraldeau 2015 (section 4.5), by programs of the simulator that do what the programs there did:
 * the share of each task in the active path.
 */
import { describe, expect, it } from 'vitest';
import type { Thread } from '../support/simulator/machine.ts';
import type { Play } from '../support/simulator/play.ts';
import type { Step } from '../support/simulator/steps.ts';
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
    shares.set(name, (shares.get(name) ?? 0) + (100 * (Number(end) - Number(begin))) / (to - from));
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

describe('Table 4.3', () => {
  it('an uneven parallel computation', async () => {
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
});

describe('Table 4.4', () => {
  it('synchronous writes wait for the journal, seldom for who shares a lock', async () => {
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
});
