/** Which analyses an experiment can serve, by the events that its metadata declare. */
import { createMeaningFinder } from '../../engine/ctf/decode/meanings.ts';
import { kernelMeaning } from '../../engine/kernel/meanings.ts';
import type { MeaningName } from '../../engine/kernel/meanings.ts';
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
  const names = new Set(
    traces.flatMap(({ model }) => model.streams.flatMap(({ events }) => events.map(({ name }) => name))),
  );
  const isThere = (events: readonly string[]): boolean => {
    const meaningOf = createMeaningFinder({ meanings: [{ names: events, fields: [] }] });
    return [...names].some((name) => meaningOf(name) === 0);
  };
  return Object.entries(ESSENTIAL).map(([id, meanings]) => {
    const missing = meanings
      .map((meaning) => kernelMeaning(meaning).events)
      .filter((events) => !isThere(events));
    return { id, ready: missing.length === 0, missing: missing.map(([name]) => name) };
  });
}
