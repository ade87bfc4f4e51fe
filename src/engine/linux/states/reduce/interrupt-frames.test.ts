/** Interrupts and softirqs: whose time they take, and what they wake. */
import { describe, expect, test } from 'vitest';
import {
  A,
  B,
  C,
  twoRunning,
  type Scenario,
  scenario,
  tell,
  tellStreams,
} from '../../../../../test/support/scenario.ts';
import * as values from '../../events/values.ts';

/** A (`irq/30-nvme0q1`) waits; B is interrupted on CPU 1 by irq 30, whose handler returns `ret` at 22. */
const threaded = (ret: number) =>
  scenario()
    .switch(0, 0, 0, 0, A, 'irq/30-nvme0q1')
    .switch(0, 1, 0, 0, B)
    .switch(10, 0, A, 1, 0)
    .enter(20, 1, 'irq', 30, 'nvme0q1')
    .add(22, 1, 'irq_handler_exit', { irq: 30, ret });

/** The thread of irq 30 is woken. */
const wakeIts = (story: Scenario, ts: number, cpu = 1, event = 'sched_waking') =>
  story.add(ts, cpu, event, { tid: A, comm: 'irq/30-nvme0q1', target_cpu: 0 });

describe('threads of interrupts', () => {
  test('are woken by the interrupt whose handler asked for them, not by who runs then', () => {
    expect(tell(wakeIts(threaded(2), 23), 100).waits(A)).toEqual([[10, 23, 'disk: irq 30 nvme0q1']]);
    expect(tell(wakeIts(threaded(3), 23), 100).waits(A)).toEqual([[10, 23, 'disk: irq 30 nvme0q1']]);
    expect(tell(wakeIts(threaded(1), 23), 100).waits(A)).toEqual([[10, 23, `thread ${B}`]]);
    expect(tell(wakeIts(threaded(-1), 23), 100).waits(A)).toEqual([[10, 23, `thread ${B}`]]);
  });

  test.each<[string, string, (story: Scenario) => Scenario]>([
    ['another handler', `thread ${B}`, (story) => story.enter(23, 1, 'irq', 4, 'x').leave(24, 1, 'irq', 4)],
    ['a waking of another thread', `thread ${B}`, (story) => story.waking(23, 1, C)],
    ['a switch', `thread ${C}`, (story) => story.switch(23, 1, B, 0, C)],
    ['a softirq', 'disk: irq 30 nvme0q1', (story) => story.enter(23, 1, 'softirq', 9)],
    ['a wakeup', 'disk: irq 30 nvme0q1', (story) => story.wakeup(23, 1, C)],
    ['a waking on another CPU', 'disk: irq 30 nvme0q1', (story) => story.waking(23, 0, C)],
  ])('%s in between', (_, cause, between) => {
    expect(tell(wakeIts(between(threaded(2)), 26), 100).waits(A)).toEqual([[10, 26, cause]]);
  });

  test('by the first wakeup where wakings are not recorded', () => {
    const by = (story: Scenario) => tell(wakeIts(story, 24, 1, 'sched_wakeup'), 100).waits(A);
    expect(by(threaded(2))).toEqual([[10, 24, 'disk: irq 30 nvme0q1']]);
    expect(by(threaded(2).wakeup(23, 1, C))).toEqual([[10, 24, `thread ${B}`]]);
  });

  test('that were interrupted themselves on their way out', () => {
    const story = scenario()
      .switch(0, 1, 0, 0, A, 'irq/30-nvme0q1')
      .enter(20, 1, 'irq', 30, 'nvme0q1')
      .add(22, 1, 'irq_handler_exit', { irq: 30, ret: 2 });
    const reduced = tell(wakeIts(story, 23).switch(24, 1, A, 1, 0).wakeup(25, 1, A), 100);
    expect(reduced.waits(A)).toEqual([[24, 25, 'disk: irq 30 nvme0q1']]);
  });
});

