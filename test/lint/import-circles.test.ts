/** No file of `src` imports itself by way of others. */
import { describe, expect, test } from 'vitest';
import { projectDir } from '../support/shared.ts';
import { circlesOf, importsOf, importsOfSource } from './import-circles.ts';

test('there is no circle of imports, of values or types', () => {
  expect(circlesOf(importsOfSource(projectDir()))).toEqual([]);
});

test('finds the imports of src', () => {
  const imports = importsOfSource(projectDir());
  expect(imports.size).toBeGreaterThan(900);
  expect([...imports.values()].flat().length).toBeGreaterThan(5000);
});

describe('circles', () => {
  const circles = (files: Record<string, string>) => circlesOf(importsOf(new Map(Object.entries(files))));

  test.each([
    ['values', "import { b } from './b.ts';"],
    ['types', "import type { B } from './b.ts';"],
    ['several lines', "import {\n  b,\n  type C,\n} from './b.ts';"],
    ['what is passed on', "export * from './b.ts';"],
    ['effects', "const x = 1;\nimport './b.ts';"],
    ['a later import', "const b = () => import('./b.ts');"],
    ['the type of a file', "let b: typeof import('./b.ts');"],
    ['a kernel', "import { b } from './b';"],
  ])('of %s', (_, text) => {
    expect(circles({ 'a.ts': text, 'b.ts': "export { a } from './a.ts';" })).toEqual([['a.ts', 'b.ts']]);
    expect(circles({ 'a.ts': text, 'b.ts': '' })).toEqual([]);
  });

  test('are apart where one only leads to the other', () => {
    const to = (...names: string[]) => names.map((name) => `import './${name}.ts';`).join('\n');
    const files = {
      a: to('b'),
      b: to('c'),
      c: to('a', 'd'),
      d: to('e'),
      e: to('d', 'f'),
      f: '',
      g: to('g', 'a'),
    };
    const named = Object.fromEntries(Object.entries(files).map(([name, text]) => [`${name}.ts`, text]));
    expect(circles(named)).toEqual([['a.ts', 'b.ts', 'c.ts'], ['d.ts', 'e.ts'], ['g.ts']]);
  });
});
