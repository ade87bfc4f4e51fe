/** No file of `src` imports itself by way of others, of values and of types alike. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compare } from '../../src/engine/base/compare.ts';
import { projectDir } from '../support/shared.ts';

/** `import … from './x'`, `import './x'`, `export … from './x'`. */
const IMPORT = /(?:^|[;\n])\s*(?:import|export)\s+(?:[^'"`;()]*?\s*from\s*)?['"](\.[^'"]+)['"]/g;
/** `import('./x')`, of a value that is loaded later, or of a type. */
const INNER_IMPORT = /\bimport\(\s*['"](\.[^'"]+)['"]/g;

/** Paths that each file imports, by the file's own path. */
type Imports = ReadonlyMap<string, readonly string[]>;

/** @param root the project's folder; paths are from there */
function importsOfSource(root: string): Imports {
  const paths = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => join('src', path))
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
    .sort();
  return importsOf(new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')])));
}

/**
 * @param texts of files by path
 * @returns imports of files that are in `texts`; all others are left out
 */
function importsOf(texts: ReadonlyMap<string, string>): Imports {
  const targetsOf = ([path, text]: [string, string]) => {
    const specifiers = [IMPORT, INNER_IMPORT].flatMap((form) => [...text.matchAll(form)].map(([, to]) => to));
    const targets = specifiers.map((to) => withEnding(join(dirname(path), to)));
    return [path, [...new Set(targets)].filter((to) => texts.has(to))] as const;
  };
  return new Map([...texts].map(targetsOf));
}

/** Kernels import without an ending. */
function withEnding(path: string): string {
  return /\.[a-z]+$/.test(path) ? path : `${path}.ts`;
}

/**
 * Groups of files of which each reaches each other by imports (strongly connected components: Tarjan, 1972), and files
 * that import themselves.
 * @returns paths of each circle, ascending; circles by their first path
 */
function circlesOf(imports: Imports): string[][] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const stack: string[] = [];
  /** Least order of a file on the stack that `path` reaches; `Infinity` once its circle is known. */
  const least = new Map<string, number>();
  const visit = (path: string): number => {
    const own = order.size;
    order.set(path, own);
    least.set(path, own);
    stack.push(path);
    for (const to of imports.get(path) ?? []) {
      const reached = order.has(to) ? Math.min(order.get(to)!, least.get(to)!) : visit(to);
      if (least.get(to) !== Infinity) least.set(path, Math.min(least.get(path)!, reached));
    }
    const lowest = least.get(path)!;
    if (lowest === own) {
      const circle = stack.splice(stack.lastIndexOf(path)).sort();
      for (const member of circle) least.set(member, Infinity);
      if (circle.length > 1 || imports.get(path)?.includes(path)) circles.push(circle);
    }
    return lowest;
  };
  for (const path of imports.keys()) if (!order.has(path)) visit(path);
  return circles.sort(([a], [b]) => compare(a, b));
}

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
