import { defineConfig } from 'vite';
import { kernels } from '../../scripts/wasm-plugin.mjs';

/** The fuzzer and its thread, for Node. */
export default defineConfig({
  plugins: [kernels()],
  publicDir: false,
  build: {
    target: 'node20',
    outDir: 'build/fuzz',
    emptyOutDir: true,
    ssr: true,
    minify: false,
    rolldownOptions: {
      input: { main: 'test/fuzz/main.ts', 'check-worker': 'test/fuzz/check-worker.ts' },
      // All beside each other: workers are found by their names from whatever file starts them.
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      checks: { bundlerTimings: false },
    },
  },
  ssr: { noExternal: true },
});
