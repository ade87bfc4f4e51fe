/**
 * All that the command line writes. Names out of traces may hold what a terminal obeys, or be of any length: every line
 * is made safe here, and ESLint refuses other ways to write.
 */
import { cutText, escapedCharacters, visibleCharacters } from '../engine/base/visible-text.ts';

/** UTF-16 code units. */
const LONGEST_LINE = 4096;

/**
 * Prints a line to stdout.
 * @param most UTF-16 code units; the rest is cut
 */
export function print(line = '', most = LONGEST_LINE): void {
  console.log(safeLine(line, most));
}

/** Prints a line to stderr. */
export function printError(line: string): void {
  console.error(safeLine(line, LONGEST_LINE));
}

/** JSON for programs goes to stdout alone. Escapes change no value of it. */
export function printJson(value: unknown): void {
  console.log(escapedCharacters(JSON.stringify(value)));
}

/** Writes canonical text, which is printable ASCII, to stdout; waits where the reader of a pipe is slow. */
export function writeCanonical(text: string): Promise<void> | void {
  if (process.stdout.write(text)) return;
  return new Promise((resolve) => process.stdout.once('drain', resolve));
}

/** Writes over the last line of stderr, which has to be a terminal. */
export function rewriteLine(line: string): void {
  process.stderr.write(`\r${safeLine(line, LONGEST_LINE)}\x1b[K`);
}

function safeLine(line: string, most: number): string {
  return visibleCharacters(cutText(line, most));
}
