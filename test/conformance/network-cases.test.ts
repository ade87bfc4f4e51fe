/**
 * Traces of two hosts from public reports of wrong answers (`fixtures/cases`), each with what is right, through the
 * command line: which packets are the same, how the clocks relate, and what a request waited for. The server's clock is
 * 5 s ahead; packets take 50 to 89 µs. Times are ns.
 */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { segmentRows, type PathAnswer } from '../support/inspect-answers.ts';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { testEach } from '../support/known-gaps.ts';
import { casePath } from '../support/states-goldens.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface SyncAnswer {
  readonly pairs: readonly {
    readonly state: string;
    readonly matched: number;
    readonly ambiguous: number;
    readonly weak: number;
    readonly oneWay: number;
    readonly slope: number;
    readonly offsetNs: number;
    readonly uncertaintyNs: number;
    readonly inversionsAfter: number;
  }[];
  readonly hosts: readonly { readonly source: string }[];
}

const MATCHED = { state: 'accurate', matched: 16, ambiguous: 0, weak: 0, oneWay: 0, inversionsAfter: 0 };
/** By the least delays of both directions, 50 and 60 µs: half their difference, and half their sum. */
const CLOCKS = { slope: 1, offsetNs: 4_999_995_000, uncertaintyNs: 55_000 };
const SERVER_NS = 8 * 1_995_000;
const TO_SERVER_NS = 541_732;
const BACK_NS = 582_412;

const CASES: Readonly<Record<string, (path: string) => Promise<void>>> = {
  // Each packet is logged at bond0, and 1,500 later at eth0.
  'bond-two-hosts': async (path) => {
    await expectClocks(path, MATCHED);
    const time = await timeOf(path);
    expect(time('server:30', 'running')).toBe(SERVER_NS);
    expect(time('server:irq/cpu0', 'network')).toBe(TO_SERVER_NS);
    expect(time('client:irq/cpu0', 'network')).toBe(BACK_NS);
  },

  // The server sees another address than the client has; all numbers are the same.
  'nat-two-hosts': async (path) => {
    await expectClocks(path, { ...MATCHED, weak: 16 });
    const time = await timeOf(path);
    expect(time('server:30', 'running')).toBe(SERVER_NS);
    expect(time('server:irq/cpu0', 'network') + time('client:irq/cpu0', 'network')).toBe(
      TO_SERVER_NS + BACK_NS,
    );
  },

  // The fifth request is lost and sent again 200 ms later: the one that arrives has the second one's identification.
  'retransmitted-packet': async (path) => {
    await expectClocks(path, { ...MATCHED, oneWay: 1 });
    const rows = segmentRows(await pathOf(path));
    const wait = rows.findIndex(([, , , label, cause]) => label === 'blocked' && cause === 'timer');
    const [worker, from, to] = rows[wait];
    expect([worker, to - from]).toEqual(['client:irq/cpu0', 200_000_000]);
    const [after, sent, arrived, label] = rows[wait + 1];
    expect([after, sent, label]).toEqual(['server:irq/cpu0', to, 'network']);
    expect(arrived - sent).toBe(51_676 + 5000);
    const time = await timeOf(path);
    expect(time('server:irq/cpu0', 'network')).toBe(TO_SERVER_NS);
    // By the main task the client's wait begins 6 µs after the packet that was lost.
    const asked = ['--host', 'client', '--thread', '20', '--path'];
    const { stacks } = await inspectJson<{ stacks: [string, number][] }>('profile', path, ...asked);
    expect(stacks.filter(([stack]) => stack.endsWith(';timer')).map(([, ns]) => ns)).toEqual([199_994_000]);
    const shown = await inspect('critical-path', path, '--host', 'client', '--thread', '20');
    expect([shown.code, shown.stdout.includes('timer')]).toEqual([0, true]);
  },

  // No softirq: thread 9 of each host receives the packets.
  'napi-thread-two-hosts': async (path) => {
    await expectClocks(path, MATCHED);
    const time = await timeOf(path);
    expect(time('server:30', 'running')).toBe(SERVER_NS);
    expect(time('server:9', 'network')).toBe(TO_SERVER_NS);
    expect(time('client:9', 'network')).toBe(BACK_NS);
  },
};

