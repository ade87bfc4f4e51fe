import { defineConfig, type Plugin } from 'vite';
import { kernels } from './scripts/kernels-plugin.mjs';

/** The development server puts styles and code of its own into the page. */
const withoutPolicyInDevelopment: Plugin = {
  name: 'without-policy-in-development',
  apply: 'serve',
  transformIndexHtml: (html) => html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ''),
};

/** The page. Relative base, so that the build works under any sub-path. */
export default defineConfig({
  base: './',
  plugins: [withoutPolicyInDevelopment, kernels()],
  worker: { format: 'es', plugins: () => [kernels()] },
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    outDir: 'dist',
    assetsInlineLimit: 0,
    sourcemap: true,
    rollupOptions: { input: ['index.html', 'download.html'] },
  },
});
