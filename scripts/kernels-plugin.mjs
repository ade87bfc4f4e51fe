/**
 * Vite plugin: `import bytes from 'kernel:NAME'` gives the WebAssembly compiled from `src/kernels/NAME` (AssemblyScript)
 * as base64 text, so that workers and the command line have it at hand without a request.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const KERNELS = fileURLToPath(new URL('../src/kernels', import.meta.url));
const PREFIX = 'kernel:';
// Columns are addressed without checks (`memory.ts`); a trap instead of a message spares the imports for it.
const FLAGS = ['-O3', '--noAssert', '--runtime', 'minimal', '--use', 'abort='];

/** @returns {import('vite').Plugin} */
export function kernels() {
  return {
    name: 'wakepath-kernels',
    resolveId: (id) => (id.startsWith(PREFIX) ? `\0${id}` : undefined),
    async load(id) {
      if (!id.startsWith(`\0${PREFIX}`)) return undefined;
      const { wasm, sources } = await compileKernel(id.slice(PREFIX.length + 1));
      for (const file of sources) this.addWatchFile(file);
      return `export default ${JSON.stringify(Buffer.from(wasm).toString('base64'))};`;
    },
  };
}

/** Throws with the compiler's message when the sources are wrong. */
async function compileKernel(name) {
  const sources = new Set();
  let wasm;
  const { error, stderr } = await asc.main(
    ['index.ts', '--baseDir', join(KERNELS, name), '--outFile', 'out.wasm', ...FLAGS],
    {
      async readFile(file, baseDir) {
        const path = join(baseDir, file);
        try {
          const text = await readFile(path, 'utf8');
          sources.add(path);
          return text;
        } catch {
          // The compiler asks for several places.
          return null;
        }
      },
      writeFile: (_file, content) => void (wasm = content),
      listFiles: () => [],
    },
  );
  if (error !== null || wasm === undefined)
    throw new Error(`kernel ${name}: ${error?.message}\n${stderr.toString()}`);
  return { wasm, sources };
}
