/**
 * Vite plugin: `import bytes from 'wasm:NAME'` gives the WebAssembly compiled from `src/wasm/NAME` (AssemblyScript)
 * as base64 text, so that workers and the command line have it at hand without a request. What was compiled is kept in
 * `build/wasm`, by the digest of its sources and of what it imports of the engine (`wasm-layout.mjs`).
 * `import bytes from 'wasm:PACKAGE/FILE'` gives that file of a package in the same way.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineModules } from './wasm-layout.mjs';

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));
const KERNELS = join(SOURCES, 'wasm');
const COMPILED = fileURLToPath(new URL('../build/wasm', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../node_modules', import.meta.url));
const PREFIX = '\0wasm:';
const COMPILER = createRequire(import.meta.url)('assemblyscript/package.json').version;
// Columns are addressed without checks (`memory.ts`); a trap instead of a message spares the imports for it.
const FLAGS = ['-O3', '--noAssert', '--runtime', 'minimal', '--use', 'abort='];

/** @returns {import('vite').Plugin} */
export function kernels() {
  return {
    name: 'wakepath-kernels',
    // Vite itself loads what ends in ".wasm" otherwise.
    enforce: 'pre',
    // Before anybody waits for one: a test's worker waits for a minute only.
    configResolved: async () => {
      for (const { name } of await entries()) await compiledKernel(name);
    },
    resolveId: { filter: { id: /^wasm:/ }, handler: (id) => `\0${id}` },
    load: {
      filter: { id: /^\0wasm:/ },
      async handler(id) {
        const name = id.slice(PREFIX.length);
        const { wasm, files } = name.includes('/') ? await packagedFile(name) : await compiledKernel(name);
        for (const file of files) this.addWatchFile(file);
        return { code: `export default ${JSON.stringify(wasm.toString('base64'))};`, moduleType: 'js' };
      },
    },
  };
}

/** @param {string} path below the folder of packages */
async function packagedFile(path) {
  return { wasm: await readFile(join(PACKAGES, path)), files: [] };
}

async function entries() {
  const found = await readdir(KERNELS, { withFileTypes: true });
  return found.filter((entry) => entry.isDirectory());
}

async function compiledKernel(name) {
  const { sources, files } = await kernelSources(name);
  const digest = createHash('sha256').update(JSON.stringify([COMPILER, FLAGS, ...sources.values()]));
  const file = join(COMPILED, `${name}-${digest.digest('hex').slice(0, 16)}.wasm`);
  if (!existsSync(file)) await keep(file, await compileKernel(name, sources));
  return { wasm: await readFile(file), files };
}

/**
 * What a kernel is compiled of: texts by path below `src`, and the files that they come from.
 * @param {string} name
 * @param {Parameters<typeof engineModules>[1]} [seen]
 */
export async function kernelSources(name, seen) {
  const own = await sourcesOf(name);
  const { modules, files } = await engineModules(own, seen);
  const sources = new Map([...own].map(([path, text]) => [relative(SOURCES, path), text]));
  for (const [path, text] of modules) sources.set(`${path}.ts`, text);
  return { sources, files: [...own.keys(), ...files] };
}

/** Absolute path → text: the kernel's own files, and those beside the folders, which kernels share. */
async function sourcesOf(name) {
  const paths = [...(await sourcesIn(KERNELS)), ...(await sourcesIn(join(KERNELS, name)))];
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')));
  return new Map(paths.map((path, i) => [path, texts[i]]));
}

/** A kernel's own options stand in `asconfig.json`. */
async function sourcesIn(folder) {
  const files = await readdir(folder);
  return files
    .filter((file) => file.endsWith('.ts') || file === 'asconfig.json')
    .sort()
    .map((file) => join(folder, file));
}

/**
 * @param {string} name
 * @param {ReadonlyMap<string, string>} sources texts by path below `src`
 * @throws with the compiler's message when the sources are wrong
 */
export async function compileKernel(name, sources) {
  // Large: loaded only when there is something to compile.
  const { default: asc } = await import('assemblyscript/asc');
  const folder = `wasm/${name}`;
  let wasm;
  const args = [`${folder}/index.ts`, '--baseDir', '.', '--config', `${folder}/asconfig.json`];
  const { error, stderr } = await asc.main([...args, '--outFile', 'out.wasm', ...FLAGS], {
    // It asks for several places, and takes null for "not there".
    readFile: (file, baseDir) => sources.get(join(baseDir, file)) ?? null,
    writeFile: (_file, content) => void (wasm = content),
    listFiles: () => [],
  });
  if (error !== null || wasm === undefined)
    throw new Error(`kernel ${name}: ${error?.message}\n${stderr.toString()}`);
  return wasm;
}

/** Whole or not at all: several builds may do it at once. */
async function keep(file, wasm) {
  await mkdir(COMPILED, { recursive: true });
  const temporary = `${file}.${process.pid}`;
  await writeFile(temporary, wasm);
  await rename(temporary, file);
}
