/** Which analyses an experiment can serve, by the events that its metadata declare. */
import type { MeaningName } from '../../engine/kernel/meanings.ts';
import { eventNamesOf, missingEvents } from '../../engine/session/recorded.ts';
import type { Experiment } from '../../engine/trace/types.ts';

export interface Readiness {
  readonly id: string;
  readonly ready: boolean;
  /** Events, by their first name. */
  readonly missing: readonly string[];
}

/** Without these an analysis tells nothing. */
const ESSENTIAL: Readonly<Record<string, readonly MeaningName[]>> = {
  counts: [],
  states: ['switch'],
  cpu: ['switch'],
  io: ['switch', 'syscall-entry', 'syscall-exit'],
  sched: ['switch', 'wakeup'],
  irq: ['irq-entry', 'softirq-entry'],
  syscalls: ['switch', 'syscall-entry', 'syscall-exit'],
};

/** Of each analysis whether any trace has the events that it needs. */
export function readiness({ traces }: Experiment): Readiness[] {
  const recorded = { eventNames: eventNamesOf(traces) };
  return Object.entries(ESSENTIAL).map(([id, meanings]) => {
    const missing = missingEvents(
      [recorded],
      meanings.map((meaning) => [meaning]),
    );
    return { id, ready: missing.length === 0, missing };
  });
}
