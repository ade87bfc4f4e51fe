/** Texts of the dialog of executions, and the check of a definition that the reader made. Pure. */
import { matcherOf } from '../../engine/base/glob.ts';
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import type { ExecutionDefinition } from '../../engine/layers/executions/definition.ts';
import type { ExecutionProposal } from '../../engine/protocol/executions.ts';
import { formatDuration } from '../format/numbers.ts';
import { joined, plural, visibleText } from '../format/text.ts';

/** "wk_req:begin to wk_req:end, key id" */
export function definitionText(definition: ExecutionDefinition): string {
  const { begin, end, key, acrossThreads, where, minNs } = definition;
  const parts = [
    begin === end ? `from ${begin} to the next one` : `${begin} to ${end}`,
    key.length > 0 && `key ${key.join(', ')}`,
    acrossThreads && 'across threads',
    ...where.map(({ field, value }) => `${field} is ${value}`),
    minNs > 0 && `${formatDuration(minNs)} or longer`,
  ];
  return visibleText(joined(parts));
}

/** "300 executions, half of them up to 0.738 ms, the longest 18.7 ms; 2 without end" */
export function proposalText({ counts, durations }: Pick<ExecutionProposal, 'counts' | 'durations'>): string {
  const { executions, withoutEnd } = counts;
  const middle = durations[Math.ceil(durations.length / 2) - 1];
  const longest = durations[durations.length - 1];
  const spread = `, half of them up to ${formatDuration(middle)}, the longest ${formatDuration(longest)}`;
  const parts = [durations.length > 0 && spread, withoutEnd > 0 && `; ${withoutEnd} without end`];
  return plural(executions, 'execution') + joined(parts, '');
}

/** Reason why there can be no execution of this kind; undefined: there can. */
export function definitionMistake(
  { begin, end, key, acrossThreads }: ExecutionDefinition,
  events: readonly EventShape[],
): string | undefined {
  if (begin === '' || end === '') return 'Name both events.';
  for (const name of [begin, end]) {
    const isMeant = matcherOf(name);
    if (!events.some((event) => isMeant(event.name))) return `No event of this trace is called ${name}.`;
  }
  if (acrossThreads && key.length === 0)
    return 'Across threads a begin finds its end by fields alone: choose one that is the same in both.';
  return undefined;
}
