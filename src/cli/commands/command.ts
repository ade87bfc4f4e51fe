/** What a command is to `inspect.ts`. */
import { visibleCharacters } from '../../engine/base/visible-text.ts';
import type { Options } from '../options.ts';

/** @returns the exit code */
export type Command = (operands: readonly string[], options: Options) => Promise<number>;

/** JSON for programs goes to stdout alone. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value));
}

/** Prints a line with names out of traces in it: what a terminal would obey is shown, and its length is capped. */
export function printNamed(line: string): void {
  const most = 4096;
  console.log(visibleCharacters(line.length > most ? `${line.slice(0, most)}…` : line));
}
