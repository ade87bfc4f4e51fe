/** Names of events by a pattern, as tables of data have them. */

/** Whether a name is meant. One `*` stands for any text. */
export function matcherOf(pattern: string): (event: string) => boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return (event) => event === pattern;
  const [before, behind] = [pattern.slice(0, star), pattern.slice(star + 1)];
  const shortest = before.length + behind.length;
  return (event) => event.length >= shortest && event.startsWith(before) && event.endsWith(behind);
}
