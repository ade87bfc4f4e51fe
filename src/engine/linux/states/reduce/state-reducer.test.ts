import { describe, expect, test } from 'vitest';
import { type PlainEvent, streamsOf } from '../../../../../test/support/batches.ts';
import { type Scenario, scenario, tell, tellStreams } from '../../../../../test/support/scenario.ts';
import { meantCpuValue } from './kernel-tables.ts';
import * as v from '../../events/values.ts';
import { switchOutState } from './switches.ts';

const A = 1001;
const B = 2001;
const C = 3001;

/** A on CPU 0 and B on CPU 1 from 0 on. */
const twoRunning = () => scenario().switch(0, 0, 0, 0, A).switch(0, 1, 0, 0, B);

describe('wake-ups', () => {
  test('a waking before the switch-out is the cause of the wait', () => {
    const told = tell(
      twoRunning().waking(10, 1, A).switch(12, 0, A, 1, 0).wakeup(15, 0, A).switch(16, 0, 0, 0, A),
      100,
    );
    expect(told.waits(A)).toEqual([[12, 15, `thread ${B}`]]);
    expect(told.states(A)).toEqual([
      [v.STATE_USER, 0, 12],
      [v.STATE_BLOCKED_S, 12, 15],
      [v.STATE_WOKEN, 15, 16],
      [v.STATE_USER, 16, 100],
    ]);
  });

  test('a wakeup of a running thread uses its waking up', () => {
    const told = tell(
      twoRunning().waking(10, 1, A).wakeup(11, 1, A).switch(20, 0, A, 1, 0).wakeup(30, 0, A),
      100,
    );
    expect(told.waits(A)).toEqual([[20, 30, 'other: idle context']]);
    expect(told.tables.problems).toEqual({ 'wakeup of a blocked thread without waking': 1 });
  });

  test('a waking during the wait counts, not the pending one', () => {
    const story = twoRunning().switch(0, 2, 0, 0, C).waking(10, 1, A).switch(12, 0, A, 1, 0);
    expect(tell(story.waking(14, 2, A).wakeup(15, 0, A), 100).waits(A)).toEqual([[12, 14, `thread ${C}`]]);
  });

  test('one does not wake oneself; second wake-ups change nothing', () => {
    const story = twoRunning().waking(5, 0, A).switch(10, 0, A, 1, 0);
    const told = tell(story.wakeup(20, 1, A).wakeup(21, 1, A).waking(22, 1, A), 100);
    expect(told.waits(A)).toEqual([[10, 20, `thread ${B}`]]);
    expect(told.states(A).at(-1)).toEqual([v.STATE_WOKEN, 20, 100]);
    expect(told.tables.threads.wakeups[told.tables.threads.tid.indexOf(A)]).toBe(1);
  });

  test('a thread that was never seen is unknown until it is woken', () => {
    const story = scenario()
      .switch(0, 1, 0, 0, B)
      .add(5, 1, 'lttng_statedump_process_state', { tid: A, name: 'x' });
    const told = tell(story.waking(30, 1, A).switch(40, 0, 0, 0, A), 100);
    expect(told.states(A)).toEqual([
      [v.STATE_UNKNOWN, 5, 30],
      [v.STATE_WOKEN, 30, 40],
      [v.STATE_USER, 40, 100],
    ]);
    expect(told.waits(A)).toEqual([]);
  });

  test('a wait that ends without a recorded wake-up ends with the switch-in', () => {
    const told = tell(twoRunning().switch(10, 0, A, 2, 0).switch(50, 0, 0, 0, A), 100);
    expect(told.waits(A)).toEqual([[10, 50, 'unknown: no wake-up recorded']]);
    expect(told.tables.problems).toEqual({ 'blocked thread runs without wake-up': 1 });
  });

  test('a wait that does not end has no cause', () => {
    expect(tell(twoRunning().switch(10, 0, A, 1, 0), 100).waits(A)).toEqual([[10, 100, 'none']]);
  });
});

