import { defineConfig } from 'vite';

/** The command line tool and its worker, for Node. */
export default defineConfig({
  publicDir: false,
  build: {
    target: 'node20',
    outDir: 'build/cli',
    emptyOutDir: true,
    ssr: true,
    minify: false,
    rollupOptions: {
      input: { inspect: 'src/cli/inspect.ts', 'decode-worker': 'src/cli/decode-worker.ts' },
      output: { format: 'es', entryFileNames: '[name].js' },
    },
  },
  ssr: { noExternal: true },
});
