import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { kernels } from './scripts/wasm-plugin.mjs';

/** Everything that asks the engine's registry asks that of the benches. */
const withOwnRegistry: Plugin = {
  name: 'with-own-registry',
  enforce: 'pre',
  resolveId(id, importer) {
    const own = fileURLToPath(new URL('bench/registry.ts', import.meta.url));
    return id.endsWith('/registry.ts') && importer !== own ? own : undefined;
  },
};

/** The benches that run under Node, bundled so that no loader of TypeScript is measured. */
export default defineConfig({
  plugins: [withOwnRegistry, kernels()],
  publicDir: false,
  build: {
    target: 'node20',
    outDir: 'build/bench',
    emptyOutDir: true,
    ssr: true,
    minify: false,
    rolldownOptions: {
      input: { node: 'bench/node.ts', 'scaling-worker': 'bench/scaling-worker.ts' },
      // All beside each other: workers are found by their names from whatever file starts them.
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      checks: { bundlerTimings: false },
    },
  },
  ssr: { noExternal: true },
});