describe('where only wakings are recorded', () => {
  const cpus = (story: Scenario, end = 100) =>
    tell(story, end)
      .history.intervals(`threads/${A}/cpu`)
      .map(({ from, to, value }) => [value, from, to]);
  const woken = () => twoRunning().switch(10, 0, A, 1, 0).waking(20, 1, A);

  test('a woken thread waits on the CPU on which it runs next', () => {
    expect(cpus(woken().switch(30, 1, B, 0, A))).toEqual([
      [0, 0, 20],
      [1, 20, 100],
    ]);
    expect(cpus(woken())).toEqual([
      [0, 0, 20],
      [v.CPU_NOT_KNOWN, 20, 100],
    ]);
    expect(tell(woken(), 100).tables.silentCpus).toEqual([]);
  });

  test('one that is woken while it is ready stays where it is', () => {
    expect(cpus(twoRunning().switch(10, 0, A, 0, 0).waking(20, 1, A))).toEqual([[0, 0, 100]]);
  });

  test('migrations and wakeups tell it', () => {
    const migrated = woken().add(25, 1, 'sched_migrate_task', { tid: A, orig_cpu: 0, dest_cpu: 1 });
    expect(cpus(migrated.switch(30, 1, B, 0, A))).toEqual([
      [0, 0, 25],
      [1, 25, 100],
    ]);
    expect(cpus(woken().wakeup(22, 1, A))).toEqual([[0, 0, 100]]);
  });
});

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
    const told = tell(wakeIts(story, 23).switch(24, 1, A, 1, 0).wakeup(25, 1, A), 100);
    expect(told.waits(A)).toEqual([[24, 25, 'disk: irq 30 nvme0q1']]);
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
    const told = tell(story.leave(34, 1, 'softirq', 4), 100);
    expect(told.states(A)).toEqual([
      [v.STATE_USER, 0, 10],
      [v.STATE_INTERRUPTED, 10, 15],
      [v.STATE_BLOCKED_D, 15, 20],
      [v.STATE_WOKEN, 20, 30],
      [v.STATE_INTERRUPTED, 30, 34],
      [v.STATE_USER, 34, 100],
    ]);
    expect(told.cpuTime(1)[v.CPU_SOFTIRQ]).toBe(9);
    expect(told.waits(A)).toEqual([[15, 20, `thread ${C}`]]);
    expect(told.waits(B)).toEqual([[5, 32, 'disk: softirq BLOCK']]);
    expect(told.tables.problems).toEqual({});
  });

  test('go on wherever their thread does', () => {
    const told = tell(suspended().waking(20, 1, A).switch(30, 0, 0, 0, A).leave(34, 0, 'softirq', 4), 100);
    expect([told.cpuTime(0)[v.CPU_SOFTIRQ], told.cpuTime(1)[v.CPU_SOFTIRQ]]).toEqual([4, 5]);
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
    const told = tellStreams(streams, 100);
    expect(told.cpuTime(1)[v.CPU_SOFTIRQ]).toBe(5);
    expect(told.tables.problems).toEqual({ 'interrupt exit without entry': 1 });
  });

  test('a switch within an interrupt empties the stack', () => {
    const story = scenario().switch(0, 1, 0, 0, A).enter(10, 1, 'irq', 3, 'x').enter(11, 1, 'softirq', 4);
    const told = tell(story.switch(15, 1, A, 0, C).switch(30, 1, C, 0, A), 100);
    expect([told.cpuTime(1)[v.CPU_HARDIRQ], told.cpuTime(1)[v.CPU_SOFTIRQ]]).toEqual([1, 4]);
    expect(told.tables.problems).toEqual({ 'switch inside an interrupt (stack emptied)': 1 });
  });
});

describe('returns from signal handlers', () => {
  test.each([
    ['syscall_entry_rt_sigreturn', {}],
    ['sys_sigreturn', {}],
    ['syscall_entry_unknown', { id: 15 }],
    ['syscall_entry_unknown', { id: 139 }],
    ['compat_syscall_entry_unknown', { id: 119 }],
    ['compat_syscall_entry_unknown', { id: 173 }],
  ])('%s %o is back in user mode', (name, fields) => {
    const story = scenario().switch(0, 0, 0, 0, A).add(10, 0, 'syscall_entry_read');
    const told = tell(story.add(20, 0, name, fields), 100);
    expect(told.states(A)).toEqual([
      [v.STATE_USER, 0, 10],
      [v.STATE_KERNEL, 10, 20],
      [v.STATE_USER, 20, 100],
    ]);
    expect(told.history.intervals(`threads/${A}/syscall`)).toMatchObject([{ from: 10, to: 20 }]);
  });

  test.each([
    ['syscall_entry_unknown', { id: 119 }],
    ['compat_syscall_entry_unknown', { id: 15 }],
  ])('%s %o is a call', (name, fields) => {
    const told = tell(scenario().switch(0, 0, 0, 0, A).add(20, 0, name, fields), 100);
    expect(told.states(A)).toEqual([
      [v.STATE_USER, 0, 20],
      [v.STATE_KERNEL, 20, 100],
    ]);
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
    const told = tell(story.leave(25, 1, kind, id), 100);
    expect(told.waits(A)).toEqual([[10, 21, cause]]);
    expect(told.states(B)[1]).toEqual([v.STATE_INTERRUPTED, 20, 25]);
  });

  test('a vector that asks another CPU to look says only that', () => {
    const story = twoRunning()
      .switch(10, 0, A, 1, 0)
      .add(20, 1, 'x86_irq_vectors_call_function_single_entry');
    const told = tell(story.waking(21, 1, A).add(25, 1, 'x86_irq_vectors_call_function_single_exit'), 100);
    expect(told.waits(A)).toEqual([[10, 21, 'other: ipi']]);
  });

  test('the innermost interrupt is the cause; the thread is interrupted until the stack is empty', () => {
    const story = twoRunning()
      .switch(10, 0, A, 1, 0)
      .enter(20, 1, 'softirq', 3)
      .enter(21, 1, 'irq', 30, 'nvme0q1');
    const told = tell(story.waking(22, 1, A).leave(23, 1, 'irq', 30).leave(24, 1, 'softirq', 3), 100);
    expect(told.waits(A)).toEqual([[10, 22, 'disk: irq 30 nvme0q1']]);
    expect(told.states(B)).toEqual([
      [v.STATE_USER, 0, 20],
      [v.STATE_INTERRUPTED, 20, 24],
      [v.STATE_USER, 24, 100],
    ]);
    const time = told.cpuTime(1);
    expect([time[v.CPU_HARDIRQ], time[v.CPU_SOFTIRQ], time[v.CPU_USER]]).toEqual([2, 2, 96]);
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
    const told = tell(story.add(21, 1, name).waking(22, 1, A).leave(25, 1, kind, 9), 100);
    expect(told.waits(A)).toEqual([[10, 22, cause]]);
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
    const told = tell(story, 100);
    expect([told.waits(A), told.waits(C)]).toEqual([
      [[10, 24, 'other: softirq RCU']],
      [[10, 32, 'timer: softirq TIMER']],
    ]);
  });

  test('exits that do not match are counted', () => {
    const story = scenario().switch(0, 1, 0, 0, B).leave(5, 1, 'irq', 3).enter(10, 1, 'irq', 1, 'x');
    const told = tell(story.enter(11, 1, 'softirq', 3).leave(12, 1, 'irq', 1), 100);
    expect(told.tables.problems).toEqual({
      'interrupt exit without entry': 1,
      'interrupt exit skips frames': 1,
    });
    expect(told.states(B)).toEqual([
      [v.STATE_USER, 0, 10],
      [v.STATE_INTERRUPTED, 10, 12],
      [v.STATE_USER, 12, 100],
    ]);
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
    const told = tell(story, 100);
    expect(told.waits(A)).toEqual([[10, 21, 'network: softirq NET_RX']]);
    expect(told.states(20)).toEqual([
      [v.STATE_UNKNOWN, 14, 15],
      [v.STATE_KERNEL, 15, 22],
      [v.STATE_INTERRUPTED, 22, 23],
      [v.STATE_KERNEL, 23, 100],
    ]);
    expect(told.cpuTime(1)[v.CPU_SOFTIRQ]).toBe(4);
    expect(told.cpuTime(1)[v.CPU_HARDIRQ]).toBe(1);
  });
});

