/** Overlays that the names of events suggest: `request_begin` and `request_end` are a pair. */
import type { EventShape } from '../layers/event-shapes.ts';
import type { OverlayDefinition } from './definition.ts';

/** Words that begin something, with those that end it; the first that exists is taken. */
const PAIRS: Readonly<Record<string, readonly string[]>> = {
  begin: ['end', 'done', 'finish'],
  start: ['stop', 'end', 'done', 'finish', 'complete'],
  entry: ['exit', 'return', 'leave'],
  enter: ['exit', 'return', 'leave'],
  before: ['after'],
  req: ['acq'],
};

const BEGIN_WORD = /(?<![a-z0-9])(begin|start|entry|enter|before|req)(?![a-z0-9])/gi;
/** Events of the tracer about itself. */
const OF_TRACER = /statedump/;
/** Fields whose values belong to one piece of work. */
const IDENTITY = /(^|_)(id|seq|cookie|handle|tag|addr|mutex)$/i;
/** Fields shown with a span. */
const MOST_LABELS = 3;

/** Of user-space events only: what kernel events mean is drawn as states. In order of name. */
export function suggestOverlays(shapes: readonly EventShape[]): OverlayDefinition[] {
  const events = new Map(
    shapes.filter(({ domain }) => domain !== 'kernel').map((shape) => [shape.name, shape]),
  );
  const found: OverlayDefinition[] = [];
  for (const shape of events.values()) {
    const end = OF_TRACER.test(shape.name) ? undefined : endOf(shape.name, events);
    if (end === undefined) continue;
    found.push({
      name: end.common,
      begin: shape.name,
      end: end.shape.name,
      key: shape.fields.filter((field) => IDENTITY.test(field) && end.shape.fields.includes(field)),
      acrossThreads: false,
      label: shape.fields.slice(0, MOST_LABELS),
    });
  }
  return found;
}

/** The event that ends what `name` begins, and what their names have in common. */
function endOf(
  name: string,
  events: ReadonlyMap<string, EventShape>,
): { readonly shape: EventShape; readonly common: string } | undefined {
  // The last word that fits: `start_job_begin` begins `start_job`.
  for (const match of [...name.matchAll(BEGIN_WORD)].reverse()) {
    const before = name.slice(0, match.index);
    const after = name.slice(match.index + match[0].length);
    for (const word of PAIRS[match[0].toLowerCase()]) {
      const shape = events.get(before + word + after);
      if (shape !== undefined) return { shape, common: commonOf(before, after) || name };
    }
  }
  return undefined;
}

function commonOf(before: string, after: string): string {
  const separators = /^[^a-z0-9]+|[^a-z0-9]+$/gi;
  const parts = [before, after].map((part) => part.replace(separators, '')).filter((part) => part !== '');
  return parts.join('_').replace(/^lttng_ust_/, '');
}
