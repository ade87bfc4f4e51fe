/** Which executions a trace may be asked about: what the names of its events suggest, with what that comes to. */
import type { ExecutionCounts, ExecutionDefinition } from '../../executions/definition.ts';
import { type Executions, executionsOf, type MarkedHost } from '../../executions/executions.ts';
import type { QueryContext } from '../query.ts';
import type { ExecutionProposal } from './executions-api.ts';
import { markedHosts, readMarks } from './read-marks.ts';

/** Fewer cannot be compared. */
const FEWEST = 2;
/** Of one proposal. */
const MOST_DURATIONS = 1000;

/**
 * In the candidates' order of sorts, those of a sort by `weight`. Empty where nothing is suggested, nobody waits for the
 * answer any more, or the events cannot be read without the files.
 */
export async function executionProposals(context: QueryContext): Promise<ExecutionProposal[]> {
  const known = await context.trace.paths.graph();
  // Only the kernel's trace tells where the time of an execution went.
  if (known.hosts.length === 0) return [];
  const { candidates = [] } = (await context.layers?.find('execution')) ?? {};
  const definitions = candidates.flat();
  const marks = definitions.length === 0 ? undefined : await readMarks(context, definitions);
  if (marks === undefined) return [];
  const hosts = markedHosts(marks, known);
  return candidates.flatMap((sort) =>
    sort
      .map((definition) => proposalOf(hosts, definition, marks.indexOf(definition)))
      .filter(({ counts }) => counts.executions >= FEWEST)
      .sort((a, b) => weight(b.counts) - weight(a.counts)),
  );
}

/** @param index of the definition in the settings that the marks were read with */
function proposalOf(
  hosts: readonly MarkedHost[],
  definition: ExecutionDefinition,
  index: number,
): ExecutionProposal {
  const proposed = (acrossThreads: boolean): ExecutionProposal => {
    const definitionHere = { ...definition, acrossThreads };
    const executions = executionsOf(hosts, definitionHere, index);
    return { definition: definitionHere, counts: executions.counts, durations: durationsOf(executions) };
  };
  const inThreads = proposed(false);
  if (definition.key.length === 0) return inThreads;
  const acrossThreads = proposed(true);
  return weight(acrossThreads.counts) > weight(inThreads.counts) ? acrossThreads : inThreads;
}

/** The number of executions, times the share of events that fit: begins and ends that alternate. */
function weight({ executions, withoutBegin, withoutEnd, nested }: ExecutionCounts): number {
  return executions === 0 ? 0 : executions ** 2 / (executions + withoutBegin + withoutEnd + nested);
}

/** ns, ascending; the shortest and the longest are among them. */
function durationsOf({ begin, end }: Executions): Float64Array {
  const all = begin.map((time, i) => end[i] - time).sort();
  if (all.length <= MOST_DURATIONS) return all;
  const last = (all.length - 1) / (MOST_DURATIONS - 1);
  return Float64Array.from({ length: MOST_DURATIONS }, (_, i) => all[Math.round(i * last)]);
}