describe('lives', () => {
  test('exit only marks: the thread may be preempted and block; a tid that comes again is another thread', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .fork(10, 0, A, B)
      .switch(12, 1, 0, 0, B)
      .add(20, 1, 'sched_process_exit', { tid: B })
      .switch(22, 1, B, 0, C)
      .switch(24, 1, C, 1, B)
      .switch(26, 1, B, 1, 0)
      .waking(28, 0, B)
      .switch(29, 1, 0, 0, B)
      .switch(30, 1, B, 16, 0)
      .add(40, 0, 'sched_process_free', { tid: B })
      .fork(50, 0, A, B)
      .switch(52, 1, 0, 0, B);
    const told = tell(story, 100);
    expect(told.states(B)).toEqual([
      [v.STATE_WOKEN, 10, 12],
      [v.STATE_USER, 12, 22],
      [v.STATE_PREEMPTED, 22, 24],
      [v.STATE_USER, 24, 26],
      [v.STATE_BLOCKED_S, 26, 28],
      [v.STATE_WOKEN, 28, 29],
      [v.STATE_USER, 29, 30],
      [v.STATE_ZOMBIE, 30, 40],
      [v.STATE_DEAD, 40, 50],
    ]);
    expect(told.states(`${B}#2`)).toEqual([
      [v.STATE_WOKEN, 50, 52],
      [v.STATE_USER, 52, 100],
    ]);
  });

  test('who leaves a CPU alive is not the dead thread of the same tid', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .add(10, 0, 'syscall_entry_exit', {})
      .switch(20, 0, A, 16, 0)
      .add(30, 1, 'sched_process_free', { tid: A })
      .switch(50, 1, A, 1, 0)
      .waking(60, 0, A)
      .switch(70, 1, 0, 0, A);
    const told = tell(story, 100);
    expect(told.states(A)).toEqual([
      [v.STATE_USER, 0, 10],
      [v.STATE_KERNEL, 10, 20],
      [v.STATE_ZOMBIE, 20, 30],
      [v.STATE_DEAD, 30, 50],
    ]);
    expect(told.states(`${A}#2`)).toEqual([
      [v.STATE_BLOCKED_S, 50, 60],
      [v.STATE_WOKEN, 60, 70],
      [v.STATE_RUNNING, 70, 100],
    ]);
    expect(told.tables.problems).toEqual({ 'dead thread leaves a CPU alive: new incarnation': 1 });
  });

  test('a thread that was freed before it is seen leaving its CPU leaves it dead', () => {
    const story = scenario().add(10, 0, 'sched_process_free', { tid: A }).switch(20, 1, A, 16, 0);
    const told = tell(story, 100);
    expect(told.states(A)).toEqual([[v.STATE_DEAD, 10, 100]]);
    expect(told.tables.threads.tid.filter((tid) => tid === A)).toHaveLength(1);
    expect(told.tables.problems).toEqual({});
  });

  test('a thread that executes a program and had another tid goes on as another life of the new one', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(10, 0, A, 2, B)
      .add(20, 0, 'syscall_entry_execve')
      .add(40, 0, 'sched_process_exec', { tid: A, old_tid: B, filename: '/bin/program' })
      .add(50, 0, 'syscall_exit_execve', { ret: 0 })
      .switch(60, 0, A, 1, 0);
    const told = tell(story, 100);
    expect(told.waits(A)).toEqual([[10, 40, 'unknown: new incarnation']]);
    expect(told.states(B)).toEqual([
      [v.STATE_USER, 10, 20],
      [v.STATE_KERNEL, 20, 40],
      [v.STATE_DEAD, 40, 100],
    ]);
    expect(told.states(`${A}#2`)).toEqual([
      [v.STATE_KERNEL, 40, 50],
      [v.STATE_USER, 50, 60],
      [v.STATE_BLOCKED_S, 60, 100],
    ]);
    expect(told.tables.problems).toEqual({ 'exec by a thread that is not the leader': 1 });
  });

  test('a program executed by another thread than the first goes on under the tid of that one', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .add(5, 0, 'sched_process_fork', {
        parent_tid: A,
        parent_pid: A,
        child_tid: B,
        child_pid: A,
        child_comm: 'c',
      })
      .switch(10, 1, 0, 0, B)
      .add(20, 1, 'syscall_entry_execve')
      .switch(30, 0, A, 16, 0)
      .add(40, 1, 'sched_process_exec', { tid: A, filename: '/bin/program' })
      .add(50, 1, 'syscall_exit_execve', { ret: 0 })
      .add(60, 0, 'sched_process_free', { tid: B })
      .switch(70, 1, A, 1, 0);
    const told = tell(story, 100);
    expect(told.states(A)).toEqual([
      [v.STATE_RUNNING, 0, 30],
      [v.STATE_ZOMBIE, 30, 40],
    ]);
    expect(told.states(B)).toEqual([
      [v.STATE_NEW, 5, 10],
      [v.STATE_USER, 10, 20],
      [v.STATE_KERNEL, 20, 40],
      [v.STATE_DEAD, 40, 100],
    ]);
    expect(told.states(`${A}#2`)).toEqual([
      [v.STATE_KERNEL, 40, 50],
      [v.STATE_USER, 50, 70],
      [v.STATE_BLOCKED_S, 70, 100],
    ]);
    const { threads, problems } = told.tables;
    const heir = threads.tid.lastIndexOf(A);
    expect([threads.parent[heir], threads.pid[heir]]).toEqual([threads.tid.indexOf(B), A]);
    expect(
      told.history.intervals(`threads/${A}#2/name`).map(({ value }) => told.history.texts[value]),
    ).toEqual(['program', 'p']);
    expect(problems).toEqual({});
  });

  test('a life is not ended by the free of the one before, which comes late', () => {
    // Linux traces it when the last look at the thread may have ended (RCU); before 5.8 one that another thread's exec
    // ended has the tid of that.
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .fork(5, 0, A, B)
      .switch(10, 1, 0, 0, B)
      .add(15, 1, 'sched_process_exit', { tid: B })
      .switch(20, 1, B, 16, 0)
      .fork(30, 0, A, B)
      .switch(40, 1, 0, 0, B)
      .switch(50, 1, B, 1, 0)
      .add(60, 1, 'sched_process_free', { tid: B })
      .waking(70, 0, B)
      .switch(80, 1, 0, 0, B)
      .add(82, 1, 'sched_process_exit', { tid: B })
      .switch(85, 1, B, 16, 0)
      .add(90, 1, 'sched_process_free', { tid: B });
    const told = tell(story, 100);
    expect(told.states(B).at(-1)).toEqual([v.STATE_ZOMBIE, 20, 30]);
    expect(told.waits(`${B}#2`)).toEqual([[50, 70, `thread ${A}`]]);
    expect(told.states(`${B}#2`).slice(-4)).toEqual([
      [v.STATE_WOKEN, 70, 80],
      [v.STATE_USER, 80, 85],
      [v.STATE_ZOMBIE, 85, 90],
      [v.STATE_DEAD, 90, 100],
    ]);
    expect(told.tables.problems).toEqual({});
  });

  test('but not where it is of another process: there the trace contradicts itself', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(10, 0, A, 16, 0)
      .add(20, 0, 'sched_process_exec', { tid: A, filename: '/bin/program' });
    const told = tell(story, 100);
    expect(told.states(A).at(-1)).toEqual([v.STATE_ZOMBIE, 10, 100]);
    expect(told.states('0/cpu0').at(-1)).toEqual([v.STATE_KERNEL, 10, 100]);
  });

  test('new until the first wake-up', () => {
    const story = scenario().switch(0, 0, 0, 0, A);
    story.add(10, 0, 'sched_process_fork', { parent_tid: A, child_tid: B, child_comm: 'c' });
    expect(tell(story.wakeupNew(15, 0, B).switch(20, 1, 0, 0, B), 100).states(B)).toEqual([
      [v.STATE_NEW, 10, 15],
      [v.STATE_WOKEN, 15, 20],
      [v.STATE_USER, 20, 100],
    ]);
  });

  test('system calls, over a wait too; kernel threads are in the kernel even before that is known', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .add(10, 0, 'syscall_entry_read', { fd: 3 })
      .switch(15, 0, A, 1, B)
      .waking(20, 0, A)
      .switch(25, 0, B, 1, A)
      .add(30, 0, 'syscall_exit_read', { ret: 0 })
      .add(35, 0, 'lttng_statedump_process_state', { tid: B, type: 1, name: 'kworker' });
    const told = tell(story, 100);
    expect(told.states(A)).toEqual([
      [v.STATE_USER, 0, 10],
      [v.STATE_KERNEL, 10, 15],
      [v.STATE_BLOCKED_S, 15, 20],
      [v.STATE_WOKEN, 20, 25],
      [v.STATE_KERNEL, 25, 30],
      [v.STATE_USER, 30, 100],
    ]);
    expect(told.states(B)[0]).toEqual([v.STATE_KERNEL, 15, 25]);
    const calls = told.history.intervals(`threads/${A}/syscall`);
    expect(calls.map(({ from, to, value }) => [from, to, told.history.texts[value]])).toEqual([
      [10, 30, 'read'],
    ]);
    const unsure = told.history.intervals('cpus/0/state').find(({ from }) => from === 15);
    expect(meantCpuValue(told.tables, unsure?.value ?? 0)).toBe(v.CPU_KERNEL);
  });

  test('prev_state of both generations', () => {
    const now = {
      0: 4,
      0x100: 4,
      0x101: 6,
      1: 6,
      2: 7,
      0x82: 7,
      4: 8,
      8: 8,
      0x10: 12,
      0x20: 12,
      0x40: 10,
      0x80: 9,
    };
    const old = {
      0: 4,
      0x400: 4,
      0x1000: 4,
      1: 6,
      2: 7,
      0x82: 7,
      4: 8,
      8: 8,
      0x10: 12,
      0x20: 12,
      0x40: 12,
      0x80: 7,
      0x200: 10,
      0x402: 7,
    };
    for (const [bits, state] of Object.entries(now))
      expect(switchOutState(Number(bits), false, false)).toBe(state);
    for (const [bits, state] of Object.entries(old))
      expect(switchOutState(Number(bits), false, true)).toBe(state);
    expect(switchOutState(0x40, true, false)).toBe(v.STATE_ZOMBIE);
  });
});

