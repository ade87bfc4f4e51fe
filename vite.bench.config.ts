import { defineConfig } from 'vite';
import { kernels } from './scripts/kernels-plugin.mjs';

/** The benches that run under Node, bundled so that no loader of TypeScript is measured. */
export default defineConfig({
  plugins: [kernels()],
  publicDir: false,
  build: {
    target: 'node20',
    outDir: 'build/bench',
    emptyOutDir: true,
    ssr: true,
    minify: false,
    rollupOptions: {
      input: { node: 'bench/node.ts' },
      output: { format: 'es', entryFileNames: '[name].js' },
    },
  },
  ssr: { noExternal: true },
});
