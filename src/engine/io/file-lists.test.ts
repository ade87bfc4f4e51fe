import { expect, test } from 'vitest';
import { withMore } from './file-lists.ts';

const refs = (...paths: string[]) =>
  paths.map((path) => ({ kind: 'memory', path, size: 0, bytes: new Uint8Array() }) as const);
const pathsOf = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path);

test('folders of one name stay apart, however many there are', () => {
  const first = refs('kernel/metadata', 'kernel/index/c.idx');
  const both = withMore(first, refs('kernel/metadata', 'kernel/index/c.idx', 'ust/metadata'));
  expect(pathsOf(both.slice(2))).toEqual(['kernel#2/metadata', 'kernel#2/index/c.idx', 'ust/metadata']);
  expect(pathsOf(withMore(both, refs('kernel/c_0')).slice(5))).toEqual(['kernel#3/c_0']);
});

test('so do files without a folder', () => {
  expect(pathsOf(withMore(refs('metadata'), refs('metadata', 'c_0')))).toEqual([
    'metadata',
    '#2/metadata',
    '#2/c_0',
  ]);
});
