/** Virtual machines on the command line: what the host took from a guest's running time, and why it is not told. */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildCli } from '../support/build-cli.ts';
import { play } from '../support/simulator/play.ts';
import type { Step } from '../support/simulator/steps.ts';

interface PathAnswer {
  readonly from: number;
  readonly to: number;
  readonly totals: readonly { readonly label: string; readonly time: number }[];
  readonly parts: readonly {
    readonly state: string;
    readonly time: number;
    readonly by: readonly { readonly name: string; readonly time: number }[];
  }[];
}

const AHEAD_NS = 3_000_000_000;
const ASK: Step = {
  does: 'ask',
  via: 'tcp',
  host: 1,
  bytes: 24,
  drains: false,
  server: [{ does: 'compute', ns: 20_000 }],
};

const folder = mkdtempSync(join(tmpdir(), 'guests-'));
let program = '';
beforeAll(async () => {
  program = await buildCli();
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Records a program on a guest (`host0`) of `host1`; returns its tid. */
function record(name: string, steps: readonly Step[]): string {
  const { hosts, thread } = play({
    seed: 5,
    hosts: [
      {
        cpus: 2,
        others: 1,
        vectors: false,
        runsOn: 1,
        clock: { offset: AHEAD_NS, drift: 0, bend: 0, steps: [] },
      },
      { cpus: 2, others: 3, vectors: false },
    ],
    weather: { delayNs: 30_000, jitterNs: 0, loss: 0, offload: false },
    ipv6: false,
    steps,
  });
  for (const host of hosts) {
    for (const [path, bytes] of host.files) {
      const file = join(folder, name, host.name, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
  }
  return `host0:${thread.tid}`;
}

function inspect(...args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** Time by label of the path's totals, and by culprit of what the host took. */
async function pathOf(...args: readonly string[]) {
  const { code, stdout, stderr } = await inspect('critical-path', '--json', ...args);
  expect(code).toBe(0);
  const { from, to, totals, parts } = JSON.parse(stdout) as PathAnswer;
  expect(totals.reduce((sum, { time }) => sum + time, 0)).toBe(to - from);
  expect(parts.reduce((sum, { time }) => sum + time, 0)).toBe(to - from);
  const timeOf = (label: string): number =>
    totals.reduce((sum, total) => (total.label === label ? sum + total.time : sum), 0);
  const taken = parts.filter(({ state }) => state === 'Preempted by the host').flatMap(({ by }) => by);
  return { timeOf, taken, stderr };
}

describe('the path of a guest', () => {
  const computing: readonly Step[] = [
    { does: 'compute', ns: 4_000_000 },
    { does: 'sleep', ns: 200_000 },
    { does: 'compute', ns: 4_000_000 },
  ];

  it('tells what its host took, and who had it', async () => {
    const tid = record('talk', [ASK, ASK, ASK, ...computing, ASK]);
    const { timeOf, taken, stderr } = await pathOf(join(folder, 'talk'), '--thread', tid);
    expect(stderr).toMatch(/^Host host0 is taken for process \d+ \(init\) of host host1\.\n$/);
    expect(timeOf('preempted by the host')).toBeGreaterThan(100_000);
    expect(timeOf('blocked on the host')).toBeGreaterThan(5_000);
    expect(taken.reduce((sum, { time }) => sum + time, 0)).toBe(timeOf('preempted by the host'));
    expect(taken[0].name).toMatch(/^other-\d host1:10\d$/);
    const none = await pathOf(join(folder, 'talk'), '--thread', tid, '--guest', 'host0=none');
    expect(none.stderr).toBe('');
    expect(none.timeOf('preempted by the host')).toBe(0);
    expect(none.timeOf('running')).toBe(
      timeOf('running') + timeOf('preempted by the host') + timeOf('blocked on the host'),
    );
  });

  it('needs their clocks, by packets or as given', async () => {
    const tid = record('silent', computing);
    const args = [join(folder, 'silent'), '--thread', tid];
    const alone = await pathOf(...args);
    expect(alone.timeOf('preempted by the host')).toBe(0);
    expect(alone.stderr).toMatch(
      /Host host0 is taken for a virtual machine, process \d+ \(init\) of host host1, but/,
    );
    const told = await pathOf(...args, '--offset', `host0=-${AHEAD_NS}`);
    expect(told.timeOf('preempted by the host')).toBeGreaterThan(100_000);
  });
});

describe('sync', () => {
  it('tells which host is which machine, and takes no other for one', async () => {
    record('both', [ASK, ASK]);
    const both = join(folder, 'both');
    const { stdout } = await inspect('sync', both);
    expect(stdout).toMatch(/\nhost0 is process \d+ \(init\) of host1\n$/);
    expect((await inspect('sync', both, '--guest', 'host0=none')).stdout).toContain(
      'host0 is no virtual machine',
    );
    const wrong = await inspect('sync', both, '--guest', 'host0=host1:1');
    expect([wrong.code, wrong.stderr.split('\n')[0]]).toEqual([
      2,
      'inspect: --guest: process 1 of host host1 is not known to be a virtual machine',
    ]);
    expect((await inspect('sync', both, '--guest', 'host0=1')).code).toBe(2);
    expect((await inspect('sync', both, '--guest', 'nobody=host1:1')).code).toBe(2);
  });
});
