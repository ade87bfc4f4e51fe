import tseslint from 'typescript-eslint';

/**
 * Imports go downward only (ARCHITECTURE.md "Layers"). For each folder: what it may not import, as path patterns.
 * Inside the engine: base ← io ← ctf ← trace ← analysis ← kernel; history and store know no domain.
 */
const engine = (folder, forbidden) => ({
  files: [`src/engine/${folder}/**/*.ts`],
  ignores: ['**/*.test.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: [...forbidden.map((f) => `**/${f}/**`), '**/workers/**', '**/app/**', '**/cli/**'],
            message: `engine/${folder} may not import this (ARCHITECTURE.md, Layers).`,
          },
          { group: ['comlink', 'preact', 'pixi.js', '@preact/*'], message: 'The engine knows no page.' },
        ],
      },
    ],
    'no-restricted-globals': ['error', 'window', 'document', 'self'],
  },
});

const ONLY_CONFIRMED = {
  selector:
    'CallExpression[callee.name="fetch"], NewExpression[callee.name=/^(XMLHttpRequest|WebSocket|EventSource)$/]',
  message: 'Only what the user confirmed is fetched (ARCHITECTURE.md, Security).',
};
const NO_SPREADING = {
  selector: 'CallExpression[callee.property.name="push"] > SpreadElement',
  message: 'A long list overflows the stack: append() of engine/base.',
};
const restrictSyntax = (...rules) => ({ 'no-restricted-syntax': ['error', ...rules] });

export default tseslint.config(
  // Kernels are AssemblyScript: its compiler checks them.
  { ignores: ['dist', 'build', 'node_modules', 'public', 'test/fixtures', 'src/kernels/**'] },
  ...tseslint.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-console': 'error',
      eqeqeq: ['error', 'always'],
    },
  },
  { files: ['src/cli/**', 'scripts/**', 'bin/**', 'bench/**', 'test/**'], rules: { 'no-console': 'off' } },
  engine('base', ['io', 'ctf', 'trace', 'analysis', 'kernel', 'history', 'store', 'export']),
  engine('io', ['ctf', 'trace', 'analysis', 'kernel', 'history', 'store', 'export']),
  engine('ctf', ['trace', 'analysis', 'kernel', 'history', 'store', 'export']),
  engine('archive', ['analysis', 'kernel', 'history', 'store', 'export', 'session']),
  engine('trace', ['archive', 'analysis', 'kernel', 'history', 'store', 'export']),
  engine('analysis', ['kernel', 'store', 'export']),
  engine('history', ['io', 'ctf', 'trace', 'analysis', 'kernel', 'store', 'export']),
  engine('store', ['io', 'ctf', 'trace', 'analysis', 'kernel', 'history', 'export']),
  engine('kernel', ['sync', 'graph', 'store', 'export']),
  engine('density', ['sync', 'graph', 'overlays', 'history', 'store', 'export', 'session']),
  engine('sync', ['history', 'overlays', 'store', 'export', 'graph', 'session']),
  engine('graph', ['io', 'ctf', 'trace', 'sync', 'store', 'export', 'session']),
  { files: ['src/**/*.{ts,tsx}'], rules: restrictSyntax(ONLY_CONFIRMED, NO_SPREADING) },
  // Operations of programs are few numbers.
  { files: ['src/engine/ctf/decode/**', '**/*.test.ts'], rules: restrictSyntax(ONLY_CONFIRMED) },
  {
    files: ['src/app/start/examples.ts', 'src/workers/download.ts'],
    rules: restrictSyntax(NO_SPREADING),
  },
  {
    files: ['src/app/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: [
                '**/engine/analysis/**',
                '**/engine/store/**',
                '**/engine/trace/**',
                '**/engine/ctf/**',
              ],
              message: 'The page asks the session worker; it runs no analysis.',
              allowTypeImports: true,
            },
            { group: ['**/cli/**'], message: 'The page does not import the command line.' },
          ],
        },
      ],
    },
  },
);
