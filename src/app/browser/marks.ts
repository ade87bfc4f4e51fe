/** Marks in the browser's performance timeline for the moments of opening a trace; benches read them. */

/** The page has prepared all that it can before a trace is opened. */
export const MARK_READY = 'wakepath:ready';
/** Files or a kept trace were given to be opened. */
const MARK_GIVEN = 'wakepath:given';
/** The first frame that shows data of the trace was drawn. */
export const MARK_PICTURE = 'wakepath:picture';
/** The whole trace is read and stored. */
export const MARK_DONE = 'wakepath:done';

export function markGiven(): void {
  for (const name of [MARK_GIVEN, MARK_PICTURE, MARK_DONE]) performance.clearMarks(name);
  performance.mark(MARK_GIVEN);
}

/** Only the first call after `markGiven` counts. */
export function markOnce(name: string): void {
  if (performance.getEntriesByName(name).length === 0) performance.mark(name);
}
