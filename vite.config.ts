import { defineConfig } from 'vite';

/** The page. Relative base, so that the build works under any sub-path. */
export default defineConfig({
  base: './',
  worker: { format: 'es' },
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: { target: 'es2022', outDir: 'dist', assetsInlineLimit: 0, sourcemap: true },
});
