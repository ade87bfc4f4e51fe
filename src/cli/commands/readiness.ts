/** Analyses that an experiment can serve, by the events that its metadata declare. */
import type { MeaningName } from '../../engine/linux/meanings.ts';
import { eventNamesOf, missingEvents } from '../../engine/answers/context/recorded.ts';
import { STATISTICS } from '../../engine/answers/statistics/statistics.ts';
import type { Experiment } from '../../engine/trace/types.ts';

export interface Readiness {
  readonly id: string;
  readonly ready: boolean;
  /** Events, by their first name. */
  readonly missing: readonly string[];
}

/** Statistics and states. Without these events each says nothing. */
const { counts, ...others } = STATISTICS;
const ESSENTIAL: Readonly<Record<string, { readonly essential: readonly MeaningName[] }>> = {
  counts,
  states: { essential: ['switch'] },
  ...others,
};

/** Tells for each analysis whether any trace has the events that it needs. */
export function readiness({ traces }: Experiment): Readiness[] {
  const recorded = { eventNames: eventNamesOf(traces) };
  return Object.entries(ESSENTIAL).map(([id, { essential }]) => {
    const missing = missingEvents(
      [recorded],
      essential.map((meaning) => [meaning]),
    );
    return { id, ready: missing.length === 0, missing };
  });
}
