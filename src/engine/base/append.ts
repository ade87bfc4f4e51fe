/**
 * Adds items to a list. `list.push(...items)` puts every item on the stack, which overflows with some 100,000: files of
 * an archive, threads of a trace.
 */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
