/** Text form of a tree for other flame graph tools: "root;child;leaf 123", a line for each frame with time of its own. */

/** @param parent by frame, -1 a root; parents come before children @param value of each frame with those below it */
export function foldedStacks(
  parent: ArrayLike<number>,
  value: ArrayLike<number>,
  textOf: (frame: number) => string,
): string[] {
  const own = Float64Array.from(value);
  for (let i = 0; i < own.length; i++) if (parent[i] >= 0) own[parent[i]] -= value[i];
  const stacks: string[] = [];
  const lines: string[] = [];
  for (let i = 0; i < own.length; i++) {
    // Semicolons and line ends separate.
    const text = textOf(i).replace(/[;\r\n]/g, '_');
    stacks.push(parent[i] < 0 ? text : `${stacks[parent[i]]};${text}`);
    if (own[i] > 0) lines.push(`${stacks[i]} ${Math.round(own[i])}`);
  }
  return lines;
}
