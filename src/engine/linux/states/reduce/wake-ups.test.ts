/** Who woke a thread, and when: wake-ups, and the signals that keep one runnable. */
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

describe('wake-ups', () => {
  test('a waking before the switch-out is the cause of the wait', () => {
    const reduced = tell(
      twoRunning().waking(10, 1, A).switch(12, 0, A, 1, 0).wakeup(15, 0, A).switch(16, 0, 0, 0, A),
      100,
    );
    expect(reduced.waits(A)).toEqual([[12, 15, `thread ${B}`]]);
    expect(reduced.states(A)).toEqual(['user 0-12', 'blocked S 12-15', 'woken 15-16', 'user 16-100']);
  });

  test('a wakeup of a running thread uses its waking up', () => {
    const reduced = tell(
      twoRunning().waking(10, 1, A).wakeup(11, 1, A).switch(20, 0, A, 1, 0).wakeup(30, 0, A),
      100,
    );
    expect(reduced.waits(A)).toEqual([[20, 30, 'other: idle context']]);
    expect(reduced.tables.problems).toEqual({ 'wakeup of a blocked thread without waking': 1 });
  });

  test('a waking during the wait counts, not the pending one', () => {
    const story = twoRunning().switch(0, 2, 0, 0, C).waking(10, 1, A).switch(12, 0, A, 1, 0);
    expect(tell(story.waking(14, 2, A).wakeup(15, 0, A), 100).waits(A)).toEqual([[12, 14, `thread ${C}`]]);
  });

  test('one does not wake oneself; second wake-ups change nothing', () => {
    const story = twoRunning().waking(5, 0, A).switch(10, 0, A, 1, 0);
    const reduced = tell(story.wakeup(20, 1, A).wakeup(21, 1, A).waking(22, 1, A), 100);
    expect(reduced.waits(A)).toEqual([[10, 20, `thread ${B}`]]);
    expect(reduced.states(A).at(-1)).toEqual('woken 20-100');
    expect(reduced.tables.threads.wakeups[reduced.tables.threads.tid.indexOf(A)]).toBe(1);
  });

  test('a thread that was never seen is unknown until it is woken', () => {
    const story = scenario()
      .switch(0, 1, 0, 0, B)
      .add(5, 1, 'lttng_statedump_process_state', { tid: A, name: 'x' });
    const reduced = tell(story.waking(30, 1, A).switch(40, 0, 0, 0, A), 100);
    expect(reduced.states(A)).toEqual(['unknown 5-30', 'woken 30-40', 'user 40-100']);
    expect(reduced.waits(A)).toEqual([]);
  });

  test('a wait that ends without a recorded wake-up ends with the switch-in', () => {
    const reduced = tell(twoRunning().switch(10, 0, A, 2, 0).switch(50, 0, 0, 0, A), 100);
    expect(reduced.waits(A)).toEqual([[10, 50, 'unknown: no wake-up recorded']]);
    expect(reduced.tables.problems).toEqual({ 'blocked thread runs without wake-up': 1 });
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
      [values.CPU_NOT_KNOWN, 20, 100],
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
    const reduced = tell(story(), 60);
    expect(reduced.states(A).slice(1, 3)).toEqual(['preempted 10-30', 'user 30-40']);
    expect(countsOf(reduced)).toEqual([1, 1]);
    expect(reduced.tables.overruled.thread.length).toBe(1);
    // The signal was delivered.
    expect(reduced.states(A).at(-2)).toEqual('blocked S 40-50');
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
    expect(toldWith(0).states(A)[1]).toEqual('preempted 10-30');
    expect(toldWith(1).states(A)[1]).toMatch(/^blocked S 10-/);
  });

  test.each(['5.18.0', '6.1.0-56-amd64'])('so in Linux %s', (kernelRelease) => {
    expect(tell(story(), 60, { kernelRelease }).states(A)[1]).toEqual('preempted 10-30');
  });

  test.each([
    ['the signal was ignored', story(1), {}],
    ['the signal was for the process', story(0, 1), {}],
    ['the signal was for another thread', story(0, 0, B), {}],
    ['the signal was delivered before', story().add(7, 0, 'signal_deliver', { sig: 14 }), {}],
    ['Linux before 5.18 tells it', story(), { kernelRelease: '5.17.0' }],
    ['it was woken', story().waking(20, 0, A), {}],
  ])('but not where %s', (_, events, host) => {
    const reduced = tell(events, 60, host);
    expect(reduced.states(A)[1]).toMatch(/^blocked S 10-/);
    expect(countsOf(reduced)).toEqual([2, 0]);
  });
});
