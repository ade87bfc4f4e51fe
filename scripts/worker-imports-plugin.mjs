/**
 * Vite plugin of workers: before `import()` loads a file, those that it imports are loaded by `import()` too. Firefox checks
 * what a static import fetches by `worker-src`, which allows no files (docs/security.md), and not what is there already.
 */

/** As Rolldown writes them, of files beside each other. */
const IMPORT = /\bimport\((["'`])\.\/([^"'`]+)\1\)/g;

/** @returns {import('vite').Plugin} */
export function workerImports() {
  return {
    name: 'wakepath-worker-imports',
    apply: 'build',
    generateBundle(_, bundle) {
      const chunks = new Map();
      for (const file of Object.values(bundle))
        if (file.type === 'chunk') chunks.set(basename(file.fileName), file);
      for (const chunk of chunks.values()) {
        const there = new Set(before(chunk, chunks));
        chunk.code = chunk.code.replace(IMPORT, (found, _quote, name) => {
          const target = chunks.get(name);
          const needed = target === undefined ? [] : before(target, chunks);
          const files = needed.filter((file) => file !== target && !there.has(file) && !file.isEntry);
          if (files.length === 0) return found;
          const names = files.map(({ fileName }) => `./${basename(fileName)}`);
          return `${JSON.stringify(names)}.reduce((last,file)=>last.then(()=>import(file)),Promise.resolve()).then(()=>${found})`;
        });
      }
    },
  };
}

/** A file and all that it imports, each after what it imports itself. */
function before(chunk, chunks, found = new Set()) {
  const ordered = [];
  if (found.has(chunk)) return ordered;
  found.add(chunk);
  for (const name of chunk.imports) {
    const imported = chunks.get(basename(name));
    if (imported !== undefined) ordered.push(...before(imported, chunks, found));
  }
  return [...ordered, chunk];
}

function basename(path) {
  return path.slice(path.lastIndexOf('/') + 1);
}
