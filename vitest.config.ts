import { defineConfig } from 'vitest/config';

export default defineConfig({
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    setupFiles: [
      'test/support/breathe.ts',
      'test/support/property-seed.ts',
      'test/support/array-buffer-transfer.ts',
    ],
    pool: 'forks',
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
