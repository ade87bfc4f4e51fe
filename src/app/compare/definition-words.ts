/** What the dialog of executions says, and what a definition of one's own needs. Pure. */
import type { EventShape, ExecutionDefinition, OverlayInfo } from '../../workers/session-api.ts';
import { formatDuration } from '../format/numbers.ts';
import { visibleText } from '../format/text.ts';
import { choicesOf, factsOf } from '../overlays/overlay-choice.ts';

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

export interface Proposal {
  readonly definition: ExecutionDefinition;
  /** What is known of them: "300 spans, 1.70 ms on average, 18.7 ms at most". */
  readonly facts: string;
}

/** Pairs of events that are shown as overlays, or could be. */
export function proposalsOf(info: Pick<OverlayInfo, 'suggestions' | 'definitions' | 'stats'>): Proposal[] {
  return choicesOf(info).flatMap(({ definition }) => {
    const { begin, end, key, acrossThreads } = definition;
    // One with `*` is several.
    if (begin.includes('*')) return [];
    return {
      definition: { begin, end, key, acrossThreads, where: [], minNs: 0 },
      facts: factsOf(definition, info),
    };
  });
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
