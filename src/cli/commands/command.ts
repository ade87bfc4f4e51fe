/** A command of `inspect`. */
import type { Options } from '../options.ts';

/** Runs with operands and options; resolves to the exit code. */
export type Command = (operands: readonly string[], options: Options) => Promise<number>;
