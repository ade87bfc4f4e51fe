/**
 * Runs the project's tools from node_modules with the Node that runs this script (no shell, so it works on Windows),
 * and installs the dependencies first where they are missing. Uses nothing but Node itself.
 */
import { spawn } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const TOOLS = {
  tsc: 'typescript-7/bin/tsc',
  eslint: 'eslint/bin/eslint.js',
  knip: 'knip/bin/knip.js',
  prettier: 'prettier/bin/prettier.cjs',
  vite: 'vite/bin/vite.js',
  vitest: 'vitest/vitest.mjs',
  playwright: 'playwright/cli.js',
};

/**
 * Runs a command in the project's folder with its output shown, or given to `onOutput` piece by piece; resolves to its
 * exit code, 127 when there is no such command.
 */
export function run(command, args, { env = {}, shell = false, onOutput } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: onOutput === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      shell,
      env: { ...process.env, ...env },
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8');
      stream?.on('data', onOutput);
    }
    child.on('error', () => resolve(127));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** Runs one of the tools that npm installed; resolves to its exit code. */
export function runTool(name, args, options) {
  return run(process.execPath, [join(root, 'node_modules', TOOLS[name]), ...args], options);
}

/**
 * Installs what the package-lock.json of a folder asks for unless it is there; resolves to true when everything is.
 * @param part path from the project's folder
 */
export async function installDependencies(part = '.') {
  const folder = join(root, part);
  if (dependenciesInstalled(folder)) return true;
  console.log(`Installing dependencies (npm ci${part === '.' ? '' : ` --prefix ${part}`})`);
  const args = ['ci', '--prefix', part, '--no-audit', '--no-fund'];
  return (await run('npm', args, { shell: process.platform === 'win32' })) === 0;
}

/**
 * Compares the lock file with the one npm leaves in node_modules. By content and not by date: after a checkout every
 * file is new.
 */
function dependenciesInstalled(project) {
  const folder = join(project, 'node_modules');
  // Somebody links to the dependencies of another checkout: not ours to change.
  if (lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return true;
  const installed = readLock(join(folder, '.package-lock.json'));
  const wanted = readLock(join(project, 'package-lock.json'));
  if (installed === undefined || wanted === undefined) return false;
  return Object.entries(wanted)
    .filter(([path, entry]) => path !== '' && !entry.optional && !entry.devOptional)
    .every(([path, entry]) => installed[path]?.version === entry.version);
}

function readLock(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined; // not there or not readable: install
  }
}
