import { describe, expect, it } from 'vitest';
import { graphOfHosts } from '../../../../../test/support/graph-run.ts';
import { scenario, type Scenario, diskRequest } from '../../../../../test/support/scenario.ts';
import { findPath } from '../../../graph/find-path.ts';
import type { StacksInForce } from '../../stacks/kernel-stacks.ts';
import { UnionTree } from '../union-tree.ts';
import { EcctReader } from './ecct-reader.ts';
import { graphHostOf } from '../../../../../test/support/stored-states.ts';

const A = 10;
const B = 20;
const C = 30;

/** By tid: at which times another stack is in force, and which. */
type Stacks = Readonly<Record<number, readonly (readonly [time: number, stack: string])[]>>;

interface Question {
  readonly end: number;
  readonly from?: number;
  readonly stacks?: Stacks;
  /** Instead of `stacks`. */
  readonly inForce?: StacksInForce;
  readonly segmentIntervals?: number;
  /** Names by tid, instead of NAMES. */
  readonly names?: Readonly<Record<number, string>>;
}

const NAMES: Readonly<Record<number, string>> = { [A]: 'ann', [B]: 'bob', [C]: 'cat', 40: 'kworker/3:1H' };

/** `STACK NS` of thread A's time in [from, end]. */
async function tell(
  story: Scenario,
  { end, from = 0, stacks = {}, inForce, segmentIntervals, names = NAMES }: Question,
) {
  const nameOf = (tid: unknown): string => names[Number(tid)] ?? '';
  const events = story.events.map(({ fields, ...event }) => {
    const comms = { prev_comm: nameOf(fields.prev_tid), next_comm: nameOf(fields.next_tid) };
    return { ...event, fields: { ...fields, ...comms } };
  });
  const host = graphHostOf(events, end, segmentIntervals);
  const { graph, workerOf } = await graphOfHosts([host]);
  const request = { worker: workerOf(String(A)), from, to: end, criterion: 'main task' } as const;
  const path = await findPath(graph, request);
  if (path === undefined) throw new Error('a path is expected');
  const tree = new UnionTree();
  const ecct = await new EcctReader(
    {
      graph,
      hosts: [{ name: 'host', stacks: inForce ?? stacksInForce(stacks, [...host.tables.threads.tid]) }],
    },
    tree,
  ).of(path);
  return Array.from(ecct.nodes, (node, i) => `${stackOf(tree, node)} ${ecct.ns[i]}`).sort();
}

function stackOf({ frames, frame, parent }: UnionTree, node: number): string {
  return node === 0
    ? ''
    : `${stackOf({ frames, frame, parent } as UnionTree, parent[node])};${frames[frame[node]]}`;
}

function stacksInForce(stacks: Stacks, tids: readonly number[]): StacksInForce {
  const texts = [''];
  const changes = tids.map((tid) =>
    (stacks[tid] ?? []).map(([time, text]) => ({ time, stack: text === '' ? 0 : texts.push(text) - 1 })),
  );
  return {
    at: (thread, time) => changes[thread].filter((each) => each.time <= time).at(-1)?.stack ?? 0,
    insideAt: () => 0,
    nextChange: (thread, time) => changes[thread].find((each) => each.time > time)?.time ?? Infinity,
    textsOf: (stack) => texts[stack].split(';'),
  };
}

describe('running time', () => {
  const story = scenario()
    .switch(0, 0, 0, 0, A)
    .add(10, 0, 'syscall_entry_read')
    .add(30, 0, 'syscall_exit_read')
    .add(40, 0, 'syscall_entry_rt_sigreturn')
    .enter(50, 0, 'softirq', 3)
    .leave(60, 0, 'softirq', 3);

  it('is that of system calls, else of the thread', async () => {
    expect(await tell(story, { end: 100, names: { [A]: 'a;n\nn' } })).toEqual([
      ';a:n n 80',
      ';syscall read 20',
    ]);
  });

  it('is that of the stacks in force, cut where they change', async () => {
    const stacks = {
      [A]: [
        [5, 'main'],
        [15, 'main;load'],
        [20, 'main'],
        [70, ''],
      ],
    } as const;
    const parts = [';ann 35', ';main 45', ';main;load;syscall read 5', ';main;syscall read 15'];
    expect(await tell(story, { end: 100, stacks })).toEqual(parts);
    expect(await tell(story, { end: 100, stacks, segmentIntervals: 2 })).toEqual(parts);
  });
});

