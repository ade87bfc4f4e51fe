import { expect, it } from 'vitest';
import { recordingLacks } from './recording-lacks.ts';

type Recorded = Parameters<typeof recordingLacks>[0][number];

function recorded(
  tracer: string,
  names: readonly string[],
  { clock = 'monotonic', program = '', context = [] as readonly string[] } = {},
): Recorded {
  const member = (name: string) => ({ name });
  return {
    domain: 'kernel',
    model: {
      environment: Object.entries({ tracer_name: tracer, recorded_program: program }).map(
        ([name, value]) => ({ name, value }),
      ),
      clocks: [{ name: clock }],
      streams: [{ events: names.map((name) => ({ name, context: { members: context.map(member) } })) }],
    },
  } as unknown as Recorded;
}

const WHOLE = [
  ...['sched:sched_switch', 'sched:sched_waking', 'irq:irq_handler_entry', 'irq:softirq_entry'],
  ...['timer:hrtimer_expire_entry', 'raw_syscalls:sys_enter', 'raw_syscalls:sys_exit'],
];

it('says what perf was not asked for, each with the command that records it', () => {
  const lacks = recordingLacks([recorded('perf', ['cpu-clock'], { clock: 'perf_clock', program: 'server' })]);
  expect(lacks.map(({ what }) => what)).toEqual([
    ...['-a', '-g', '-k CLOCK_MONOTONIC', 'sched:sched_switch', 'sched:sched_waking'],
    'irq:irq_handler_entry, irq:softirq_entry, timer:hrtimer_expire_entry',
    'raw_syscalls:sys_enter',
  ]);
  for (const { command } of lacks) expect(command).toMatch(/^perf record -a -g .*-k CLOCK_MONOTONIC /);
  expect(lacks[6].command).toContain("'sched:*,raw_syscalls:sys_enter,raw_syscalls:sys_exit'");
});

it('is nothing where all is there, and where LTTng recorded the kernel', () => {
  expect(recordingLacks([recorded('perf', WHOLE, { context: ['perf_callchain'] })])).toEqual([]);
  expect(recordingLacks([recorded('trace-cmd', WHOLE)])).toEqual([]);
  expect(recordingLacks([recorded('lttng-modules', []), recorded('perf', [])])).toEqual([]);
});

it('is in the words of trace-cmd', () => {
  const lacks = recordingLacks([recorded('trace-cmd', ['sched:sched_switch'], { clock: 'ftrace_local' })]);
  expect(lacks.map(({ what }) => what).slice(0, 2)).toEqual(['-C mono', 'sched:sched_waking']);
  expect(lacks[0].command).toBe("trace-cmd record -C mono -e 'sched:*' ./program");
});
