/** Tables of Markdown, their columns as wide as they need to be. */

/** @param lines of cells; the first is the heading */
export function tableOf(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length), 3));
  const format = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [format(lines[0]), rule, ...lines.slice(1).map(format)].join('\n');
}
