/** Words for priorities of threads. Pure. */

/**
 * @param value as LTTng records it: it counts from the first priority that is not of real time
 * @returns "nice 0", "real-time priority 50"; undefined: no thread has it
 */
export function priorityWords(value: number): string | undefined {
  if (value < -100) return 'deadline';
  if (value < 0) return `real-time priority ${-1 - value}`;
  return value < 40 ? `nice ${value - 20}` : undefined;
}
