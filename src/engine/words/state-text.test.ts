import { expect, it } from 'vitest';
import { causeValue } from '../linux/states/reduce/thread-states.ts';
import { CAUSE_OTHER, CAUSE_UNKNOWN, CPU_STATES, THREAD_STATES } from '../linux/events/values.ts';
import { causeText, cpuStateText, threadStateText } from './state-text.ts';

it.each([
  [CAUSE_OTHER, 'idle context', 'woken from an idle CPU, waker unknown'],
  [CAUSE_OTHER, 'ipi', 'woken at the request of another CPU, waker unknown'],
  [CAUSE_OTHER, 'softirq RCU', 'ended by softirq RCU'],
  [CAUSE_OTHER, '', 'ended by an interrupt'],
  [CAUSE_UNKNOWN, 'no wake-up recorded', 'ended without a recorded wake-up'],
  [CAUSE_UNKNOWN, 'new incarnation', 'end not recorded: its id was given to another thread'],
  [CAUSE_UNKNOWN, '', 'ended by something unknown'],
])('a wait that nobody known ended, of cause %d, by %j: %s', (cause, how, said) => {
  expect(
    causeText(
      causeValue(cause, 0),
      () => '',
      () => how,
    ),
  ).toBe(said);
});

it('has words for every state of a thread and of a CPU', () => {
  expect(THREAD_STATES.map((_, state) => threadStateText(state))).not.toContain(undefined);
  expect(CPU_STATES.map((_, state) => cpuStateText(state))).not.toContain(undefined);
});
