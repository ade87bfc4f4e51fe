/** Preview of a definition, before the paths of its executions are looked for. */
import type { ExecutionCounts, ExecutionDefinition } from './definition.ts';
import { type Executions, executionsOf, type HostDelimiters } from './executions.ts';

export interface ExecutionPreview {
  readonly definition: ExecutionDefinition;
  readonly counts: ExecutionCounts;
  /** ns of those that were counted, ascending: at most 1000 of them, evenly chosen. */
  readonly durations: Float64Array;
}

const MOST_DURATIONS = 1000;

/**
 * Executions cross threads where more of them fit so.
 * @param index of the definition in the settings that the delimiters were read with
 */
export function previewOf(
  hosts: readonly HostDelimiters[],
  definition: ExecutionDefinition,
  index: number,
): ExecutionPreview {
  const preview = (acrossThreads: boolean): ExecutionPreview => {
    const definitionHere = { ...definition, acrossThreads };
    const executions = executionsOf(hosts, definitionHere, index);
    return { definition: definitionHere, counts: executions.counts, durations: durationsOf(executions) };
  };
  const inThreads = preview(false);
  if (definition.key.length === 0) return inThreads;
  const acrossThreads = preview(true);
  return weight(acrossThreads.counts) > weight(inThreads.counts) ? acrossThreads : inThreads;
}

/** The number of executions, times the share of events that fit: begins and ends that alternate. */
export function weight({ executions, withoutBegin, withoutEnd, nested }: ExecutionCounts): number {
  return executions === 0 ? 0 : executions ** 2 / (executions + withoutBegin + withoutEnd + nested);
}

/** ns, ascending; the shortest and the longest are among them. */
function durationsOf({ begin, end }: Executions): Float64Array {
  const all = begin.map((time, i) => end[i] - time).sort();
  if (all.length <= MOST_DURATIONS) return all;
  const last = (all.length - 1) / (MOST_DURATIONS - 1);
  return Float64Array.from({ length: MOST_DURATIONS }, (_, i) => all[Math.round(i * last)]);
}