it('stops where stacks change at the very time that is asked for', async () => {
  const story = scenario().switch(0, 0, 0, 0, A);
  const stuck = { at: () => 0, insideAt: () => 0, nextChange: () => 50, textsOf: () => [] };
  await expect(tell(story, { end: 100, inForce: stuck })).rejects.toThrow('later');
});

describe('time that another thread explains', () => {
  /** A waits for B, which first waits for C. */
  const story = scenario()
    .switch(0, 0, 0, 0, A)
    .switch(0, 1, 0, 0, B)
    .switch(0, 2, 0, 0, C)
    .add(10, 0, 'syscall_entry_futex')
    .switch(20, 0, A, 1, 0)
    .switch(30, 1, B, 1, 0)
    .add(45, 2, 'syscall_entry_write')
    .waking(50, 2, B)
    .switch(60, 1, 0, 0, B)
    .waking(70, 1, A)
    .switch(75, 0, 0, 0, A)
    .add(80, 0, 'syscall_exit_futex');
  const stacks = {
    [A]: [[0, 'main;wait']],
    [B]: [
      [25, 'work'],
      [65, 'end'],
    ],
  } as const;
  it('stands below the frames of who waited, by how waits nest', async () => {
    expect(await tell(story, { end: 90, stacks })).toEqual([
      ';main;wait 20',
      ';main;wait;syscall futex 15',
      ';main;wait;syscall futex;preempted;idle 5',
      ';main;wait;syscall futex;→ thread bob 5',
      ';main;wait;syscall futex;→ thread bob;end 5',
      ';main;wait;syscall futex;→ thread bob;work 10',
      ';main;wait;syscall futex;→ thread bob;work;preempted;idle 10',
      ';main;wait;syscall futex;→ thread bob;work;→ thread cat 15',
      ';main;wait;syscall futex;→ thread bob;work;→ thread cat;syscall write 5',
    ]);
  });

  it('begins with the range', async () => {
    expect(await tell(story, { from: 35, end: 70, stacks })).toEqual([
      ';main;wait;syscall futex;→ thread bob;end 5',
      ';main;wait;syscall futex;→ thread bob;work 5',
      ';main;wait;syscall futex;→ thread bob;work;preempted;idle 10',
      ';main;wait;syscall futex;→ thread bob;work;→ thread cat 10',
      ';main;wait;syscall futex;→ thread bob;work;→ thread cat;syscall write 5',
    ]);
  });

  it('says no more than that there is more where waits nest too deeply', async () => {
    const tids = Array.from({ length: 100 }, (_, i) => A + i);
    const story = scenario();
    for (const tid of tids) story.switch(0, tid, 0, 0, tid);
    for (const tid of tids.slice(0, -1)) story.switch(tid, tid, tid, 1, 0);
    for (const tid of tids.slice(0, -1).reverse())
      story.waking(998 - 2 * tid, tid + 1, tid).switch(999 - 2 * tid, tid, 0, 0, tid);
    const names = Object.fromEntries(tids.map((tid) => [tid, `t${tid}`]));
    const parts = await tell(story, { end: 1000, names });
    const threads = tids.slice(1, 64).map((tid) => `→ thread t${tid}`);
    const arrows = threads.join(';');
    expect(parts).toHaveLength(2 + 63 * 2 + 1);
    expect(parts).toContain(`;t10;${arrows} 2`);
    expect(parts).toContain(`;t10;${arrows};preempted;idle 1`);
    expect(parts).toContain(`;t10;${arrows};… ${1000 - 32 - 63 * 3}`);
  });
});

