/** What a command is to `inspect.ts`. */
import type { Options } from '../options.ts';

/** @returns the exit code */
export type Command = (operands: readonly string[], options: Options) => Promise<number>;

/** JSON for programs goes to stdout alone. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value));
}
