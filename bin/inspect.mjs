#!/usr/bin/env node
// Runs build/cli/inspect.js; in a checkout it is built first when sources are newer.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const built = join(root, 'build/cli/inspect.js');
const sources = ['src/engine', 'src/wasm', 'src/workers', 'src/cli'].map((folder) => join(root, folder));

function newest(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).reduce(
    (time, entry) =>
      entry.isFile()
        ? Math.max(time, statSync(join(entry.parentPath ?? entry.path, entry.name)).mtimeMs)
        : time,
    0,
  );
}

function isStale() {
  if (!sources.every((folder) => existsSync(folder))) return false;
  return !existsSync(built) || statSync(built).mtimeMs < Math.max(...sources.map(newest));
}

if (isStale()) {
  const { build } = await import('vite');
  await build({ root, configFile: join(root, 'vite.cli.config.ts'), logLevel: 'warn' });
}
await import(built);