describe('lost events', () => {
  /** CPU 1 loses events between 30 and 50, as its second packet reports. */
  const streams = () => {
    const zero = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(20, 0, A, 1, 0)
      .add(90, 0, 'sched_process_wait').events;
    const one = scenario()
      .switch(0, 1, 0, 0, B)
      .add(60, 1, 'syscall_entry_read')
      .switch(70, 1, B, 1, C)
      .waking(80, 1, A);
    return [
      { cpu: 0, chunks: [[{ events: zero }]] },
      {
        cpu: 1,
        chunks: [
          [{ events: one.events.slice(0, 1), begin: 0, end: 30 }],
          [{ events: one.events.slice(1), begin: 50, end: 85, discarded: 7 }],
        ],
      },
    ];
  };

  test('nothing is known of the CPU in the gap and after the last event of the packet that reports it', () => {
    const told = tellStreams(streams(), 100);
    expect(told.states(B)).toEqual([
      [v.STATE_RUNNING, 0, 30],
      [v.STATE_UNKNOWN, 30, 70],
      [v.STATE_BLOCKED_S, 70, 100],
    ]);
    expect(told.states(C)).toEqual([
      [v.STATE_RUNNING, 70, 80],
      [v.STATE_UNKNOWN, 80, 100],
    ]);
    expect(told.tables.losses).toEqual([
      { cpu: 1, from: 30, to: 50, hidden: expect.any(Number) },
      { cpu: 1, from: 80, to: 85, hidden: expect.any(Number) },
    ]);
  });

  test('who waits for a CPU may have run while switches were lost on any', () => {
    const [woken, unseen, other] = [C, 41, 42];
    const zero = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(20, 0, A, 0, B)
      .waking(35, 0, woken)
      .switch(40, 0, B, 1, woken)
      .waking(42, 0, unseen)
      .switch(60, 0, woken, 1, A)
      .switch(65, 0, A, 1, unseen)
      .add(90, 0, 'sched_process_wait').events;
    const one = scenario().switch(0, 1, 0, 0, other).switch(70, 1, other, 1, 0).events;
    const told = tellStreams(
      [
        { cpu: 0, chunks: [[{ events: zero }]] },
        {
          cpu: 1,
          chunks: [
            [{ events: one.slice(0, 1), begin: 0, end: 30 }],
            [{ events: one.slice(1), begin: 50, end: 85, discarded: 7 }],
          ],
        },
      ],
      100,
    );
    expect(told.states(A).slice(1, 4)).toEqual([
      [v.STATE_PREEMPTED, 20, 30],
      [v.STATE_UNKNOWN, 30, 50],
      [v.STATE_PREEMPTED, 50, 60],
    ]);
    // All is known of who is seen again within the gap.
    expect(told.states(woken).slice(0, 2)).toEqual([
      [v.STATE_WOKEN, 35, 40],
      [v.STATE_USER, 40, 60],
    ]);
    expect(told.states(unseen).slice(0, 2)).toEqual([
      [v.STATE_UNKNOWN, 42, 50],
      [v.STATE_WOKEN, 50, 65],
    ]);
  });

  describe('who is blocked in a loss', () => {
    /** B and C run on CPU 0 while A, which left at 20, is blocked; CPU 1 loses events from 30 to 50. */
    const running = () =>
      scenario().switch(0, 0, 0, 0, A).switch(20, 0, A, 1, B).waking(25, 0, 43).switch(60, 0, B, 0, C);
    const zero = (end: ReturnType<typeof scenario>) => {
      const one = scenario().switch(0, 1, 0, 0, 42).switch(90, 1, 42, 1, 0).events;
      const packets = [
        { events: one.slice(0, 1), begin: 0, end: 30 },
        { events: one.slice(1), begin: 50, end: 95, discarded: 7 },
      ];
      const streams = [
        { cpu: 0, chunks: [[{ events: end.events }]] },
        { cpu: 1, chunks: [packets] },
      ];
      const told = tellStreams(streams, 100);
      return { states: told.states(A).slice(1), waits: told.waits(A) };
    };

    test.each<[what: string, end: ReturnType<typeof scenario>, states: number[][], waits: unknown[][]]>([
      [
        'and runs next was woken in it, and is ready when all is seen again',
        running().switch(70, 0, C, 0, A),
        [
          [v.STATE_BLOCKED_S, 20, 30],
          [v.STATE_UNKNOWN, 30, 50],
          [v.STATE_WOKEN, 50, 70],
          [v.STATE_USER, 70, 100],
        ],
        [[20, 30, 'unknown: lost events?']],
      ],
      [
        'and leaves a CPU next is unknown until then',
        running().switch(70, 0, A, 2, B),
        [
          [v.STATE_BLOCKED_S, 20, 30],
          [v.STATE_UNKNOWN, 30, 70],
          [v.STATE_BLOCKED_D, 70, 100],
        ],
        [
          [20, 30, 'unknown: lost events?'],
          [70, 100, 'none?'],
        ],
      ],
      [
        'and is freed next is unknown until then',
        running().add(70, 0, 'sched_process_free', { tid: A }),
        [
          [v.STATE_BLOCKED_S, 20, 30],
          [v.STATE_UNKNOWN, 30, 70],
          [v.STATE_DEAD, 70, 100],
        ],
        [[20, 30, 'unknown: lost events?']],
      ],
      [
        'and forked anew next is unknown until then',
        running().add(69, 0, 'sched_process_exit', { tid: A }).fork(70, 0, C, A),
        [
          [v.STATE_BLOCKED_S, 20, 30],
          [v.STATE_UNKNOWN, 30, 70],
        ],
        [[20, 30, 'unknown: lost events?']],
      ],
      [
        'and woken next was blocked all the time',
        running().waking(70, 0, A),
        [
          [v.STATE_BLOCKED_S, 20, 70],
          [v.STATE_WOKEN, 70, 90],
          [v.STATE_UNKNOWN, 90, 100],
        ],
        [[20, 70, `thread ${C}?`]],
      ],
      [
        'and came to wait there never seems to have waited',
        scenario().switch(0, 0, 0, 0, A).waking(25, 0, 43).switch(40, 0, A, 1, B).switch(70, 0, B, 0, A),
        [
          [v.STATE_UNKNOWN, 40, 50],
          [v.STATE_WOKEN, 50, 70],
          [v.STATE_USER, 70, 100],
        ],
        [],
      ],
    ])('%s', (_, end, states, waits) => expect(zero(end)).toEqual({ states, waits }));
  });

  test('where the packet before does not say when it ended, nothing is known from the next one on', () => {
    const first = scenario().switch(0, 0, 0, 0, A).events;
    const second = scenario().switch(70, 0, A, 1, C).events;
    const packets = [
      { events: first, begin: 0, end: NaN },
      { events: second, begin: 50, end: 80, discarded: 7 },
    ];
    for (const chunks of [[packets], packets.map((packet) => [packet])]) {
      expect(tellStreams([{ cpu: 0, chunks }], 100).states(A)).toEqual([
        [v.STATE_USER, 0, 50],
        [v.STATE_UNKNOWN, 50, 70],
        [v.STATE_BLOCKED_S, 70, 100],
      ]);
    }
  });

  test('nothing is known of a CPU behind the last event that a damaged packet gave', () => {
    const zero = scenario().switch(0, 0, 0, 0, A).switch(20, 0, A, 1, C).events;
    const one = scenario().switch(0, 1, 0, 0, B).switch(90, 1, B, 1, 0).events;
    const told = tellStreams(
      [
        { cpu: 0, chunks: [[{ events: zero, begin: 0, end: 50, damaged: true }]] },
        { cpu: 1, chunks: [[{ events: one, begin: 0, end: 95 }]] },
      ],
      100,
    );
    expect(told.states(C)).toEqual([[v.STATE_UNKNOWN, 20, 100]]);
    expect(told.cpuTime(0)[0]).toBe(80);
    expect(told.tables.losses).toEqual([{ cpu: 0, from: 20, to: 50, hidden: expect.any(Number) }]);
    expect(told.waits(A)).toEqual([[20, 100, 'none?']]);
    expect(told.waits(B)).toEqual([[90, 100, 'none']]);
  });

  test('times that damage made up lift nothing', () => {
    const first = scenario().switch(0, 0, 0, 0, A).add(1e9, 0, 'x').events;
    const second = scenario().switch(70, 0, A, 1, 0).events;
    const chunks = [
      [{ events: first, begin: 0, end: 50, damaged: true }],
      [{ events: second, begin: 60, end: 80 }],
    ];
    expect(tellStreams([{ cpu: 0, chunks }], 100).states(A)).toEqual([
      [v.STATE_USER, 0, 50],
      [v.STATE_UNKNOWN, 50, 70],
      [v.STATE_BLOCKED_S, 70, 100],
    ]);
  });

  test('a wait that overlaps a loss anywhere is lossy', () => {
    const told = tellStreams(streams(), 100);
    expect(told.waits(A)).toEqual([[20, 80, `thread ${C}?`]]);
    expect(told.waits(B)).toEqual([[70, 100, 'none?']]);
  });

  test('so is a wait that the trace does not end, with a loss behind the last event', () => {
    const story = scenario().switch(0, 0, 0, 0, A).switch(20, 0, A, 1, B).add(30, 0, 'sched_process_wait');
    const first = { events: [], begin: 0, end: 0 };
    const chunks = [[first, { events: story.events, begin: 0, end: 50, discarded: 3 }]];
    const told = tellStreams([{ cpu: 0, chunks }], 30);
    expect(told.tables.losses).toEqual([{ cpu: 0, from: 30, to: 50, hidden: expect.any(Number) }]);
    expect(told.waits(A)).toEqual([[20, 30, 'none?']]);
  });
});

