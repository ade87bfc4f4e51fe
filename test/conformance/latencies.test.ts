/** `inspect latencies` on recorded traces: which is the longest, what it consists of, and what the options choose. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspect, inspectJson } from '../support/inspect-run.ts';
import { projectDir } from '../support/shared.ts';
import { casePath } from '../support/states-goldens.ts';

interface Answer {
  readonly count: number;
  readonly over?: number;
  readonly latencies: readonly {
    readonly worker: string;
    readonly what: string;
    readonly from: number;
    readonly ns: number;
    readonly isAbove: boolean;
    readonly wakeUp?: string;
    readonly meanwhile: readonly { readonly ns: number; readonly kind: string; readonly text: string }[];
  }[];
}

const disk = join(projectDir(), 'public/examples/disk-io');
const lossy = join(projectDir(), 'public/examples/lost-events');
const ask = (...options: readonly string[]): Promise<Answer> => inspectJson('latencies', disk, ...options);

describe('the longest delays of disk-io', () => {
  it('are those of the statistic, each of pieces that add up to it', async () => {
    const { count, over, latencies } = await ask('--above', '5ms', '--limit', '50');
    expect(count).toBe(410);
    expect(latencies).toHaveLength(50);
    expect(latencies[0]).toMatchObject({ ns: 9_452_239, what: 'woken', isAbove: true });
    expect(over).toBe(latencies.filter(({ isAbove }) => isAbove).length);
    for (const { ns, meanwhile } of latencies)
      expect(meanwhile.reduce((sum, piece) => sum + piece.ns, 0)).toBe(ns);
  });

  it('of softirqs last from raise to entry or from entry to exit', async () => {
    const { count, latencies } = await ask('--kind', 'softirq', '--limit', '1000000');
    const raised = latencies.filter(({ what }) => what === 'softirq RCU, raised');
    expect([count, raised.length]).toEqual([latencies.length, 360]);
    expect(raised[0].ns).toBe(3_334_852);
    expect(latencies.every(({ what }) => what.startsWith('softirq '))).toBe(true);
  });

  it('of interrupts have nothing of softirqs', async () => {
    const { latencies } = await ask('--kind', 'irq', '--limit', '1000000');
    const device = latencies.filter(({ what }) => what === 'virtio2-req.0');
    expect(device).toHaveLength(78);
    expect(device[0]).toMatchObject({ ns: 2_157_059 });
    expect(device[0].meanwhile[0].kind).toBe('interrupt');
    expect(latencies.some(({ what }) => what.startsWith('softirq'))).toBe(false);
  });

  it('are those of one thread, or of none with a real-time priority but the kernel’s', async () => {
    const { latencies } = await ask('--thread', '222');
    expect(new Set(latencies.map(({ worker }) => worker))).toEqual(new Set(['222']));
    const realTime = await ask('--real-time');
    for (const { latencies: all } of [realTime]) expect(all.every(({ what }) => what === 'woken')).toBe(true);
    expect(realTime.count).toBeLessThan(410);
  });
});

it('has the waits that ended in a range, as stats has', async () => {
  const { latencies } = await inspectJson<Answer>('latencies', lossy, '--limit', '1');
  const [{ from, ns }] = latencies;
  for (const [begin, end, isIn] of [
    [from - 1, from + ns, false],
    [from + ns - 1, from + ns + 1_000_000, true],
  ] as const) {
    const range = ['--range', `${begin}..${end}`];
    const { woken } = await inspectJson<{ readonly woken: { readonly count: number } }>(
      ...['stats', 'sched', lossy, ...range],
    );
    const within = await inspectJson<Answer>('latencies', lossy, ...range);
    expect(within.count).toBe(woken.count);
    expect(within.latencies.some((each) => each.from === from && each.ns === ns)).toBe(isIn);
  }
});

it.each([
  ['executions-without-kernel', [], 'sched_switch, sched_waking'],
  ['executions-without-kernel', ['--kind', 'preempted'], 'sched_switch'],
  ['executions-without-kernel', ['--kind', 'irq'], 'irq_handler_entry'],
  ['executions-without-kernel', ['--kind', 'softirq'], 'irq_softirq_entry'],
  ['hog-before-first-switch', ['--kind', 'softirq'], 'irq_softirq_entry'],
])('does not take for none what was not recorded: %s %s', async (name, options, missing) => {
  const { code, stdout, stderr } = await inspect('latencies', casePath(name), ...options);
  expect([code, stdout, stderr.split('\n')[0]]).toEqual([
    ...[2, '', `inspect: latencies: not recorded: ${missing}`],
  ]);
});

it.each([
  'latencies PATH',
  'latencies PATH --json',
  'what-if PATH --thread 472',
  'profile PATH --off-cpu --thread 472',
  'stats sched PATH',
  'locks PATH',
])('what was lost is said beside the numbers of %s', async (command) => {
  const { code, stderr } = await inspect(
    ...command.split(' ').map((word) => (word === 'PATH' ? lossy : word)),
  );
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^84\.0 % of the events were lost while recording, 41754 of 49735: /),
  ]);
});

it('a CPU whose own events were not lost is known to be idle', async () => {
  const { latencies } = await inspectJson<Answer>('latencies', lossy, '--limit', '1');
  // Events of CPU 0 were lost from 337 to 462 ms and from 722 to 909 ms.
  expect(latencies).toMatchObject([
    { worker: '471', from: 699_702_877, ns: 11_939_497, meanwhile: [{ cpu: 0, kind: 'idle' }] },
  ]);
});

it.each([
  [['--kind', 'nmi'], /--kind: one of wakeup, preempted, irq, softirq is expected, not "nmi"/],
  [['--above=-1us'], /--above: a time as 100us/],
  [['--above', '5 parsecs'], /--above: a time as 100us/],
  [['--kind', 'irq', '--real-time'], /"irq" is of no thread/],
  [['--thread', '99999'], /there is no thread 99999/],
  [['--thread', '0/cpu0'], /an idle thread has no profile, and no waits/],
])('refuses %s', async (options, words) => {
  const { code, stderr } = await inspect('latencies', disk, ...options);
  expect([code, stderr]).toEqual([2, expect.stringMatching(words)]);
});