describe('cases of networks', () => {
  testEach('network-cases', Object.keys(CASES), (name) => CASES[name](casePath(name)));
});

async function expectClocks(path: string, counts: typeof MATCHED): Promise<void> {
  const { pairs } = await inspectJson<SyncAnswer>('sync', path);
  expect(pairs).toMatchObject([{ ...counts, ...CLOCKS }]);
  expect(Math.abs(pairs[0].offsetNs - 5_000_000_000)).toBeLessThanOrEqual(pairs[0].uncertaintyNs);
}

function pathOf(path: string, ...more: readonly string[]): Promise<PathAnswer> {
  const asked = ['--host', 'client', '--thread', '20', '--criterion', 'exact', ...more];
  return inspectJson<PathAnswer>('critical-path', path, ...asked);
}

/** Time of a worker with a label on the path of the client. */
async function timeOf(path: string): Promise<(worker: string, label: string) => number> {
  const rows = segmentRows(await pathOf(path));
  return (worker, label) =>
    rows
      .filter(([of, , , as]) => of === worker && as === label)
      .reduce((sum, [, from, to]) => sum + to - from, 0);
}

describe('packets that nothing tells apart', () => {
  const folder = temporaryFolder();

  /** The bond's trace as a tracer would write it that records neither identification nor buffer. */
  function unclearTrace(): string {
    const path = join(folder, 'trace');
    cpSync(casePath('bond-two-hosts'), path, { recursive: true });
    for (const host of ['client', 'server']) {
      const metadata = join(path, host, 'kernel/metadata');
      const text = readFileSync(metadata, 'latin1');
      const without = text.replaceAll(' _skbaddr;', ' _nothing;').replaceAll(' _id;', ' _no;');
      expect(without).not.toBe(text);
      writeFileSync(metadata, without, 'latin1');
    }
    return path;
  }

  test('join no clocks, and no number depends on them', async () => {
    const path = unclearTrace();
    const { stdout, stderr } = await inspect('sync', path, '--json');
    const { pairs, hosts } = JSON.parse(stdout) as SyncAnswer;
    expect(pairs.map(({ state }) => state)).toEqual(['absent']);
    expect(hosts.map(({ source }) => source)).toEqual(['reference', 'start']);
    expect(stderr).toContain('sync-unclear');
    expect(stderr).not.toContain('sync-no-match');
    const rows = segmentRows(await pathOf(path));
    expect(rows.filter(([worker, , , label]) => worker.startsWith('server:') || label === 'network')).toEqual(
      [],
    );
    const { stderr: said } = await inspect('critical-path', path, '--host', 'client', '--thread', '20');
    expect(said).toContain('How the clocks of these hosts relate is not known');
    expect(said).not.toContain('trace that host too');
    const summary = await inspect('summary', path);
    expect(summary.stdout).toContain('not synchronised');
    expect(summary.stdout).not.toContain('and the network');
  });
});

describe('an offset that is given', () => {
  const path = casePath('napi-thread-two-hosts');

  test('is refused where no clock can be so far off', async () => {
    const { code, stderr } = await inspect('sync', path, '--offset', 'client=99999999999999999999');
    expect([code, stderr.includes('584 years')]).toEqual([2, true]);
  });

  test('is told where by it packets arrive before they were sent', async () => {
    const wrong = await inspect('sync', path, '--offset', 'client=1000000000');
    expect(wrong.stderr).toContain('sync-offset-wrong');
    expect((await inspect('summary', path, '--offset', 'client=1000000000')).stdout).toContain(
      'packets of client and server',
    );
    const right = await inspect('sync', path, '--offset', 'server=-5000000000', '--offset', 'client=0');
    expect(right.stderr).not.toContain('sync-offset-wrong');
  });
});
