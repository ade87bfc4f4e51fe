/**
 * What is loaded: bytes of scripts as they were built, compressed by gzip, for each entry of `size-budget.json` (kB of 1000
 * bytes). An entry is what its first script imports statically; what is loaded later counts where it is an entry.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import budget from '../../size-budget.json' with { type: 'json' };
import { projectDir } from '../support/shared.ts';

const ASSETS = join(projectDir(), 'dist/assets');

/** The script of this name, as the build calls it. */
function scriptCalled(name: string): string {
  const found = readdirSync(ASSETS).filter((file) => file.startsWith(`${name}-`) && file.endsWith('.js'));
  expect(found, name).toHaveLength(1);
  return found[0];
}

/** The scripts that the start page names. */
function startScripts(): string[] {
  const page = readFileSync(join(projectDir(), 'dist/index.html'), 'utf8');
  return [...page.matchAll(/<(?:script|link)[^>]*"\.\/(assets\/[^"]+\.js)"/g)].map(([, path]) =>
    basename(path),
  );
}

const STATIC_IMPORT = /(?<=^|[;}\n])import(?:[\w$\s{},*]+?from)?\s*["']\.\/([^"']+\.js)["']/g;

/** Scripts with all that they import statically. */
function withImports(scripts: readonly string[]): Set<string> {
  const all = new Set<string>();
  const left = [...scripts];
  for (let script = left.pop(); script !== undefined; script = left.pop()) {
    if (all.has(script)) continue;
    all.add(script);
    const text = readFileSync(join(ASSETS, script), 'utf8');
    left.push(...Array.from(text.matchAll(STATIC_IMPORT), ([, imported]) => imported));
  }
  return all;
}

/** kB, compressed. */
function sizeOf(scripts: Iterable<string>): number {
  const sizes = [...scripts].map(
    (script) => gzipSync(readFileSync(join(ASSETS, script)), { level: 9 }).length,
  );
  return sizes.reduce((sum, size) => sum + size, 0) / 1000;
}

test('what is loaded from the start stays in the budget', () => {
  const start = withImports(startScripts());
  const open = withImports([scriptCalled('workspace-parts')]);
  const loaded = {
    'start page': start,
    'first open': [...open].filter((script) => !start.has(script)),
    'session worker': withImports([scriptCalled('session-worker')]),
    'decode worker': withImports([scriptCalled('decode-worker')]),
  };
  expect(Object.keys(loaded)).toEqual(Object.keys(budget));
  expect(start.size).toBeGreaterThan(1);
  expect(open.size).toBeGreaterThan(2);
  for (const [name, most] of Object.entries(budget)) {
    const size = sizeOf(loaded[name as keyof typeof budget]);
    expect(size, `kB of ${name}`).toBeLessThanOrEqual(most);
    // A budget far above what is there holds nothing.
    expect(size, `kB of ${name}`).toBeGreaterThan(most / 2);
  }
});

test('a decode worker is one script: it is kept as a whole', () => {
  expect([...withImports([scriptCalled('decode-worker')])]).toHaveLength(1);
});

test('one renderer of Pixi is built', () => {
  const names = readdirSync(ASSETS).join(' ');
  expect(names).toMatch(/pixi-bars/);
  expect(names).not.toMatch(/CanvasRenderer|WebGPURenderer|webworkerAll|browserAll/);
});