describe('between two recordings', () => {
  /** A runs on CPU 0 and C on CPU 1, B waits, then nobody traces until 100, when A is found on CPU 0. */
  const story = scenario()
    .switch(0, 0, 0, 0, A)
    .switch(5, 1, 0, 0, B)
    .switch(10, 1, B, 1, C)
    .waking(20, 1, A)
    .switch(120, 0, A, 1, 0);

  const recordings = (events: readonly PlainEvent[]) => [
    ...streamsOf(events.filter(({ ts }) => ts < 100)),
    ...streamsOf(events.filter(({ ts }) => ts > 100)),
  ];
  const told = tellStreams(recordings(story.events), 130, { recordings: [110] });

  test('each ends at its last event, and what lives is unknown in the next one', () => {
    expect(told.states(A)).toEqual([
      [v.STATE_USER, 0, 20],
      [v.STATE_BLOCKED_S, 120, 130],
    ]);
    expect(told.states(C)).toEqual([
      [v.STATE_USER, 10, 20],
      [v.STATE_UNKNOWN, 120, 130],
    ]);
    expect(told.waits(B)).toEqual([[10, 20, 'none']]);
    expect(told.states(B).at(-1)).toEqual([v.STATE_UNKNOWN, 120, 130]);
  });

  test('what lies between was not recorded: no loss, and no time of a CPU', () => {
    expect(told.tables.gaps).toEqual([{ from: 20, to: 120 }]);
    expect(told.tables.losses).toEqual([]);
    expect(told.tables.cpus.map(({ parts }) => parts)).toEqual([
      [
        { from: 0, to: 0 },
        { from: 120, to: 120 },
      ],
      [{ from: 5, to: 20 }],
    ]);
    expect(told.cpuTime(1)[0]).toBe(10);
  });

  test('a tid that is forked in the next one is another thread', () => {
    const events = [...story.events, ...scenario().fork(125, 0, A, C).events];
    const again = tellStreams(recordings(events), 130, { recordings: [110] });
    expect(again.states(`${C}#2`)).toEqual([[v.STATE_WOKEN, 125, 130]]);
    expect(again.tables.problems).toEqual({});
  });
});

