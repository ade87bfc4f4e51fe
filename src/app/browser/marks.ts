/** Moments of opening a trace, as marks in the performance timeline of the browser, which benches read. */

/** Moment at which the page has prepared all that it can for a trace. */
export const MARK_READY = 'wakepath:ready';
/** Moment at which it is known what is to be opened: files, or a kept trace. */
const MARK_GIVEN = 'wakepath:given';
/** The first frame that shows data of it. */
export const MARK_PICTURE = 'wakepath:picture';
/** All of it is read and stored. */
export const MARK_DONE = 'wakepath:done';

export function markGiven(): void {
  for (const name of [MARK_GIVEN, MARK_PICTURE, MARK_DONE]) performance.clearMarks(name);
  performance.mark(MARK_GIVEN);
}

/** Only the first call after `markGiven` counts. */
export function markOnce(name: string): void {
  if (performance.getEntriesByName(name).length === 0) performance.mark(name);
}
