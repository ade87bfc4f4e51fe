/** Before any test of the page: builds it when a source is newer. */
import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { projectDir } from '../support/shared.ts';

const SOURCES = [
  'src',
  'public',
  'index.html',
  'download.html',
  'offline.html',
  'vite.config.ts',
  'package-lock.json',
  'scripts/wasm-plugin.mjs',
  'scripts/licences-plugin.mjs',
  'scripts/offline-plugin.mjs',
  'scripts/lessons-plugin.mjs',
  'scripts/pixi-plugin.mjs',
];

export default async function buildPage(project: TestProject): Promise<void> {
  // The words of the command line that choose files.
  const words = process.argv.slice(2).filter((word) => !word.startsWith('-') && word !== 'run');
  const { testFiles } = await project.globTestFiles(process.argv.includes('--exclude') ? ['src'] : words);
  if (!testFiles.some((file) => file.includes('/test/browser/'))) return;
  const root = projectDir();
  const built = newest(join(root, 'dist/index.html'));
  if (built >= Math.max(...SOURCES.map((source) => newest(join(root, source))))) return;
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  // As it is published: the tests' own environment is another.
  const env = { ...process.env, NODE_ENV: 'production' };
  await promisify(execFile)(process.execPath, [vite, 'build', '--logLevel', 'warn'], { cwd: root, env });
}

/** Time of the last change of a file, or of any file in a folder; 0 where there is none. */
function newest(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  if (!found.isDirectory()) return found.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}
