/** Words of the dialog of executions, and needs of a definition of one's own. Pure. */
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import type { ExecutionDefinition } from '../../engine/layers/executions/definition.ts';
import type { ExecutionProposal } from '../../engine/protocol/executions.ts';
import { formatDuration } from '../format/numbers.ts';
import { plural, visibleText } from '../format/text.ts';

/** "wk_req:begin to wk_req:end, key id" */
export function definitionText({
  begin,
  end,
  key,
  acrossThreads,
  where,
  minNs,
}: ExecutionDefinition): string {
  const parts = [
    begin === end ? `from ${begin} to the next one` : `${begin} to ${end}`,
    key.length > 0 && `key ${key.join(', ')}`,
    acrossThreads && 'across threads',
    ...where.map(({ field, value }) => `${field} is ${value}`),
    minNs > 0 && `${formatDuration(minNs)} or longer`,
  ];
  return visibleText(parts.filter(Boolean).join(', '));
}

/** "300 executions, half of them up to 0.738 ms, the longest 18.7 ms; 2 without end" */
export function proposalText({ counts, durations }: Pick<ExecutionProposal, 'counts' | 'durations'>): string {
  const { executions, withoutEnd } = counts;
  const middle = durations[Math.ceil(durations.length / 2) - 1];
  const longest = durations[durations.length - 1];
  return [
    plural(executions, 'execution'),
    durations.length > 0 &&
      `, half of them up to ${formatDuration(middle)}, the longest ${formatDuration(longest)}`,
    withoutEnd > 0 && `; ${withoutEnd} without end`,
  ]
    .filter(Boolean)
    .join('');
}

/** Why there can be no execution of this kind; undefined: there can. */
export function definitionMistake(
  { begin, end, key, acrossThreads }: ExecutionDefinition,
  events: readonly EventShape[],
): string | undefined {
  if (begin === '' || end === '') return 'Name both events.';
  for (const name of [begin, end]) {
    if (!events.some((event) => isLike(event.name, name))) return `No event of this trace is called ${name}.`;
  }
  if (acrossThreads && key.length === 0)
    return 'Across threads a begin finds its end by fields alone: choose one that is the same in both.';
  return undefined;
}

/** @param pattern of which `*` stands for any characters */
function isLike(name: string, pattern: string): boolean {
  const [first, ...others] = pattern.split('*');
  if (others.length === 0) return name === pattern;
  const last = others.pop() ?? '';
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
