import { defineConfig } from 'vite';
import { lessons } from './scripts/lessons-plugin.mjs';
import { licences } from './scripts/licences-plugin.mjs';
import { addressOfScript, singleFile } from './scripts/single-file-plugin.mjs';
import { kernels } from './scripts/wasm-plugin.mjs';

const bundled = licences();
const inOneScript = { output: { inlineDynamicImports: true } };

/**
 * The page as one file that opens from a disk, for closed networks; `IS_SINGLE_FILE` in the page. Without examples, lessons and
 * traces from an address, which lie on a server.
 */
export default defineConfig({
  mode: 'single',
  base: './',
  plugins: [kernels(), bundled.page, lessons(), singleFile()],
  worker: { format: 'iife', plugins: () => [kernels(), bundled.worker], rollupOptions: inOneScript },
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  experimental: {
    renderBuiltUrl: (name, { hostType }) =>
      hostType === 'js' ? { runtime: addressOfScript(name) } : undefined,
  },
  build: {
    target: 'es2022',
    outDir: 'build/single',
    copyPublicDir: false,
    cssCodeSplit: false,
    modulePreload: false,
    rollupOptions: { ...inOneScript, input: 'index.html' },
  },
});
