/** Texts of the dialog of overlays, and the check of a pair that the user names. Pure. */
import { resolveOverlays, type OverlayDefinition } from '../../engine/layers/overlays/definition.ts';
import type { EventShape } from '../../engine/layers/contract/event-shapes.ts';
import type { OverlayInfo } from '../../engine/layers/overlays/layer.ts';
import { formatDuration } from '../format/numbers.ts';
import { plural } from '../format/text.ts';

/** Reason why a pair can have no spans; undefined: it can. */
export function mistakeOf(definition: OverlayDefinition, events: readonly EventShape[]): string | undefined {
  const { begin, end } = definition;
  const names = new Set(events.map(({ name }) => name));
  if (begin === '' || end === '') return 'Name both events.';
  if (!begin.includes('*') && !names.has(begin)) return `No event of this trace is called ${begin}.`;
  if (end.includes('*') && !begin.includes('*'))
    return 'A * in the second name stands for the same text as the * in the first one.';
  if (!end.includes('*') && !names.has(end)) return `No event of this trace is called ${end}.`;
  if (resolveOverlays([definition], names).length === 0) return 'This trace has no such pair of events.';
  return undefined;
}

/** Payload fields of the begin event (`all`), and those that the end event has too (`common`). */
export function fieldsOf(
  events: readonly EventShape[],
  begin: string,
  end: string,
): { readonly common: readonly string[]; readonly all: readonly string[] } {
  const fields = (name: string) => events.find((event) => event.name === name)?.fields ?? [];
  const all = fields(begin);
  return { all, common: all.filter((field) => fields(end).includes(field)) };
}

/** "300 spans, 1.70 ms on average, 18.7 ms at most"; of what was not read the number of events. */
export function factsOf(
  { name, begin }: OverlayDefinition,
  { stats, suggestions }: Pick<OverlayInfo, 'stats' | 'suggestions'>,
): string {
  // A name with `*` stands for several events.
  const isSeveral = begin.includes('*');
  const own = stats.filter((stat) => (isSeveral ? stat.name.startsWith(`${name} `) : stat.name === name));
  const spans = own.reduce((sum, stat) => sum + stat.spans, 0);
  if (own.length === 0) {
    const events = suggestions.find(({ definition }) => definition.name === name)?.events ?? 0;
    return events > 0 ? plural(events, 'event') : '';
  }
  const total = own.reduce((sum, stat) => sum + stat.totalNs, 0);
  const longest = Math.max(...own.map((stat) => stat.maxNs));
  const open = own.reduce((sum, stat) => sum + stat.withoutEnd, 0);
  return [
    plural(spans, 'span'),
    spans === 0 ? '' : `${formatDuration(total / spans)} on average`,
    spans === 0 ? '' : `${formatDuration(longest)} at most`,
    open === 0 ? '' : `${open} without end`,
  ]
    .filter(Boolean)
    .join(', ');
}
