/** Where the vectors' rules differ from ours: why, and what follows from ours. */
export interface Deviation {
  readonly reason: string;
  readonly found: readonly string[];
}

const TRANSIT = 'The time of a packet on its way belongs to who receives it, not to its sender.';
const TRANSIT_TO_INTERRUPT =
  'The time of a packet on its way belongs to the interrupt that receives it, and so does that from its arrival to the wake-up.';
const EARLY = 'A signal given before the wait began is not followed: the wait stays as it is.';
const UNKNOWN_ON_WAITER = 'What is unknown of a waker is unknown time of the thread that waits for it.';
const NOT_OURS = 'Checks a data structure or a provider of that program; there is none of it here.';

export const DEVIATIONS: Readonly<Record<string, Deviation>> = {
  'graph/wakeup_self bounded': {
    reason: `${EARLY} That it is a timer is told by the edge here, not by an edge from the thread to itself.`,
    found: ['0 0-2 running', '0 2-3 blocked', '0 3-4 running'],
  },
  'graph/wakeup_self unbounded': {
    reason: EARLY,
    found: ['0 0-2 running', '0 2-3 blocked', '0 3-4 running'],
  },
  'graph/wakeup_unknown bounded': {
    reason: `${UNKNOWN_ON_WAITER} From the signal to the end of the wait it waits.`,
    found: ['0 0-2 running', '0 2-3 unknown', '0 3-4 blocked', '0 4-6 running'],
  },
  'graph/wakeup_unknown unbounded': {
    reason: 'Where the way ends in nothing, the last wait is taken as it is.',
    found: ['0 0-2 running', '0 2-4 blocked', '0 4-6 running'],
  },
  'graph/wakeup_new unbounded': {
    reason: 'A fork takes no time: its creator works until the new worker begins.',
    found: ['0 0-3 running', '1 3-6 running', '0 6-8 running'],
  },
  'graph/opened_delay bounded': {
    reason: EARLY,
    found: ['0 0-3 running', '0 3-6 blocked', '0 6-9 running'],
  },
  'graph/net1 bounded': {
    reason: `${TRANSIT} ${UNKNOWN_ON_WAITER}`,
    found: [
      '0 0-1 running',
      '0 1-3 unknown',
      '1 3-4 running',
      '2 4-7 network',
      '2 7-8 running',
      '3 8-10 network',
      '3 10-11 running',
      '0 11-12 running',
    ],
  },
  'trace/network_exchange_two_hosts_irq_contexts bounded wifi:200': {
    reason: `${TRANSIT_TO_INTERRUPT} A packet received by a thread leads through that thread, which gave the wake-up.`,
    found: [
      'wifi:200 10-15 running',
      'eth:irq/cpu1 15-33 network',
      'eth:irq/cpu1 33-35 running',
      'eth:100 35-40 preempted',
      'eth:100 40-45 running',
      'wifi:50 45-65 network',
      'wifi:50 65-70 running',
      'wifi:200 70-75 preempted',
    ],
  },
  'trace/network_exchange_two_hosts_softirq bounded client:200': {
    reason: TRANSIT_TO_INTERRUPT,
    found: [
      'client:200 10-15 running',
      'server:irq/cpu1 15-33 network',
      'server:irq/cpu1 33-35 running',
      'server:100 35-40 preempted',
      'server:100 40-45 running',
      'client:irq/cpu0 45-65 network',
      'client:irq/cpu0 65-70 running',
      'client:200 70-75 preempted',
      'client:200 75-95 running',
    ],
  },
  'trace/network_exchange_client_only_threaded_irq bounded wifi:200': {
    reason: 'The thread of the interrupt gave the wake-up: a direct one, by what it did since it is known.',
    found: [
      'wifi:200 10-15 running',
      'wifi:200 15-55 unknown',
      'wifi:50 55-60 preempted',
      'wifi:50 60-70 running',
      'wifi:200 70-75 preempted',
    ],
  },
  'trace/network_exchange_client_only_softirq bounded client:202': {
    reason: UNKNOWN_ON_WAITER,
    found: [
      'client:202 7-10 unknown',
      'client:200 10-15 running',
      'client:200 15-70 blocked (network)',
      'client:200 70-75 preempted',
      'client:200 75-90 running',
      'client:202 90-95 preempted',
    ],
  },
  'structure/full_graph': { reason: NOT_OURS, found: [] },
  'structure/builder_take_pass_kick': { reason: NOT_OURS, found: [] },
};
