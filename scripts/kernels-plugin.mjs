/**
 * Vite plugin: `import bytes from 'kernel:NAME'` gives the WebAssembly compiled from `src/kernels/NAME` (AssemblyScript)
 * as base64 text, so that workers and the command line have it at hand without a request. What was compiled is kept in
 * `build/kernels`, by the digest of its sources.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const KERNELS = fileURLToPath(new URL('../src/kernels', import.meta.url));
const COMPILED = fileURLToPath(new URL('../build/kernels', import.meta.url));
const PREFIX = 'kernel:';
const COMPILER = createRequire(import.meta.url)('assemblyscript/package.json').version;
// Columns are addressed without checks (`memory.ts`); a trap instead of a message spares the imports for it.
const FLAGS = ['-O3', '--noAssert', '--runtime', 'minimal', '--use', 'abort='];

/** @returns {import('vite').Plugin} */
export function kernels() {
  return {
    name: 'wakepath-kernels',
    // Before anybody waits for one: a test's worker waits for a minute only.
    configResolved: async () => {
      for (const { name } of await entries()) await compiledKernel(name);
    },
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    async load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return undefined;
      const { wasm, sources } = await compiledKernel(id.slice(PREFIX.length + 1));
      for (const file of sources.keys()) this.addWatchFile(file);
      return `export default ${JSON.stringify(wasm.toString('base64'))};`;
    },
  };
}

async function entries() {
  const found = await readdir(KERNELS, { withFileTypes: true });
  return found.filter((entry) => entry.isDirectory());
}

async function compiledKernel(name) {
  const sources = await sourcesOf(name);
  const digest = createHash('sha256').update(JSON.stringify([COMPILER, FLAGS, ...sources.values()]));
  const file = join(COMPILED, `${name}-${digest.digest('hex').slice(0, 16)}.wasm`);
  if (!existsSync(file)) await keep(file, await compile(name, sources));
  return { wasm: await readFile(file), sources };
}

/** Path → text; options of its own stand in `asconfig.json`. */
async function sourcesOf(name) {
  const folder = join(KERNELS, name);
  const files = (await readdir(folder))
    .filter((file) => file.endsWith('.ts') || file === 'asconfig.json')
    .sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return new Map(files.map((file, i) => [join(folder, file), texts[i]]));
}

/** Throws with the compiler's message when the sources are wrong. */
async function compile(name, sources) {
  // Large: loaded only when there is something to compile.
  const { default: asc } = await import('assemblyscript/asc');
  const folder = join(KERNELS, name);
  let wasm;
  const args = ['index.ts', '--baseDir', folder, '--outFile', 'out.wasm', ...FLAGS];
  const { error, stderr } = await asc.main(args, {
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
