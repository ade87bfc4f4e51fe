import { describe, expect, it } from 'vitest';
import { graphOfHosts } from '../../../test/support/graph-run.ts';
import { scenario, type Scenario, diskRequest } from '../../../test/support/scenario.ts';
import { blockerTexts, partsIn, stateWords } from '../answers/paths/path-parts.ts';
import { findPath } from './find-path.ts';
import { foldedStacks } from './folded-stacks.ts';
import { LABELS } from './path-codes.ts';
import { segmentParts, type SegmentParts } from './segment-parts.ts';
import { waitsForTree } from './waits-for.ts';
import { graphHostOf } from '../../../test/support/stored-states.ts';

const A = 10;
const B = 20;
const C = 30;

interface ReadStory {
  /** `TID LABEL | STATE(CALL) NS by BLOCKER, …` of each segment. */
  readonly lines: readonly string[];
  readonly parts: SegmentParts;
  readonly stacks: readonly string[];
}

/** The path of thread A over [0, end]. */
async function tell(story: Scenario, end: number, segmentIntervals?: number): Promise<ReadStory> {
  const { graph, names, workerOf } = await graphOfHosts([graphHostOf(story.events, end, segmentIntervals)]);
  const path = await findPath(graph, {
    worker: workerOf(String(A)),
    from: 0,
    to: end,
    criterion: 'main task',
  });
  if (path === undefined) throw new Error('a path is expected');
  const parts = await segmentParts(graph, path);
  const nameOf = (worker: number): string => names.worker(worker);
  const each = partsIn(graph, path, parts);
  const { segments: s } = path;
  const lines = Array.from({ length: s.length }, (_, i) => {
    const textLines: string[] = [];
    let sum = 0;
    each(i, (value, ns, call, blocker) => {
      const by = blocker < 0 ? '' : ` by ${blockerTexts(parts, nameOf)(blocker)}`;
      textLines.push(`${stateWords(value)}${call === '' ? '' : `(${call})`} ${ns}${by}`);
      sum += ns;
    });
    expect(sum).toBe(s.to[i] - s.from[i]);
    return `${nameOf(s.worker[i])} ${LABELS[s.label[i]]} | ${textLines.join(', ')}`;
  });
  const { parent, ns, kind, subject } = waitsForTree(path, parts);
  const stacks = foldedStacks(parent, ns, (i) => {
    if (kind[i] === 'worker') return nameOf(subject[i]);
    return kind[i] === 'state' ? stateWords(subject[i]) : blockerTexts(parts, nameOf)(subject[i]);
  });
  return { lines, parts, stacks };
}

it('running time is that of user mode, of system calls and of interrupts by name', async () => {
  const story = scenario()
    .switch(0, 0, 0, 0, A)
    .add(10, 0, 'syscall_entry_openat')
    .add(20, 0, 'syscall_exit_openat')
    .add(25, 0, 'syscall_entry_write')
    .enter(30, 0, 'irq', 5, 'eth0')
    .enter(33, 0, 'softirq', 3)
    .leave(38, 0, 'softirq', 3)
    .leave(39, 0, 'irq', 5)
    .add(45, 0, 'syscall_exit_write')
    .enter(50, 0, 'hrtimer', 77)
    .leave(52, 0, 'hrtimer', 77)
    .enter(60, 0, 'softirq', 99)
    .leave(61, 0, 'softirq', 99);
  const { lines, stacks } = await tell(story, 100);
  expect(lines).toEqual([
    '10 running | Running, user 67, Running, kernel(openat) 10, Running, kernel(write) 11, ' +
      'Interrupted 4 by eth0, Interrupted 5 by softirq NET_RX, Interrupted 2 by hrtimer, Interrupted 1 by softirq',
  ]);
  expect(stacks).toEqual([
    '10;Running, user 67',
    '10;Running, kernel 21',
    '10;Interrupted;eth0 4',
    '10;Interrupted;softirq NET_RX 5',
    '10;Interrupted;hrtimer 2',
    '10;Interrupted;softirq 1',
  ]);
});

describe('time in which a thread was ready', () => {
  it('was taken by those who ran on its CPU', async () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(10, 0, A, 0, B)
      .switch(40, 0, B, 0, C)
      .switch(45, 0, C, 1, 0)
      .switch(50, 0, 0, 0, A);
    const { lines, stacks } = await tell(story, 60);
    expect(lines[1]).toBe(
      '10 preempted | Runnable, preempted 30 by 20, Runnable, preempted 5 by 30, ' +
        "Runnable, preempted 5 by nobody: CPU 0 was idle, most likely throttled by a cgroup's CPU limit",
    );
    expect(stacks).toContain('10;Runnable, preempted;20 30');
  });

  it('follows the thread to another CPU', async () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(0, 1, 0, 0, C)
      .switch(10, 0, A, 0, B)
      .add(30, 1, 'sched_migrate_task', { tid: A, dest_cpu: 1 })
      .switch(50, 1, C, 0, A);
    const { lines } = await tell(story, 60);
    expect(lines[1]).toBe('10 preempted | Runnable, preempted 20 by 20, Runnable, preempted 20 by 30');
  });

  it.each([1, 3, undefined])('is the same whatever segments are (%s)', async (segmentIntervals) => {
    const story = scenario().switch(0, 0, 0, 0, A);
    for (let t = 10; t < 200; t += 20) story.switch(t, 0, A, 0, B).switch(t + 15, 0, B, 0, A);
    const { stacks } = await tell(story, 200, segmentIntervals);
    expect(stacks).toEqual(['10;Running, user 55', '10;Runnable, preempted;20 145']);
  });
});

