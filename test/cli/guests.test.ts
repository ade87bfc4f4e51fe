/** Virtual machines on the command line: what the host took from a guest's running time, and why it is not told. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspect } from '../support/inspect-run.ts';
import { AHEAD_NS, ASK, recordGuest } from '../support/recorded-guest.ts';
import type { Step } from '../support/simulator/steps.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type PathAnswer } from '../support/inspect-answers.ts';

const folder = temporaryFolder();

/** Time by label of the path's totals, and by blocker of what the host took. */
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
    const talk = join(folder, 'talk');
    const tid = String(recordGuest(talk, [ASK, ASK, ASK, ...computing, ASK]));
    const { timeOf, taken, stderr } = await pathOf(talk, '--thread', tid);
    expect(stderr).toMatch(/^Host host0 is taken for process \d+ \(init\) of host host1\.\n$/);
    expect(timeOf('preempted by the host')).toBeGreaterThan(100_000);
    expect(timeOf('blocked on the host')).toBeGreaterThan(5_000);
    expect(taken.reduce((sum, { time }) => sum + time, 0)).toBe(timeOf('preempted by the host'));
    expect(taken[0].name).toMatch(/^other-\d host1:10\d$/);
    const none = await pathOf(talk, '--thread', tid, '--guest', 'host0=none');
    expect(none.stderr).toBe('');
    expect(none.timeOf('preempted by the host')).toBe(0);
    expect(none.timeOf('running')).toBe(
      timeOf('running') + timeOf('preempted by the host') + timeOf('blocked on the host'),
    );
  });

  it('needs their clocks, by packets or as given', async () => {
    const silent = join(folder, 'silent');
    const args = [silent, '--thread', String(recordGuest(silent, computing))];
    const alone = await pathOf(...args);
    expect(alone.timeOf('preempted by the host')).toBe(0);
    expect(alone.stderr).toMatch(
      /Host host0 is taken for a virtual machine, process \d+ \(init\) of host host1, but/,
    );
    const answer = await pathOf(...args, '--offset', `host0=-${AHEAD_NS}`);
    expect(answer.timeOf('preempted by the host')).toBeGreaterThan(100_000);
  });
});

it('sync tells which host is which machine, and takes no other for one', async () => {
  const both = join(folder, 'both');
  recordGuest(both, [ASK, ASK]);
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
