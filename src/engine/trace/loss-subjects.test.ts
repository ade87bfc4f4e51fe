import { describe, expect, it } from 'vitest';
import type { EventClass } from '../ctf/model.ts';
import * as subjects from './loss-subjects.ts';

const hidden = (...names: string[]) => subjects.hiddenBy(names.map((name) => ({ name }) as EventClass));

describe('a loss hides what the class of its stream declares', () => {
  it.each<[string, string[], number]>([
    ['nothing that is known', ['my_event', 'sched_stat_runtime'], 0],
    ['calls alone', ['syscall_entry_read', 'syscall_exit_read'], subjects.HIDES_CALLS],
    [
      'switches and wake-ups',
      ['sched:sched_switch', 'sched_waking'],
      subjects.HIDES_SWITCHES | subjects.HIDES_WAKE_UPS,
    ],
    ['interrupts', ['irq_softirq_exit'], subjects.HIDES_INTERRUPTS],
    ['requests', ['block_rq_issue'], subjects.HIDES_REQUESTS],
  ])('%s', (_, names, bits) => {
    expect(hidden(...names)).toBe(bits);
  });

  it('all of the kernel', () => {
    expect(
      hidden('sched_switch', 'sched_wakeup', 'x86_irq_vectors_ipi_entry', 'sys_read', 'block_rq_complete'),
    ).toBe(subjects.HIDES_ALL);
  });
});
