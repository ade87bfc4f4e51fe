/** Which folder may import which: every arrow that ARCHITECTURE.md does not allow is an ESLint error. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ESLint } from 'eslint';
import { describe, expect, test } from 'vitest';
import { forbidden, LAYERS } from '../../scripts/lint/layers.mjs';
import { projectDir } from '../support/shared.ts';

const eslint = new ESLint({ cwd: projectDir() });

/** Arrows that would turn the engine upside down. */
const FORBIDDEN: readonly (readonly [from: string, to: readonly string[]])[] = [
  ['base', ['io', 'ctf', 'history']],
  ['io', ['ctf', 'archive']],
  ['ctf', ['trace', 'analysis', 'history', 'linux']],
  ['ctf/metadata', ['ctf/decode', 'ctf/packets', 'trace']],
  ['trace', ['analysis', 'linux', 'sync']],
  ['archive', ['linux', 'graph', 'answers/rows']],
  ['history', ['linux/events', 'store', 'analysis']],
  ['store', ['history', 'open']],
  ['analysis', ['linux/events', 'layers/contract', 'open']],
  ['linux/events', ['linux/states', 'linux/sums', 'layers/contract']],
  ['linux/states', ['linux/states/read', 'linux/sums', 'graph', 'layers/locks']],
  ['linux/sums', ['layers/contract', 'answers/statistics', 'open']],
  ['graph', ['layers/locks', 'sync', 'answers/paths']],
  ['layers/contract', ['layers/overlays', 'graph', 'answers/context', 'store']],
  ['layers/overlays', ['layers/plots', 'layers/stacks', 'open']],
  ['layers/stacks', ['layers/locks', 'layers/executions', 'answers/stacks']],
  ['layers/locks', ['layers/executions', 'answers/locks', 'protocol']],
  ['export', ['analysis', 'linux/events', 'answers/export']],
  ['events', ['answers/events', 'layers/contract', 'store']],
  ['words', ['answers/paths', 'open', 'history']],
  ['answers/context', ['open', 'open/layers', 'answers/rows']],
  ['answers/rows', ['answers/paths', 'answers/statistics', 'open']],
  ['answers/statistics', ['answers/paths', 'answers/summary', 'open']],
  ['answers/paths', ['answers/locks', 'answers/summary', 'open']],
  ['answers/summary', ['answers/export', 'answers/events', 'open']],
  ['protocol', ['open', 'answers/paths', 'history']],
];

test('rooms of the engine import downward only', () => {
  const passed = FORBIDDEN.flatMap(([from, to]) =>
    to
      .filter(
        (room) => forbidden(`src/engine/${from}/probe.ts`, `src/engine/${room}/b.ts`, false) === undefined,
      )
      .map((room) => `${from} -> ${room}`),
  );
  expect(passed).toEqual([]);
});

test('every room of the engine has an entry, and every entry is a room or a file', () => {
  const rooms = Object.keys(LAYERS).filter((name) => name.startsWith('engine/'));
  expect(rooms.length).toBeGreaterThan(40);
  const isThere = (room: string) =>
    existsSync(join(projectDir(), 'src', room)) || existsSync(join(projectDir(), 'src', `${room}.ts`));
  expect(rooms.filter((room) => !isThere(room))).toEqual([]);
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
