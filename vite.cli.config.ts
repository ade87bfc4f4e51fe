import { defineConfig } from 'vite';
import { kernels } from './scripts/wasm-plugin.mjs';

/** The command line tool and its worker, for Node. */
export default defineConfig({
  plugins: [kernels()],
  publicDir: false,
  build: {
    target: 'node20',
    outDir: 'build/cli',
    emptyOutDir: true,
    ssr: true,
    minify: false,
    rolldownOptions: {
      input: {
        inspect: 'src/cli/inspect.ts',
        // Its own file, so that tests run commands in their process.
        run: 'src/cli/run.ts',
        'decode-worker': 'src/cli/decode-worker.ts',
      },
      // All beside each other: workers are found by their names from whatever file starts them.
      output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      checks: { bundlerTimings: false },
    },
  },
  ssr: { noExternal: true },
});
