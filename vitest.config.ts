import { defineConfig } from 'vitest/config';
import { kernels } from './scripts/kernels-plugin.mjs';

export default defineConfig({
  plugins: [kernels()],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    setupFiles: ['test/support/breathe.ts', 'test/support/property-seed.ts'],
    pool: 'forks',
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