describe('softirqs that are switched out', () => {
  const suspended = () =>
    scenario()
      .switch(0, 0, 0, 0, B)
      .switch(0, 1, 0, 0, A)
      .switch(5, 0, B, 1, 0)
      .enter(10, 1, 'softirq', 4)
      .switch(15, 1, A, 2, C);

  test('take no time until their thread goes on with them', () => {
    const story = suspended().waking(20, 1, A).switch(30, 1, C, 0, A).waking(32, 1, B);
    const reduced = tell(story.leave(34, 1, 'softirq', 4), 100);
    expect(reduced.states(A)).toEqual([
      'user 0-10',
      'interrupted 10-15',
      'blocked D 15-20',
      'woken 20-30',
      'interrupted 30-34',
      'user 34-100',
    ]);
    expect(reduced.cpuTime(1)[values.CPU_SOFTIRQ]).toBe(9);
    expect(reduced.waits(A)).toEqual([[15, 20, `thread ${C}`]]);
    expect(reduced.waits(B)).toEqual([[5, 32, 'disk: softirq BLOCK']]);
    expect(reduced.tables.problems).toEqual({});
  });

  test('go on wherever their thread does', () => {
    const reduced = tell(suspended().waking(20, 1, A).switch(30, 0, 0, 0, A).leave(34, 0, 'softirq', 4), 100);
    expect([reduced.cpuTime(0)[values.CPU_SOFTIRQ], reduced.cpuTime(1)[values.CPU_SOFTIRQ]]).toEqual([4, 5]);
  });

  test('may have ended where events were lost meanwhile, on any CPU', () => {
    const story = suspended()
      .add(18, 0, 'x')
      .waking(20, 1, A)
      .switch(30, 1, C, 0, A)
      .leave(34, 1, 'softirq', 4);
    const packets = (cpu: number, discarded: number) => {
      return { events: story.events.filter((event) => event.cpu === cpu), discarded };
    };
    // The loss lies behind the last event of CPU 0.
    const streams = [
      { cpu: 0, chunks: [[packets(0, 1)]] },
      { cpu: 1, chunks: [[packets(1, 0)]] },
    ];
    const reduced = tellStreams(streams, 100);
    expect(reduced.cpuTime(1)[values.CPU_SOFTIRQ]).toBe(5);
    expect(reduced.tables.problems).toEqual({ 'interrupt exit without entry': 1 });
  });

  test('a switch within an interrupt empties the stack', () => {
    const story = scenario().switch(0, 1, 0, 0, A).enter(10, 1, 'irq', 3, 'x').enter(11, 1, 'softirq', 4);
    const reduced = tell(story.switch(15, 1, A, 0, C).switch(30, 1, C, 0, A), 100);
    expect([reduced.cpuTime(1)[values.CPU_HARDIRQ], reduced.cpuTime(1)[values.CPU_SOFTIRQ]]).toEqual([1, 4]);
    expect(reduced.tables.problems).toEqual({ 'switch inside an interrupt (stack emptied)': 1 });
  });
});

