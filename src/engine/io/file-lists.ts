/** Combines lists of files that were opened separately. */
import type { SourceRef } from './byte-source.ts';

/**
 * All files of both lists. Roots are the names of what the user chose, often a folder `kernel`: a root of `more` that
 * `files` has already gets a number, so that two traces do not become one.
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

/** '': a file outside of any folder. */
function rootOf(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf('/')));
}
