import { describe, expect, it } from 'vitest';
import type { RecordedEvents } from '../../engine/protocol/events.ts';
import { answeredQuestions, RECORDED_NEEDS } from './answered.ts';
import { QUESTIONS } from './questions.ts';
import { recordingNotes, recordingPlan } from './recording-plan.ts';

describe('the plan of a recording', () => {
  it('has the events of all questions once, in one channel', () => {
    expect(recordingPlan(new Set(['waits', 'calls', 'network']), 'while').split('\n')).toEqual([
      'lttng create my-trace --output="$PWD/my-trace"',
      'lttng enable-channel --kernel kernel --subbuf-size=1M --num-subbuf=8',
      "lttng enable-event --kernel --channel=kernel 'sched_*','lttng_statedump_*','irq_*','timer_hrtimer_expire_*','net_dev_queue','net_if_receive_skb'",
      'lttng enable-event --kernel --channel=kernel --syscall --all',
      'lttng start',
      './the-slow-thing',
      'lttng stop',
      'lttng destroy',
    ]);
  });

  it('starts a program with the libraries that record its locks', () => {
    const plan = recordingPlan(new Set(['locks']), 'while');
    expect(plan).toContain("lttng enable-event --userspace --channel=programs 'lttng_ust_pthread:*'");
    expect(plan).toContain('--type=vpid --type=vtid');
    expect(plan).toContain('LD_PRELOAD="liblttng-ust-pthread-wrapper.so" ./the-slow-thing');
    expect(plan).not.toContain('--kernel');
    expect(recordingNotes(new Set(['locks']), 'while').join(' ')).not.toContain('root');
  });

  it('takes a snapshot, or rotates', () => {
    const snapshot = recordingPlan(new Set(['waits']), 'snapshot');
    expect(snapshot).toContain('--snapshot');
    expect(snapshot).toContain('lttng snapshot record');
    expect(recordingPlan(new Set(['waits']), 'rotation')).toContain('lttng enable-rotation --timer=60s');
  });

  it('is empty where nothing is asked', () => {
    expect(recordingPlan(new Set(), 'while')).toBe('');
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

  it('is asked for each question', () => {
    expect(RECORDED_NEEDS).toHaveLength(QUESTIONS.length);
  });

  it('lacks what no host recorded', () => {
    const [one] = [answeredQuestions([host(0, { disks: ['block_rq_issue'] })])];
    expect(one[at('disks')]).toMatchObject({ missing: ['block_rq_issue'], notOn: [] });
    expect(one[at('waits')]).toMatchObject({ missing: [], notOn: [] });
    expect(one[at('locks')].missing).toEqual(['lttng_ust_pthread:*']);
  });

  it('takes events of programs by any of their names', () => {
    const found = answeredQuestions([host(0, {}, ['wakepath_locks:spin_acq', 'my_app:cpu_stack'])]);
    expect(found[at('locks')].missing).toEqual([]);
    expect(found[at('stacks')].missing).toEqual([]);
  });

  it('names the hosts that lack what others have', () => {
    const found = answeredQuestions([host(0, {}), host(1, { network: ['net_dev_queue'] })]);
    expect(found[at('network')]).toMatchObject({ missing: [], notOn: [1] });
  });
});
