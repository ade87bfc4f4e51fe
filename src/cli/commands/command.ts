/** What a command is to `inspect.ts`. */
import type { Options } from '../options.ts';

/** @returns the exit code */
export type Command = (operands: readonly string[], options: Options) => Promise<number>;
