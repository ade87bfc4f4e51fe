/**
 * What a user-space overlay is: two events that delimit work of a program, drawn as rows over the kernel's states
 * (seed 002 Figure 5.10). A definition is plain data: it is stored, and part of the id of the analysis that reads it.
 */

export interface OverlayDefinition {
  readonly name: string;
  /** Name of the event that begins a span. One `*` stands for any text. */
  readonly begin: string;
  /** Name of the event that ends it; a `*` stands for the same text as in `begin`. */
  readonly end: string;
  /** Fields, of payload or context, that have the same values in both events of a pair. */
  readonly key: readonly string[];
  /** A span may end in another thread than it began in. */
  readonly acrossThreads: boolean;
  /** Fields of the begin event that are shown with a span. */
  readonly label: readonly string[];
}

/** More are not read. */
export const MOST_OVERLAYS = 64;
/** Of one definition, key and label together. */
export const MOST_FIELDS = 8;

/**
 * The definitions for events of these names: a definition with `*` becomes one for each text that both its events
 * exist with. Those without events of both names are left out, as is what goes beyond the limits.
 */
export function resolveOverlays(
  definitions: readonly OverlayDefinition[],
  events: ReadonlySet<string>,
): OverlayDefinition[] {
  return definitions
    .flatMap((definition) => expand(definition, events))
    .filter(({ begin, end }) => events.has(begin) && events.has(end))
    .slice(0, MOST_OVERLAYS)
    .map((definition) => {
      const key = definition.key.slice(0, MOST_FIELDS);
      return { ...definition, key, label: definition.label.slice(0, MOST_FIELDS - key.length) };
    });
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
      // A function: `$` in the name of an event means nothing.
      return { ...definition, name: `${name} ${text}`, begin: event, end: end.replace('*', () => text) };
    });
}
