import { expect, it } from 'vitest';
import { causeValue } from '../kernel/reduce/thread-states.ts';
import { CAUSE_OTHER } from '../kernel/values.ts';
import { causeText } from './state-text.ts';

it.each([
  ['idle context', 'woken from an idle CPU, waker unknown'],
  ['ipi', 'woken at the request of another CPU, waker unknown'],
  ['softirq RCU', 'ended by softirq RCU'],
  ['', 'ended by an interrupt'],
])('a wait that nobody known ended, by %j: %s', (how, said) => {
  expect(
    causeText(
      causeValue(CAUSE_OTHER, 0),
      () => '',
      () => how,
    ),
  ).toBe(said);
});
