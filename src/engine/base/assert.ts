/** Faults of ours, not of the input: these throw. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${String(value)}`);
}
