import { describe, expect, it } from 'vitest';
import type { RecordedEvents } from '../../engine/protocol/events.ts';
import { answeredQuestions, type Contents, RECORDED_NEEDS, QUESTIONS } from './questions.ts';
import { recordingNotes, recordingPlan } from './recording-plan.ts';

describe('the plan of a recording', () => {
  it('has the events of all questions once, in one channel', () => {
    expect(recordingPlan(new Set(['waits', 'calls', 'network']), 'while', 'lttng').split('\n')).toEqual([
      'lttng create my-trace --output="$PWD/my-trace"',
      'lttng enable-channel --kernel kernel --subbuf-size=1M --num-subbuf=8',
      "lttng enable-event --kernel --channel=kernel 'sched_*,lttng_statedump_*,irq_*,timer_hrtimer_expire_*,net_dev_queue,net_if_receive_skb'",
      'lttng enable-event --kernel --channel=kernel --syscall --all',
      'lttng start',
      './the-slow-thing',
      'lttng stop',
      'lttng destroy',
    ]);
  });

  it('is the kit where that records what is asked, with the events that it has to be told', () => {
    const plan = (...ids: string[]) => recordingPlan(new Set(ids), 'while', 'lttng').split('\n');
    const kit = 'recording/record.sh my-trace ./the-slow-thing';
    expect(plan('locks')).toEqual(['make -C recording', kit]);
    expect(plan('stacks', 'waits', 'calls', 'network', 'disks', 'requests')).toEqual([
      'make -C recording',
      kit,
    ]);
    expect(plan('stacks', 'power')).toEqual([
      'make -C recording',
      `WAKEPATH_KERNEL_EVENTS='power_cpu_frequency power_cpu_idle' ${kit}`,
    ]);
    expect(recordingNotes(new Set(['locks']), 'while', 'lttng').join(' ')).not.toContain('root');
  });

  it('has the load addresses, names of threads and files that names of functions and locks take', () => {
    const plan = recordingPlan(new Set(['locks']), 'snapshot', 'lttng');
    expect(plan).toContain('wakepath_locks:*,lttng_ust_statedump:*');
    expect(plan).toContain('--type=vpid --type=vtid --type=procname');
    expect(plan).toContain('$PWD/recording/build/libwakepath-locks.so liblttng-ust-pthread-wrapper.so');
    expect(plan).toContain('my-trace/elf/');
    expect(plan).not.toContain('--kernel');
  });

  it('takes a snapshot, or rotates, with a state dump in each', () => {
    const snapshot = recordingPlan(new Set(['waits']), 'snapshot', 'lttng').split('\n');
    expect(snapshot[0]).toContain('--snapshot');
    expect(snapshot.slice(-4)).toEqual([
      './the-slow-thing &',
      '# When the slow thing has just happened, while the program still runs:',
      'lttng regenerate statedump && lttng snapshot record',
      'lttng destroy',
    ]);
    expect(recordingPlan(new Set(['waits']), 'rotation', 'lttng')).toContain(
      'lttng rotate && lttng regenerate statedump',
    );
  });

  it('is one command of perf, with all that it can record', () => {
    const ids = new Set(['waits', 'disks', 'calls', 'stacks', 'network']);
    expect(recordingPlan(ids, 'while', 'perf')).toBe(
      "perf record -a -g -m 4M -k CLOCK_MONOTONIC -e 'sched:*,irq:*,timer:hrtimer_expire_*,raw_syscalls:*,block:block_rq_*,cpu-clock' ./the-slow-thing",
    );
    expect(recordingNotes(ids, 'while', 'perf')[0]).toBe(
      'Only LTTng records what answers “Was it the network, or another machine?”.',
    );
    expect(recordingPlan(ids, 'snapshot', 'perf').split('\n').at(-1)).toBe('kill -USR2 $!');
  });

  it('has no samples by trace-cmd and Perfetto', () => {
    const ids = new Set(['waits', 'stacks']);
    expect(recordingPlan(ids, 'while', 'trace-cmd')).toBe(
      "trace-cmd record -C mono -e 'sched:*' -e 'irq:*' -e 'timer:hrtimer_expire_*' ./the-slow-thing",
    );
    const config = recordingPlan(ids, 'while', 'perfetto');
    expect(config).toContain('ftrace_events: "timer/*"');
    expect(config).not.toContain('cpu-clock');
  });

  it('is empty where nothing is asked', () => {
    expect(recordingPlan(new Set(), 'while', 'lttng')).toBe('');
  });
});

describe('what a trace answers', () => {
  const at = (id: string) => QUESTIONS.findIndex((each) => each.id === id);
  const host = (
    index: number,
    missing: Readonly<Record<string, readonly string[]>>,
    names: string[] = [],
  ) => {
    const lists = QUESTIONS.map(({ id }) => missing[id] ?? []);
    return { host: index, missing: lists, names } satisfies RecordedEvents;
  };

  const answered = (recorded: readonly RecordedEvents[], contents: Partial<Contents> = {}) =>
    answeredQuestions(recorded, { hasKernel: true, hasStacks: false, hasPairs: false, ...contents });

  it('is asked for each question', () => {
    expect(RECORDED_NEEDS).toHaveLength(QUESTIONS.length);
  });

  it('lacks what no host recorded', () => {
    const [one] = [answered([host(0, { disks: ['block_rq_issue'] })])];
    expect(one[at('disks')]).toMatchObject({ missing: ['block_rq_issue'], notOn: [] });
    expect(one[at('waits')]).toMatchObject({ missing: [], notOn: [] });
    expect(one[at('locks')].missing).toEqual(['lttng_ust_pthread:*']);
  });

  it('takes events of programs by any of their names', () => {
    const found = answered([host(0, {}, ['wakepath_locks:spin_acq', 'my_app:cpu_stack'])]);
    expect(found[at('locks')].missing).toEqual([]);
    expect(found[at('stacks')].missing).toEqual([]);
  });

  it('is where the trace has it: without the kernel there are no paths', () => {
    const recorded = [
      host(0, { requests: ['sched_switch'] }, ['wakepath_locks:spin_acq', 'wakepath_stacks:cpu_stack']),
    ];
    const alone = answered(recorded, { hasKernel: false });
    expect(alone[at('locks')]).toMatchObject({ where: 'Locks', missing: [] });
    expect(alone[at('stacks')]).toMatchObject({ where: 'Flame graph', missing: [] });
    expect(alone[at('requests')]).toMatchObject({ where: 'Compare', missing: ['app:request_begin'] });
    const withPairs = answered(recorded, { hasKernel: false, hasPairs: true });
    expect(withPairs[at('requests')]).toMatchObject({ where: 'Compare', missing: [] });
  });

  it('has call stacks wherever they come from', () => {
    expect(answered([host(0, {})])[at('stacks')].missing).toEqual(['wakepath_stacks:*']);
    expect(answered([host(0, {})], { hasStacks: true })[at('stacks')].missing).toEqual([]);
  });

  it('names the hosts that lack what others have', () => {
    const found = answered([host(0, {}), host(1, { network: ['net_dev_queue'] })]);
    expect(found[at('network')]).toMatchObject({ missing: [], notOn: [1] });
  });
});
