/** Names of interrupts. */
import { CPU_SOFTIRQ, CPU_TIMER, detailOf, stateOf } from './values.ts';

/** Names of softirqs by number. */
const SOFTIRQS: readonly string[] = [
  'HI',
  'TIMER',
  'NET_TX',
  'NET_RX',
  'BLOCK',
  'IRQ_POLL',
  'TASKLET',
  'SCHED',
  'HRTIMER',
  'RCU',
];

/** Number of the softirq that calls timer functions. */
export const SOFTIRQ_HRTIMER = 8;

/** Name of a softirq: `NET_RX`; an unknown number unchanged. */
export function softirqName(vec: number): string {
  return SOFTIRQS[vec] ?? String(vec);
}

/** Name of a CPU's state in an interrupt: `softirq NET_RX`, `nvme0q1`, `local_timer`, `hrtimer`. */
export function interruptName(value: number, text: (index: number) => string): string {
  const detail = detailOf(value);
  switch (stateOf(value)) {
    case CPU_SOFTIRQ:
      return detail < 0 ? 'softirq' : `softirq ${softirqName(detail)}`;
    case CPU_TIMER:
      return detail < 0 ? 'hrtimer' : text(detail);
    default:
      return detail < 0 ? 'an interrupt' : text(detail);
  }
}
