/** Name of a trace, apart from how its results are kept (`trace-key.ts`). */

/** Characters of a key's part that distinguishes formats and analyses. */
export const VERSION_LENGTH = 16;

/** The part of a key that is of the files alone: links and notes name a trace by it, whichever version made them. */
export function fingerprintOf(key: string): string {
  return key.slice(0, -VERSION_LENGTH - 1);
}
