import tseslint from 'typescript-eslint';
import { layers } from './scripts/lint/layers.mjs';

const ONLY_CONFIRMED = {
  selector:
    'CallExpression[callee.name="fetch"], NewExpression[callee.name=/^(XMLHttpRequest|WebSocket|EventSource)$/]',
  message: 'Only what the user confirmed is fetched (docs/security.md).',
};
/** The command line writes by `cli/output.ts`, which makes names out of traces safe for a terminal. */
const ONLY_SAFE_OUTPUT = {
  selector: 'CallExpression[callee.object.object.name="process"][callee.property.name="write"]',
  message: 'Names out of traces may hold what a terminal obeys: print() of cli/output.ts.',
};
const NO_SPREADING = {
  selector: 'CallExpression[callee.property.name="push"] > SpreadElement',
  message: 'A long list overflows the stack: append() of engine/base.',
};
const restrictSyntax = (...rules) => ({ 'no-restricted-syntax': ['error', ...rules] });

export default tseslint.config(
  // Kernels are AssemblyScript: its compiler checks them.
  { ignores: ['dist', 'build', 'node_modules', 'public', 'test/fixtures', 'src/wasm/**'] },
  ...tseslint.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-console': 'error',
      eqeqeq: ['error', 'always'],
    },
  },
  {
    files: ['src/cli/output.ts', 'scripts/**', 'bin/**', 'bench/**', 'test/**'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['**/*.test.ts', '**/*.test.tsx'],
    plugins: { wakepath: { rules: { layers } } },
    rules: { 'wakepath/layers': 'error' },
  },
  {
    files: ['src/engine/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['comlink', 'preact', 'pixi.js', '@preact/*'], message: 'The engine knows no page.' },
          ],
        },
      ],
      'no-restricted-globals': ['error', 'window', 'document', 'self'],
    },
  },
  { files: ['src/**/*.{ts,tsx}'], rules: restrictSyntax(ONLY_CONFIRMED, NO_SPREADING) },
  {
    files: ['src/cli/**'],
    ignores: ['src/cli/output.ts'],
    rules: restrictSyntax(ONLY_CONFIRMED, NO_SPREADING, ONLY_SAFE_OUTPUT),
  },
  // Operations of programs are few numbers.
  { files: ['src/engine/ctf/decode/**', '**/*.test.ts'], rules: restrictSyntax(ONLY_CONFIRMED) },
  {
    files: [
      'src/app/start/examples.ts',
      'src/app/lessons/lesson-files.ts',
      'src/workers/fetched-server.ts',
      'src/workers/worker-script.ts',
      'src/workers/service-worker.ts',
      'test/browser/offline.deep.test.ts',
      'test/browser/security.deep.test.ts',
    ],
    rules: restrictSyntax(NO_SPREADING),
  },
);
