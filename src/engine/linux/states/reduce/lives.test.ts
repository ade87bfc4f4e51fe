/** Threads from fork to free, and tids that come again. */
import { describe, expect, test } from 'vitest';
import { A, B, C, scenario, tell } from '../../../../../test/support/scenario.ts';
import { meantCpuValue } from './kernel-tables.ts';
import * as values from '../../events/values.ts';
import { switchOutState } from './switches.ts';

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
    const reduced = tell(story, 100);
    expect(reduced.states(B)).toEqual([
      'woken 10-12',
      'user 12-22',
      'preempted 22-24',
      'user 24-26',
      'blocked S 26-28',
      'woken 28-29',
      'user 29-30',
      'zombie 30-40',
      'dead 40-50',
    ]);
    expect(reduced.states(`${B}#2`)).toEqual(['woken 50-52', 'user 52-100']);
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
    const reduced = tell(story, 100);
    expect(reduced.states(A)).toEqual(['user 0-10', 'kernel 10-20', 'zombie 20-30', 'dead 30-50']);
    expect(reduced.states(`${A}#2`)).toEqual(['blocked S 50-60', 'woken 60-70', 'running 70-100']);
    expect(reduced.tables.problems).toEqual({ 'dead thread leaves a CPU alive: new incarnation': 1 });
  });

  test('a thread that was freed before it is seen leaving its CPU leaves it dead', () => {
    const story = scenario().add(10, 0, 'sched_process_free', { tid: A }).switch(20, 1, A, 16, 0);
    const reduced = tell(story, 100);
    expect(reduced.states(A)).toEqual(['dead 10-100']);
    expect(reduced.tables.threads.tid.filter((tid) => tid === A)).toHaveLength(1);
    expect(reduced.tables.problems).toEqual({});
  });

  test('a thread that executes a program and had another tid goes on as another life of the new one', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(10, 0, A, 2, B)
      .add(20, 0, 'syscall_entry_execve')
      .add(40, 0, 'sched_process_exec', { tid: A, old_tid: B, filename: '/bin/program' })
      .add(50, 0, 'syscall_exit_execve', { ret: 0 })
      .switch(60, 0, A, 1, 0);
    const reduced = tell(story, 100);
    expect(reduced.waits(A)).toEqual([[10, 40, 'unknown: new incarnation']]);
    expect(reduced.states(B)).toEqual(['user 10-20', 'kernel 20-40', 'dead 40-100']);
    expect(reduced.states(`${A}#2`)).toEqual(['kernel 40-50', 'user 50-60', 'blocked S 60-100']);
    expect(reduced.tables.problems).toEqual({ 'exec by a thread that is not the leader': 1 });
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
    const reduced = tell(story, 100);
    expect(reduced.states(A)).toEqual(['running 0-30', 'zombie 30-40']);
    expect(reduced.states(B)).toEqual(['new 5-10', 'user 10-20', 'kernel 20-40', 'dead 40-100']);
    expect(reduced.states(`${A}#2`)).toEqual(['kernel 40-50', 'user 50-70', 'blocked S 70-100']);
    const { threads, problems } = reduced.tables;
    const heir = threads.tid.lastIndexOf(A);
    expect([threads.parent[heir], threads.pid[heir]]).toEqual([threads.tid.indexOf(B), A]);
    expect(
      reduced.history.intervals(`threads/${A}#2/name`).map(({ value }) => reduced.history.texts[value]),
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
    const reduced = tell(story, 100);
    expect(reduced.states(B).at(-1)).toEqual('zombie 20-30');
    expect(reduced.waits(`${B}#2`)).toEqual([[50, 70, `thread ${A}`]]);
    expect(reduced.states(`${B}#2`).slice(-4)).toEqual([
      'woken 70-80',
      'user 80-85',
      'zombie 85-90',
      'dead 90-100',
    ]);
    expect(reduced.tables.problems).toEqual({});
  });

  test('but not where it is of another process: there the trace contradicts itself', () => {
    const story = scenario()
      .switch(0, 0, 0, 0, A)
      .switch(10, 0, A, 16, 0)
      .add(20, 0, 'sched_process_exec', { tid: A, filename: '/bin/program' });
    const reduced = tell(story, 100);
    expect(reduced.states(A).at(-1)).toEqual('zombie 10-100');
    expect(reduced.states('0/cpu0').at(-1)).toEqual('kernel 10-100');
  });

  test('new until the first wake-up', () => {
    const story = scenario().switch(0, 0, 0, 0, A);
    story.add(10, 0, 'sched_process_fork', { parent_tid: A, child_tid: B, child_comm: 'c' });
    expect(tell(story.wakeupNew(15, 0, B).switch(20, 1, 0, 0, B), 100).states(B)).toEqual([
      'new 10-15',
      'woken 15-20',
      'user 20-100',
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
    const reduced = tell(story, 100);
    expect(reduced.states(A)).toEqual([
      'user 0-10',
      'kernel 10-15',
      'blocked S 15-20',
      'woken 20-25',
      'kernel 25-30',
      'user 30-100',
    ]);
    expect(reduced.states(B)[0]).toEqual('kernel 15-25');
    const calls = reduced.history.intervals(`threads/${A}/syscall`);
    expect(calls.map(({ from, to, value }) => [from, to, reduced.history.texts[value]])).toEqual([
      [10, 30, 'read'],
    ]);
    const unsure = reduced.history.intervals('cpus/0/state').find(({ from }) => from === 15);
    expect(meantCpuValue(reduced.tables, unsure?.value ?? 0)).toBe(values.CPU_KERNEL);
  });

  test('prev_state of both generations', () => {
    const now = {
      [values.STATE_PREEMPTED]: [0, 0x100],
      [values.STATE_BLOCKED_S]: [1, 0x101],
      [values.STATE_BLOCKED_D]: [2, 0x82],
      [values.STATE_STOPPED]: [4, 8],
      [values.STATE_IDLE_KTHREAD]: [0x80],
      [values.STATE_PARKED]: [0x40],
      [values.STATE_ZOMBIE]: [0x10, 0x20],
    };
    const old = {
      [values.STATE_PREEMPTED]: [0, 0x400, 0x1000],
      [values.STATE_BLOCKED_S]: [1],
      [values.STATE_BLOCKED_D]: [2, 0x80, 0x82, 0x402],
      [values.STATE_STOPPED]: [4, 8],
      [values.STATE_PARKED]: [0x200],
      [values.STATE_ZOMBIE]: [0x10, 0x20, 0x40],
    };
    for (const [generation, isOld] of [[now, false] as const, [old, true] as const])
      for (const [state, all] of Object.entries(generation))
        for (const bits of all) expect(switchOutState(bits, false, isOld)).toBe(Number(state));
    expect(switchOutState(0x40, true, false)).toBe(values.STATE_ZOMBIE);
  });
});
