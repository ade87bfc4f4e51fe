import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { kernels } from './scripts/wasm-plugin.mjs';
import { DEEP } from './test/support/tier.ts';

export default defineConfig({
  plugins: [kernels()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    globalSetup: 'test/support/build.ts',
    setupFiles: [
      'test/support/yield-between-tests.ts',
      'test/support/property-seed.ts',
      'test/support/array-buffer-transfer.ts',
    ],
    pool: 'forks',
    // vitest leaves a core to itself, which is half of two.
    maxWorkers: availableParallelism(),
    // A worker loads the engine once, not for each file.
    isolate: false,
    server: { deps: { external: [/build\/cli\//] } },
    // Ten times what the longest takes on an idle machine, as others may be busy.
    testTimeout: DEEP ? 300_000 : 120_000,
    hookTimeout: DEEP ? 300_000 : 120_000,
    // Generous, as the time of a test: what is waited for comes; a busy machine only takes longer.
    expect: { poll: { timeout: 60_000 } },
  },
});
