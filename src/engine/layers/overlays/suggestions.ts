/** Overlays that the names of events suggest. */
import { eventPairs } from '../contract/event-pairs.ts';
import type { EventShape } from '../contract/event-shapes.ts';
import type { OverlayDefinition } from './definition.ts';

/** Fields shown with a span. */
const MOST_LABELS = 3;

/** Suggestions in order of name. */
export function suggestOverlays(shapes: readonly EventShape[]): OverlayDefinition[] {
  return eventPairs(shapes).map(({ begin, end, common, key }) => ({
    name: common,
    begin: begin.name,
    end: end.name,
    key,
    acrossThreads: false,
    label: begin.fields.slice(0, MOST_LABELS),
  }));
}
