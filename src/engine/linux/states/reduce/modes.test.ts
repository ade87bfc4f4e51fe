/** User mode or kernel: by returns from signal handlers, and by the kind of the thread. */
import { describe, expect, test } from 'vitest';
import { A, type Scenario, scenario, tell } from '../../../../../test/support/scenario.ts';

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
    const reduced = tell(story.add(20, 0, name, fields), 100);
    expect(reduced.states(A)).toEqual(['user 0-10', 'kernel 10-20', 'user 20-100']);
    expect(reduced.history.intervals(`threads/${A}/syscall`)).toMatchObject([{ from: 10, to: 20 }]);
  });

  test.each([
    ['syscall_entry_unknown', { id: 119 }],
    ['compat_syscall_entry_unknown', { id: 15 }],
  ])('%s %o is a call', (name, fields) => {
    const reduced = tell(scenario().switch(0, 0, 0, 0, A).add(20, 0, name, fields), 100);
    expect(reduced.states(A)).toEqual(['user 0-20', 'kernel 20-100']);
  });
});

describe('what kind of thread it is', () => {
  /** A thread of this name, which runs from 20 to 40. */
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
    expect(stateOf(runOf(name))).toBe('kernel 20-40');
  });

  test.each(['bash', 'kworker', 'irq/eth0', 'kswapd', 'khugepaged2', 'vhost-net', 'my-iou-wrk-80'])(
    'the mode of %s is not known, where calls are recorded',
    (name) => {
      expect(stateOf(runOf(name))).toBe('running 20-40');
      expect(stateOf(runOf(name), { recordsCalls: false })).toBe('user 20-40');
    },
  );

  test('a call or an exec is of a program, whatever its name', () => {
    const called = tell(
      runOf('kworker/0:1', (story) => story.add(30, 0, 'syscall_entry_read')),
      100,
      { recordsCalls: true },
    );
    expect(called.states(A).slice(0, 2)).toEqual(['user 20-30', 'kernel 30-40']);
    const exec = { tid: A, filename: '/bin/sh' };
    expect(stateOf(runOf('kworker/0:1', (story) => story.add(30, 0, 'sched_process_exec', exec)))).toBe(
      'user 20-40',
    );
  });

  test('where switches were lost, a return alone is none of its', () => {
    const story = runOf('kworker/0:1', (one) => one.add(30, 0, 'syscall_exit_read', { ret: 0 }));
    expect(stateOf(story, { recordsCalls: true, losesSwitches: true })).toBe('kernel 20-40');
    expect(stateOf(story, { recordsCalls: true })).toBe('user 20-40');
  });
});
