import { expect, test } from 'vitest';
import { namesFor, recordingCommand } from './recording-commands.ts';

test('what is missing is recorded together with what it needs', () => {
  expect(recordingCommand(['sched_switch', 'sched_waking'], 'lttng')).toBe(
    'lttng enable-event --kernel sched_switch,sched_waking,sched_wakeup,sched_wakeup_new',
  );
  expect(recordingCommand(['syscall_entry_*', 'syscall_exit_*'], 'lttng')).toBe(
    'lttng enable-event --kernel --syscall --all',
  );
  expect(recordingCommand(['syscall_entry_*', 'irq_handler_entry'], 'lttng')).toBe(
    'lttng enable-event --kernel --syscall --all && lttng enable-event --kernel irq_handler_entry,irq_handler_exit',
  );
  expect(recordingCommand(['lttng_ust_libc:malloc'], 'lttng')).toBe(
    'lttng enable-event --userspace lttng_ust_libc:malloc',
  );
});

test('other tracers have their own names and commands, and LTTng records what they cannot', () => {
  const missing = ['syscall_entry_*', 'irq_softirq_entry', 'lttng_statedump_process_state'];
  expect(namesFor('perf', missing)).toEqual(['raw_syscalls:sys_enter', 'irq:softirq_entry']);
  expect(namesFor('lttng', missing)).toEqual(missing);
  expect(recordingCommand(missing, 'perf')).toBe(
    "perf record -a -g -m 4M -k CLOCK_MONOTONIC -e 'sched:*,raw_syscalls:sys_enter,raw_syscalls:sys_exit,irq:softirq_entry,irq:softirq_exit' ./program",
  );
  expect(recordingCommand(['sched_waking', 'net_dev_queue'], 'trace-cmd')).toBe(
    "trace-cmd record -C mono -e 'sched:*' -e net:net_dev_queue ./program",
  );
  expect(recordingCommand(['block_rq_issue'], 'perfetto')).toBe(
    'ftrace_events: "sched/*" ftrace_events: "block/block_rq_issue"',
  );
  expect(recordingCommand(['lttng_ust_libc:malloc'], 'perf')).toBe(
    'lttng enable-event --userspace lttng_ust_libc:malloc',
  );
  expect(recordingCommand(['lttng_statedump_file_descriptor'], 'perf')).toBe('');
});