describe('interrupts', () => {
  const cases = [
    ['hrtimer', 77, undefined, 'timer: hrtimer'],
    ['softirq', 1, undefined, 'timer: softirq TIMER'],
    ['softirq', 4, undefined, 'disk: softirq BLOCK'],
    ['softirq', 3, undefined, 'network: softirq NET_RX'],
    ['softirq', 9, undefined, 'other: softirq RCU'],
    ['irq', 30, 'virtio2-req.0', 'disk: irq 30 virtio2-req.0'],
    ['irq', 31, 'virtio0-input.0', 'network: irq 31 virtio0-input.0'],
    ['irq', 1, 'i8042', 'user input: irq 1 i8042'],
    ['irq', 9, 'acpi', 'other: irq 9 acpi'],
  ] as const;
  test.each(cases)('%s %i %s wakes: %s', (kind, id, name, cause) => {
    const story = twoRunning().switch(10, 0, A, 1, 0).enter(20, 1, kind, id, name).waking(21, 1, A);
    const reduced = tell(story.leave(25, 1, kind, id), 100);
    expect(reduced.waits(A)).toEqual([[10, 21, cause]]);
    expect(reduced.states(B)[1]).toEqual('interrupted 20-25');
  });

  test('a vector that asks another CPU to look says only that', () => {
    const story = twoRunning()
      .switch(10, 0, A, 1, 0)
      .add(20, 1, 'x86_irq_vectors_call_function_single_entry');
    const reduced = tell(story.waking(21, 1, A).add(25, 1, 'x86_irq_vectors_call_function_single_exit'), 100);
    expect(reduced.waits(A)).toEqual([[10, 21, 'other: ipi']]);
  });

  test('the innermost interrupt is the cause; the thread is interrupted until the stack is empty', () => {
    const story = twoRunning()
      .switch(10, 0, A, 1, 0)
      .enter(20, 1, 'softirq', 3)
      .enter(21, 1, 'irq', 30, 'nvme0q1');
    const reduced = tell(story.waking(22, 1, A).leave(23, 1, 'irq', 30).leave(24, 1, 'softirq', 3), 100);
    expect(reduced.waits(A)).toEqual([[10, 22, 'disk: irq 30 nvme0q1']]);
    expect(reduced.states(B)).toEqual(['user 0-20', 'interrupted 20-24', 'user 24-100']);
    const time = reduced.cpuTime(1);
    expect([time[values.CPU_HARDIRQ], time[values.CPU_SOFTIRQ], time[values.CPU_USER]]).toEqual([2, 2, 96]);
  });

  test.each([
    ['block_rq_complete', 'irq', 'xhci_hcd', 'disk: irq 9 xhci_hcd'],
    ['block_rq_complete', 'softirq', undefined, 'disk: softirq RCU'],
    ['net_if_receive_skb', 'irq', 'acpi', 'network: irq 9 acpi'],
    ['net_if_receive_skb', 'softirq', undefined, 'network: softirq RCU'],
    ['block_rq_insert', 'irq', 'xhci_hcd', 'user input: irq 9 xhci_hcd'],
    ['block_rq_merge', 'irq', 'acpi', 'other: irq 9 acpi'],
  ] as const)('%s in a frame of %s %s: %s', (name, kind, device, cause) => {
    const story = twoRunning().switch(10, 0, A, 1, 0).enter(20, 1, kind, 9, device);
    const reduced = tell(story.add(21, 1, name).waking(22, 1, A).leave(25, 1, kind, 9), 100);
    expect(reduced.waits(A)).toEqual([[10, 22, cause]]);
  });

  test('what happens in a nested frame, behind the wake-up or in a timer tells nothing of a cause', () => {
    const story = twoRunning()
      .switch(5, 2, 0, 0, C)
      .switch(10, 0, A, 1, 0)
      .switch(10, 2, C, 1, 0)
      .enter(20, 1, 'softirq', 9)
      .enter(21, 1, 'irq', 30, 'xhci_hcd')
      .add(22, 1, 'block_rq_complete')
      .leave(23, 1, 'irq', 30)
      .waking(24, 1, A)
      .add(25, 1, 'block_rq_complete')
      .leave(26, 1, 'softirq', 9)
      .enter(30, 1, 'softirq', 1)
      .add(31, 1, 'block_rq_complete')
      .waking(32, 1, C)
      .leave(33, 1, 'softirq', 1);
    const reduced = tell(story, 100);
    expect([reduced.waits(A), reduced.waits(C)]).toEqual([
      [[10, 24, 'other: softirq RCU']],
      [[10, 32, 'timer: softirq TIMER']],
    ]);
  });

  test('exits that do not match are counted', () => {
    const story = scenario().switch(0, 1, 0, 0, B).leave(5, 1, 'irq', 3).enter(10, 1, 'irq', 1, 'x');
    const reduced = tell(story.enter(11, 1, 'softirq', 3).leave(12, 1, 'irq', 1), 100);
    expect(reduced.tables.problems).toEqual({
      'interrupt exit without entry': 1,
      'interrupt exit skips frames': 1,
    });
    expect(reduced.states(B)).toEqual(['user 0-10', 'interrupted 10-12', 'user 12-100']);
  });

  test('a softirq inside ksoftirqd is its own work and the context of wake-ups', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(10, 0, A, 1, 0)
      .add(14, 1, 'lttng_statedump_process_state', { tid: 20, ppid: 2, type: 1, name: 'ksoftirqd/1' })
      .switch(15, 1, 0, 0, 20, 'ksoftirqd/1')
      .enter(20, 1, 'softirq', 3)
      .waking(21, 1, A)
      .enter(22, 1, 'irq', 1, 'x')
      .leave(23, 1, 'irq', 1)
      .leave(25, 1, 'softirq', 3);
    const reduced = tell(story, 100);
    expect(reduced.waits(A)).toEqual([[10, 21, 'network: softirq NET_RX']]);
    expect(reduced.states(20)).toEqual([
      'unknown 14-15',
      'kernel 15-22',
      'interrupted 22-23',
      'kernel 23-100',
    ]);
    expect(reduced.cpuTime(1)[values.CPU_SOFTIRQ]).toBe(4);
    expect(reduced.cpuTime(1)[values.CPU_HARDIRQ]).toBe(1);
  });
});