describe('a thread that goes to sleep with a signal pending', () => {
  const story = (result = 0, group = 0, pid = A) =>
    scenario()
      .switch(0, 0, 0, 0, A)
      .waking(1, 0, B)
      .add(5, 0, 'signal_generate', { sig: 14, pid, group, result })
      .switch(10, 0, A, 1, B)
      .switch(30, 0, B, 1, A)
      .add(35, 0, 'signal_deliver', { sig: 14 })
      .switch(40, 0, A, 1, 0)
      .switch(50, 0, 0, 0, A);
  const countsOf = ({ tables: { threads } }: ReturnType<typeof tell>) => {
    const row = threads.tid.indexOf(A);
    return [threads.voluntary[row], threads.preemptions[row]];
  };

  test('stays runnable: it was preempted', () => {
    const told = tell(story(), 60);
    expect(told.states(A).slice(1, 3)).toEqual([
      [v.STATE_PREEMPTED, 10, 30],
      [v.STATE_USER, 30, 40],
    ]);
    expect(countsOf(told)).toEqual([1, 1]);
    expect(told.tables.overruled.thread.length).toBe(1);
    // The signal was delivered.
    expect(told.states(A).at(-2)).toEqual([v.STATE_BLOCKED_S, 40, 50]);
  });

  test('but not where events were lost since it left, on any CPU', () => {
    const { events } = story().add(18, 1, 'x');
    const of = (cpu: number) => events.filter((event) => event.cpu === cpu);
    const toldWith = (discarded: number) =>
      tellStreams(
        [
          { cpu: 0, chunks: [[{ events: of(0), discarded: 0 }]] },
          { cpu: 1, chunks: [[{ events: of(1), discarded }]] },
        ],
        60,
      );
    expect(toldWith(0).states(A)[1]).toEqual([v.STATE_PREEMPTED, 10, 30]);
    expect(toldWith(1).states(A)[1].slice(0, 2)).toEqual([v.STATE_BLOCKED_S, 10]);
  });

  test.each(['5.18.0', '6.1.0-56-amd64'])('so in Linux %s', (kernelRelease) => {
    expect(tell(story(), 60, { kernelRelease }).states(A)[1]).toEqual([v.STATE_PREEMPTED, 10, 30]);
  });

  test.each([
    ['the signal was ignored', story(1), {}],
    ['the signal was for the process', story(0, 1), {}],
    ['the signal was for another thread', story(0, 0, B), {}],
    ['the signal was delivered before', story().add(7, 0, 'signal_deliver', { sig: 14 }), {}],
    ['Linux before 5.18 tells it', story(), { kernelRelease: '5.17.0' }],
    ['it was woken', story().waking(20, 0, A), {}],
  ])('but not where %s', (_, events, host) => {
    const told = tell(events, 60, host);
    expect(told.states(A)[1].slice(0, 2)).toEqual([v.STATE_BLOCKED_S, 10]);
    expect(countsOf(told)).toEqual([2, 0]);
  });
});

