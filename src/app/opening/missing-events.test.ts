import { expect, test } from 'vitest';
import { recordingCommand } from './missing-events.tsx';

test('what is missing is recorded together with what it needs', () => {
  expect(recordingCommand(['sched_switch', 'sched_waking'])).toBe(
    'lttng enable-event --kernel sched_switch,sched_waking,sched_wakeup,sched_wakeup_new',
  );
  expect(recordingCommand(['syscall_entry_*', 'syscall_exit_*'])).toBe(
    'lttng enable-event --kernel --syscall --all',
  );
  expect(recordingCommand(['syscall_entry_*', 'irq_handler_entry'])).toBe(
    'lttng enable-event --kernel --syscall --all && lttng enable-event --kernel irq_handler_entry,irq_handler_exit',
  );
});
