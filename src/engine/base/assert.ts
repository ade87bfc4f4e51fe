/** Throws if `condition` is false: a fault of the program, not of the input. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}