test('the same history however the streams are cut', () => {
  const story = twoRunning()
    .enter(5, 1, 'softirq', 3)
    .waking(10, 1, A)
    .leave(11, 1, 'softirq', 3)
    .switch(12, 0, A, 1, 0)
    .wakeup(15, 0, A)
    .switch(16, 0, 0, 0, A)
    .fork(20, 1, B, C)
    .switch(30, 1, B, 0, C);
  const whole = tell(story, 40);
  const cut = tellStreams(streamsOf(story.events, 1), 40);
  expect(cut.history.attributes).toEqual(whole.history.attributes);
  for (const { path } of whole.history.attributes) {
    expect(cut.history.intervals(path.join('/'))).toEqual(whole.history.intervals(path.join('/')));
  }
  expect(cut.tables).toEqual(whole.tables);
});

describe('what kind of thread it is', () => {
  const RUNS = [20, 40] as const;
  const runOf = (name: string, more: (story: Scenario) => Scenario = (story) => story) =>
    more(scenario().switch(20, 0, 0, 0, A, name))
      .switch(40, 0, A, 1, 0)
      .add(90, 0, 'sched_process_wait');
  const stateOf = (story: Scenario, host: Parameters<typeof tell>[2] = { recordsCalls: true }) =>
    tell(story, 100, host).states(A)[0];

  test.each([
    ...['kworker/0:1', 'ksoftirqd/3', 'migration/0', 'rcu_sched', 'irq/28-nvme0q1', 'kswapd0', 'jbd2/vda1-8'],
    ...['md127_raid1', 'rcuop/3', 'vhost-80', 'iou-wrk-80', 'napi/eth0-8193', 'khugepaged', 'backlog_napi/2'],
  ])('%s is the kernel by its name', (name) => {
    expect(stateOf(runOf(name))).toEqual([v.STATE_KERNEL, ...RUNS]);
  });

  test.each(['bash', 'kworker', 'irq/eth0', 'kswapd', 'khugepaged2', 'vhost-net', 'my-iou-wrk-80'])(
    'the mode of %s is not known, where calls are recorded',
    (name) => {
      expect(stateOf(runOf(name))).toEqual([v.STATE_RUNNING, ...RUNS]);
      expect(stateOf(runOf(name), { recordsCalls: false })).toEqual([v.STATE_USER, ...RUNS]);
    },
  );

  test('a call or an exec is of a program, whatever its name', () => {
    const called = tell(
      runOf('kworker/0:1', (story) => story.add(30, 0, 'syscall_entry_read')),
      100,
      { recordsCalls: true },
    );
    expect(called.states(A).slice(0, 2)).toEqual([
      [v.STATE_USER, 20, 30],
      [v.STATE_KERNEL, 30, 40],
    ]);
    const exec = { tid: A, filename: '/bin/sh' };
    expect(stateOf(runOf('kworker/0:1', (story) => story.add(30, 0, 'sched_process_exec', exec)))).toEqual([
      v.STATE_USER,
      ...RUNS,
    ]);
  });

  test('where switches were lost, a return alone is none of its', () => {
    const story = runOf('kworker/0:1', (one) => one.add(30, 0, 'syscall_exit_read', { ret: 0 }));
    expect(stateOf(story, { recordsCalls: true, losesSwitches: true })).toEqual([v.STATE_KERNEL, ...RUNS]);
    expect(stateOf(story, { recordsCalls: true })).toEqual([v.STATE_USER, ...RUNS]);
  });
});