it('time in which a thread was ready is that of those who ran instead, by their frames', async () => {
  const story = scenario()
    .switch(0, 0, 0, 0, A)
    .switch(10, 0, A, 0, B)
    .add(15, 0, 'syscall_entry_write')
    .add(30, 0, 'syscall_exit_write')
    .switch(40, 0, B, 1, 0)
    .switch(50, 0, 0, 0, A);
  const stacks = { [A]: [[0, 'main']], [B]: [[20, 'work']] } as const;
  const parts = [
    ';main 20',
    ';main;preempted;idle 10',
    ';main;preempted;→ thread bob 5',
    ';main;preempted;→ thread bob;syscall write 5',
    ';main;preempted;→ thread bob;work 10',
    ';main;preempted;→ thread bob;work;syscall write 10',
  ];
  expect(await tell(story, { end: 60, stacks })).toEqual(parts);
  expect(await tell(story, { end: 60, stacks, segmentIntervals: 1 })).toEqual(parts);
});

describe('time in which a thread waited for a disk', () => {
  const waits = (end: number) =>
    scenario()
      .switch(0, 0, 0, 0, A)
      .switch(0, 1, 0, 0, B)
      .switch(0, 2, 0, 0, C)
      .switch(0, 3, 0, 0, 40)
      .switch(10, 0, A, 2, 0)
      .enter(end, 0, 'irq', 6, 'nvme0q0')
      .add(end, 0, 'block_rq_complete', diskRequest(100, 0))
      .waking(end, 0, A)
      .leave(end + 1, 0, 'irq', 6)
      .switch(end + 2, 0, 0, 0, A);
  const own = (story: Scenario) => story.add(5, 0, 'block_rq_issue', diskRequest(100, A));

  it('is divided among those who used it, what is left over in order of their tids', async () => {
    const story = own(waits(30))
      .add(8, 1, 'block_rq_issue', diskRequest(800, B))
      .add(11, 1, 'block_rq_complete', diskRequest(800, 0))
      .add(12, 2, 'syscall_entry_fsync')
      .add(20, 2, 'block_rq_issue', diskRequest(900, C))
      .add(25, 2, 'syscall_exit_fsync');
    const stacks = {
      [A]: [[0, 'load']],
      [B]: [
        [7, 'first'],
        [9, 'later'],
      ],
    } as const;
    expect(await tell(story, { end: 30, stacks })).toEqual([
      ';load 10',
      ';load;disk 7',
      ';load;disk;→ thread bob;first 7',
      ';load;disk;→ thread cat;syscall fsync 6',
    ]);
  });

  it('is nobody’s where the disk wrote its cache, or a thread hands on what others queued', async () => {
    const story = waits(30)
      .add(8, 1, 'block_rq_issue', diskRequest(0, B, 0))
      .add(9, 3, 'block_rq_issue', diskRequest(100, 40))
      // At the disk for no part of the wait.
      .add(3, 2, 'block_rq_issue', diskRequest(900, C))
      .add(10, 2, 'block_rq_complete', diskRequest(900, 0));
    expect(await tell(story, { end: 30 })).toEqual([';ann 10', ';ann;disk 20']);
  });
});

it('time that nobody explains has its cause as a frame', async () => {
  const story = scenario()
    .switch(0, 0, 0, 0, A)
    .add(5, 0, 'syscall_entry_clock_nanosleep')
    .switch(10, 0, A, 1, 0)
    .enter(40, 0, 'hrtimer', 77)
    .waking(41, 0, A)
    .leave(42, 0, 'hrtimer', 77)
    .switch(45, 0, 0, 0, A)
    .add(50, 0, 'syscall_exit_clock_nanosleep')
    .switch(60, 0, A, 1, 0);
  expect(await tell(story, { end: 80 })).toEqual([
    ';ann 15',
    ';ann;unknown 20',
    ';syscall clock_nanosleep 10',
    ';syscall clock_nanosleep;preempted;idle 4',
    ';syscall clock_nanosleep;timer 31',
  ]);
});
