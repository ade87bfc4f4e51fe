import { defineConfig, type Plugin, type Rolldown } from 'vite';
import { examples } from './scripts/examples-plugin.mjs';
import { kernels } from './scripts/wasm-plugin.mjs';
import { lessons } from './scripts/lessons-plugin.mjs';
import { licences } from './scripts/licences-plugin.mjs';
import { offline } from './scripts/offline-plugin.mjs';
import { pixi } from './scripts/pixi-plugin.mjs';
import { workerImports } from './scripts/worker-imports-plugin.mjs';

const bundled = licences();

/** Of each form of the page. Relative base, so that the build works under any sub-path. */
export const PAGE = {
  base: './',
  plugins: [kernels(), bundled.page, lessons(), pixi()],
  worker: { plugins: () => [kernels(), workerImports(), bundled.worker] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: { target: 'es2022' },
} as const;

/** The bundler does not tell which plugin took how long. */
export const WITHOUT_TIMINGS = { bundlerTimings: false } as const;

/** The development server puts styles and code of its own into the page. */
const withoutPolicyInDevelopment: Plugin = {
  name: 'without-policy-in-development',
  apply: 'serve',
  transformIndexHtml: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
};

/** Two workers have files of one name, and what is in them is the same. */
const withoutConflicts: Rolldown.WarningHandlerWithDefault = (warning, warn) => {
  if (warning.code !== 'FILE_NAME_CONFLICT') warn(warning);
};

/** A worker has one script, which can be kept, and beside it what it loads later. */
const groups: Rolldown.CodeSplittingGroup[] = [{ name: 'entry', tags: ['$initial'] }];

/** The page. */
export default defineConfig({
  ...PAGE,
  plugins: [withoutPolicyInDevelopment, ...PAGE.plugins, examples(), offline()],
  worker: { ...PAGE.worker, format: 'es', rolldownOptions: { output: { codeSplitting: { groups } } } },
  build: {
    ...PAGE.build,
    outDir: 'dist',
    assetsInlineLimit: 0,
    sourcemap: true,
    rolldownOptions: {
      input: ['index.html', 'download.html', 'offline.html'],
      onwarn: withoutConflicts,
      checks: WITHOUT_TIMINGS,
    },
  },
});
