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
      output: {
        format: 'es',
        // All beside each other: workers are found by their names from whatever file starts them.
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        // Few files: Node takes half a millisecond for each, however small. Opening needs the first, a decode worker
        // the second, and all that answers the third.
        codeSplitting: {
          groups: [
            { name: 'open', test: /src.cli.(experiment|commands.info)\.ts/, priority: 3 },
            { name: 'maps', test: /src.(engine.maps|workers.decode-service)\.ts/, priority: 2 },
            { name: 'session', test: /src.cli.trace-session\.ts/, priority: 1 },
          ],
        },
      },
      checks: { bundlerTimings: false },
    },
  },
  ssr: { noExternal: true },
});
