/** Overlays: two events that delimit work of a program (Giraldeau 2015, Figure 5.10). Plain data, in the analysis's id. */

export interface OverlayDefinition {
  readonly name: string;
  /** Name of the event that begins a span. One `*` stands for any text. */
  readonly begin: string;
  /** Name of the event that ends it; a `*` stands for the same text as in `begin`. */
  readonly end: string;
  /** Fields of payload or context that have the same values in both events of a pair. */
  readonly key: readonly string[];
  /** Whether a span may end in another thread than it began in. */
  readonly acrossThreads: boolean;
  /** Fields of the begin event that are shown with a span. */
  readonly label: readonly string[];
}

/** Most overlays that are read. @internal */
export const MOST_OVERLAYS = 64;
/** Most fields of one definition, key and label together. @internal */
export const MOST_FIELDS = 8;
/** Most fields of one event: each is requested as integer and text besides three of the thread, and a row has 32 bits. */
const MOST_FIELDS_OF_EVENT = 14;

/**
 * Resolves definitions for events of these names: one with `*` becomes a definition for each text with which both its
 * events exist. Definitions without events of both names are left out, as is what exceeds the limits: labels before
 * keys, without which events of different work would be paired.
 */
export function resolveOverlays(
  definitions: readonly OverlayDefinition[],
  events: ReadonlySet<string>,
): OverlayDefinition[] {
  const fits = fieldRoom();
  return definitions
    .flatMap((definition) => expand(definition, events))
    .filter(({ begin, end }) => events.has(begin) && events.has(end))
    .slice(0, MOST_OVERLAYS)
    .map((definition) => {
      const { key, begin, end } = definition;
      return { ...definition, key: key.slice(0, MOST_FIELDS).filter((field) => fits(field, begin, end)) };
    })
    .map((definition) => {
      const { key, label, begin } = definition;
      const rest = label.slice(0, MOST_FIELDS - key.length);
      return { ...definition, label: rest.filter((field) => fits(field, begin)) };
    });
}

/** Takes a field of some events, each once, and tells whether there is room for it in all of them. */
function fieldRoom(): (field: string, ...events: readonly string[]) => boolean {
  const taken = new Map<string, Set<string>>();
  return (field, ...events) => {
    const fields = events.map((event) => taken.get(event) ?? new Set<string>());
    const fits = fields.every((known) => known.has(field) || known.size < MOST_FIELDS_OF_EVENT);
    if (!fits) return false;
    for (const [i, known] of fields.entries()) taken.set(events[i], known.add(field));
    return true;
  };
}

function expand(definition: OverlayDefinition, events: ReadonlySet<string>): OverlayDefinition[] {
  const { name, begin, end } = definition;
  const star = begin.indexOf('*');
  if (star < 0) return [definition];
  const before = begin.slice(0, star);
  const after = begin.slice(star + 1);
  return [...events]
    .filter((event) => {
      return event.length >= begin.length - 1 && event.startsWith(before) && event.endsWith(after);
    })
    .sort()
    .map((event) => {
      const text = event.slice(before.length, event.length - after.length);
      // A function, as `$` in an event's name has no meaning.
      return { ...definition, name: `${name} ${text}`, begin: event, end: end.replace('*', () => text) };
    });
}
