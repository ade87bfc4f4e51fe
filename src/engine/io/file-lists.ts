/** Lists of files that were opened apart and are read together. */
import type { SourceRef } from './byte-source.ts';

/**
 * All of them. Roots are what the user chose, by name alone, and most recordings lie in a folder `kernel`: one of `more`
 * whose name `files` have already gets a number, lest two traces become one.
 */
export function withMore(files: readonly SourceRef[], more: readonly SourceRef[]): SourceRef[] {
  const taken = new Set(files.map(({ path }) => rootOf(path)));
  const named = new Map<string, string>();
  for (const root of new Set(more.map(({ path }) => rootOf(path)))) {
    let name = root;
    for (let count = 2; taken.has(name); count++) name = `${root}#${count}`;
    taken.add(name);
    named.set(root, name);
  }
  const renamed = more.map((file) => {
    const root = rootOf(file.path);
    const name = named.get(root) ?? root;
    return name === root
      ? file
      : { ...file, path: `${name}/${file.path.slice(root === '' ? 0 : root.length + 1)}` };
  });
  return [...files, ...renamed];
}

/** '': a file that was given without a folder. */
function rootOf(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf('/')));
}
