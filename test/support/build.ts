/** Before any test: builds the page for tests of it, and the command line for tests of that, when a source is newer. */
import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { projectDir } from './shared.ts';

const SHARED_SOURCES = ['src', 'scripts', 'package-lock.json'];

const BUILDS = [
  {
    tests: '/test/browser/',
    result: 'dist/index.html',
    config: 'vite.config.ts',
    sources: [
      ...SHARED_SOURCES,
      'recording/events.sh',
      'public',
      'index.html',
      'download.html',
      'offline.html',
    ],
  },
  { tests: '/test/cli/', result: 'build/cli/run.js', config: 'vite.cli.config.ts', sources: SHARED_SOURCES },
];

export default async function build(project: TestProject): Promise<void> {
  const { testFiles } = await project.globTestFiles(chosenFiles(process.argv.slice(3)));
  const root = projectDir();
  for (const { tests, result, config, sources } of BUILDS) {
    if (!testFiles.some((file) => file.includes(tests))) continue;
    const newestSource = Math.max(...[...sources, config].map((source) => newest(join(root, source))));
    if (newest(join(root, result)) >= newestSource) continue;
    const vite = [
      join(root, 'node_modules/vite/bin/vite.js'),
      'build',
      '--config',
      config,
      '--logLevel',
      'warn',
    ];
    // As it is published: the tests' own environment is another.
    const env = { ...process.env, NODE_ENV: 'production' };
    await promisify(execFile)(process.execPath, vite, { cwd: root, env });
  }
}

/** The words of a command line of vitest that choose files. */
function chosenFiles(words: readonly string[]): string[] {
  const isValue = (i: number) => ['--exclude', '--shard', '-t', '--testNamePattern'].includes(words[i - 1]);
  return words.filter((word, i) => !word.startsWith('-') && !isValue(i));
}

/** Time of the last change of a file, or of any file in a folder; 0 where there is none. */
function newest(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}