describe('waits for disks', () => {
  const start = () => scenario().switch(0, 0, 0, 0, A).switch(0, 1, 0, 0, B);

  it('are those for the request that completed in the interrupt which ended them', async () => {
    const story = start()
      .add(5, 1, 'block_rq_issue', diskRequest(800, B))
      .switch(10, 0, A, 2, 0)
      .add(20, 0, 'block_rq_insert', diskRequest(100, A))
      .add(30, 0, 'block_rq_issue', diskRequest(100, A))
      .enter(50, 1, 'irq', 7, 'nvme0q1')
      .add(51, 1, 'block_rq_complete', diskRequest(800, 0))
      .leave(52, 1, 'irq', 7)
      .enter(60, 0, 'irq', 6, 'nvme0q0')
      .add(62, 0, 'block_rq_complete', diskRequest(100, 0))
      .waking(64, 0, A)
      .leave(66, 0, 'irq', 6)
      .switch(70, 0, 0, 0, A);
    const { lines, parts } = await tell(story, 80);
    const on = 'request of 10 on disk 254:16';
    expect(lines[1]).toBe(
      `10 blocked | Blocked, on the disk 10 by ${on}, not made yet, Blocked, on the disk 10 by ${on}, queued, ` +
        `Blocked, on the disk 32 by ${on}, at the device, Blocked, on the disk 2 by ${on}, completed`,
    );
    expect(parts.served.get(1)?.map(({ device, ns }) => [device, ns])).toEqual([
      ['254:16', 41],
      ['254:16', 32],
    ]);
  });

  it('are those for the thread’s own request where another CPU is in an interrupt of a disk, too', async () => {
    const story = start()
      .add(5, 0, 'block_rq_issue', diskRequest(100, A))
      .add(5, 1, 'block_rq_issue', diskRequest(800, B))
      .switch(10, 0, A, 2, 0)
      .enter(50, 0, 'irq', 6, 'nvme0q0')
      .enter(50, 1, 'irq', 7, 'nvme0q1')
      .add(52, 0, 'block_rq_complete', diskRequest(100, 0))
      .add(53, 1, 'block_rq_complete', diskRequest(800, 0))
      .waking(54, 0, A)
      .leave(55, 0, 'irq', 6)
      .leave(56, 1, 'irq', 7)
      .switch(60, 0, 0, 0, A);
    const on = 'request of 10 on disk 254:16';
    expect((await tell(story, 80)).lines[1]).toBe(
      `10 blocked | Blocked, on the disk 42 by ${on}, at the device, Blocked, on the disk 2 by ${on}, completed`,
    );
  });

  it('are nobody’s where no request completed in that interrupt', async () => {
    const story = start()
      .add(5, 1, 'block_rq_issue', diskRequest(800, B))
      .switch(10, 0, A, 2, 0)
      .enter(50, 1, 'irq', 7, 'nvme0q1')
      .add(51, 1, 'block_rq_complete', diskRequest(800, 0))
      .leave(52, 1, 'irq', 7)
      .enter(60, 0, 'irq', 6, 'nvme0q0')
      .waking(64, 0, A)
      .leave(66, 0, 'irq', 6);
    const { lines, parts } = await tell(story, 64);
    expect(lines[1]).toBe('10 blocked | Blocked, on the disk 54');
    expect(parts.served.size).toBe(0);
  });

  it('are those for the requests of the same maker before it, each made when the one before had completed', async () => {
    const story = start()
      .add(5, 1, 'block_rq_issue', diskRequest(0, B, 0))
      .switch(10, 0, A, 2, 0)
      .add(15, 1, 'block_rq_issue', diskRequest(900, C))
      .add(20, 1, 'block_rq_complete', diskRequest(2 ** 32 * 2 ** 31, 0, 0))
      .add(23, 1, 'block_rq_issue', diskRequest(100, B))
      .add(25, 1, 'block_rq_issue', diskRequest(800, B))
      .add(30, 1, 'block_rq_complete', diskRequest(800, 0))
      .add(40, 1, 'block_rq_complete', diskRequest(900, 0))
      .add(41, 1, 'block_rq_complete', diskRequest(100, 0))
      .add(43, 1, 'block_rq_issue', diskRequest(700, B))
      .add(45, 1, 'block_rq_issue', diskRequest(0, B, 0))
      .add(50, 1, 'block_rq_complete', diskRequest(700, 0))
      .enter(60, 0, 'irq', 6, 'nvme0q0')
      .add(62, 0, 'block_rq_complete', diskRequest(2 ** 32 * 2 ** 31, 0, 0))
      .waking(64, 0, A)
      .leave(66, 0, 'irq', 6);
    const on = 'of 20 on disk 254:16';
    expect((await tell(story, 64)).lines[1]).toBe(
      `10 blocked | Blocked, on the disk 27 by flush ${on}, at the device, ` +
        `Blocked, on the disk 5 by flush ${on}, not made yet, ` +
        `Blocked, on the disk 20 by request ${on}, at the device, Blocked, on the disk 2 by flush ${on}, completed`,
    );
  });

  it('may be those for a flush, which has no sectors', async () => {
    const story = start()
      .switch(10, 0, A, 2, 0)
      .add(20, 1, 'block_rq_issue', diskRequest(0, B, 0))
      .enter(60, 0, 'irq', 6, 'nvme0q0')
      .add(62, 0, 'block_rq_complete', diskRequest(2 ** 32 * 2 ** 31, 0, 0))
      .waking(62, 0, A)
      .leave(66, 0, 'irq', 6);
    const { lines } = await tell(story, 62);
    expect(lines[1]).toBe(
      '10 blocked | Blocked, on the disk 10 by flush of 20 on disk 254:16, not made yet, ' +
        'Blocked, on the disk 42 by flush of 20 on disk 254:16, at the device',
    );
  });
});
