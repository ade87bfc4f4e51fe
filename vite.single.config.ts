import { defineConfig } from 'vite';
import { addressOfScript, singleFile } from './scripts/single-file-plugin.mjs';
import { PAGE, WITHOUT_TIMINGS } from './vite.config.ts';

const inOneScript = { output: { codeSplitting: false } } as const;

/**
 * The page as one file that opens from a disk, for closed networks; `IS_SINGLE_FILE` in the page. Without examples, lessons and
 * traces from an address, which lie on a server.
 */
export default defineConfig({
  mode: 'single',
  ...PAGE,
  plugins: [...PAGE.plugins, singleFile()],
  worker: { ...PAGE.worker, format: 'iife', rolldownOptions: inOneScript },
  experimental: {
    renderBuiltUrl: (name, { hostType }) =>
      hostType === 'js' ? { runtime: addressOfScript(name) } : undefined,
  },
  build: {
    ...PAGE.build,
    outDir: 'build/single',
    copyPublicDir: false,
    cssCodeSplit: false,
    modulePreload: false,
    rolldownOptions: { ...inOneScript, input: 'index.html', checks: WITHOUT_TIMINGS },
  },
});
