/** The command line as users get it, for tests that start it with its workers. */
import { join } from 'node:path';
import { build } from 'vite';
import { projectDir } from './shared.ts';

/** Builds it; returns the program's path. */
export async function buildCli(): Promise<string> {
  const root = projectDir();
  await build({ root, configFile: join(root, 'vite.cli.config.ts'), logLevel: 'warn' });
  return join(root, 'build/cli/inspect.js');
}
