/** Which folder may import which: every arrow that ARCHITECTURE.md does not allow is an ESLint error. */
import { join, relative } from 'node:path';
import { ESLint } from 'eslint';
import { describe, expect, test } from 'vitest';
import { LAYERS } from '../../scripts/lint/layers.mjs';
import { projectDir } from '../support/shared.ts';

const eslint = new ESLint({ cwd: projectDir() });

/** What engine folders must not import. */
const FORBIDDEN: readonly (readonly [from: readonly string[], to: readonly string[]])[] = [
  [
    ['base', 'io', 'ctf', 'analysis', 'history', 'store'],
    ['archive', 'density', 'graph', 'layers', 'overlays', 'session', 'sync'],
  ],
  [['trace'], ['density', 'graph', 'layers', 'overlays', 'session', 'sync']],
  [['archive'], ['density', 'graph', 'overlays', 'sync']],
  [['linux'], ['archive', 'density', 'layers', 'overlays', 'session']],
  [['sync'], ['archive', 'density', 'history']],
  [['graph'], ['archive', 'density', 'overlays']],
  [['density'], ['archive', 'history']],
  [['layers'], ['archive', 'density', 'graph', 'overlays', 'session', 'store', 'sync', 'export']],
  [['overlays'], ['archive', 'density', 'graph', 'session', 'store', 'sync', 'export']],
  [
    ['export'],
    ['analysis', 'archive', 'density', 'graph', 'history', 'linux', 'overlays', 'session', 'sync'],
  ],
  [
    ['maps', 'registry'],
    ['session', 'store', 'sync', 'graph', 'archive', 'export'],
  ],
];

const arrows = FORBIDDEN.flatMap(([from, to]) => from.flatMap((a) => to.map((b) => [a, b] as const)));

test('engine folders import downward only', async () => {
  expect(arrows.length).toBeGreaterThanOrEqual(72);
  const passed = [];
  for (const [from, to] of arrows) {
    const isFile = from === 'maps' || from === 'registry';
    const path = isFile ? `src/engine/${from}.ts` : `src/engine/${from}/probe.ts`;
    const up = isFile ? '.' : '..';
    if ((await errors(path, `import { a } from '${up}/${to}/b.ts';\nexport const c = a;\n`)).length === 0)
      passed.push(`${from} -> ${to}`);
  }
  expect(passed).toEqual([]);
});

describe('folders of the page', () => {
  const folders = Object.keys(LAYERS).filter((name) => name.startsWith('app/'));
  const below = (name: string) => LAYERS[name].values.filter((other) => other.startsWith('app/'));

  test('import those before them only, so that no two import each other', () => {
    expect(folders.length).toBeGreaterThanOrEqual(24);
    for (const [i, name] of folders.entries()) {
      expect(below(name).filter((other) => folders.indexOf(other) >= i)).toEqual([]);
    }
  });

  test.each(folders)('%s: every other arrow is an error, of types too', async (from) => {
    const others = [...folders, 'app'].filter((name) => name !== from && !below(from).includes(name));
    const importOf = (to: string, i: number) =>
      `import type { A${i} } from '${relative(`src/${from}`, `src/${to}/probe.ts`)}';\n`;
    const code = `${others.map(importOf).join('')}export type B = [${others.map((_, i) => `A${i}`).join()}];\n`;
    expect(await errors(`src/${from}/probe.ts`, code)).toEqual(
      others.map((to) => expect.stringContaining(`${from} may not import ${to}/probe`)),
    );
  });

  test.each([
    ['selection', 'path'],
    ['layout', 'path'],
    ['layout', 'notes'],
    ['layout', 'address'],
    ['timeline', 'opening'],
  ])('%s and %s: one way', (above, under) => {
    expect(below(`app/${above}`)).toContain(`app/${under}`);
    expect(below(`app/${under}`)).not.toContain(`app/${above}`);
  });
});

test.each([
  ['a page that runs an analysis', 'src/app/probe.ts', './../engine/linux/states/reduce/state-reducer.ts'],
  ['a page that opens a session', 'src/app/info/probe.ts', '../../engine/open/session.ts'],
  ['a page that imports the command line', 'src/app/probe.ts', '../cli/inspect.ts'],
  ['an engine that imports a worker', 'src/engine/open/probe.ts', '../../workers/pool.ts'],
  ['a folder without an entry', 'src/engine/newcomer/probe.ts', '../base/assert.ts'],
  ['a folder of the page without an entry', 'src/app/newcomer/probe.ts', '../format/text.ts'],
  ['a panel that talks to the worker past the session', 'src/app/info/probe.ts', '../../workers/pool.ts'],
  ['an import by a call', 'src/engine/base/probe.ts', '../protocol/range.ts', 'call'],
  ['types count too', 'src/engine/base/probe.ts', '../protocol/range.ts', 'type'],
])('%s', async (_, path, imported, form = 'value') => {
  const code = {
    value: `import { a } from '${imported}';\nexport const b = a;\n`,
    type: `import type { A } from '${imported}';\nexport type B = A;\n`,
    call: `export const a = import('${imported}');\n`,
  }[form as 'value' | 'type' | 'call'];
  expect(await errors(path, code)).toHaveLength(1);
});

test.each([
  ['a page reads a type of the engine', 'src/app/probe.ts', '../engine/linux/states/read/check.ts', 'type'],
  ['a page formats by a pure function', 'src/app/probe.ts', '../engine/linux/events/values.ts', 'value'],
  [
    'an engine folder imports below itself',
    'src/engine/graph/probe.ts',
    '../linux/events/values.ts',
    'value',
  ],
])('allowed: %s', async (_, path, imported, form) => {
  const code =
    form === 'type'
      ? `import type { A } from '${imported}';\nexport type B = A;\n`
      : `import { a } from '${imported}';\nexport const b = a;\n`;
  expect(await errors(path, code)).toEqual([]);
});

/** Messages of the rule about layers. */
async function errors(path: string, code: string): Promise<string[]> {
  const [{ messages }] = await eslint.lintText(code, { filePath: join(projectDir(), path) });
  return messages.filter(({ ruleId }) => ruleId === 'wakepath/layers').map(({ message }) => message);
}
