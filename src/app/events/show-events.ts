/** How other parts of the page show events. */
import type { App } from '../context/app-context.ts';

export const EVENTS_TAB = 'events';
/** The filter of the tab, as a choice of the page's link. */
export const EVENTS_FILTER = 'events.filter';
/** The time of the event that was chosen last (ns), as another one. */
export const EVENTS_AT = 'events.at';

/** @param filter in the language of `engine/events/filter`; '' shows all */
export function showEvents({ choices, drawer }: Pick<App, 'choices' | 'drawer'>, filter: string): void {
  choices.choose(EVENTS_FILTER, filter === '' ? undefined : filter);
  drawer.show(EVENTS_TAB);
}

/** A value as filters take it: any text. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
