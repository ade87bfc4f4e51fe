import { expect, test } from 'vitest';
import { append } from './append.ts';

test('more items than the stack has room for', () => {
  const list = [-1];
  append(
    list,
    Uint32Array.from({ length: 500_000 }, (_, i) => i),
  );
  expect(list).toHaveLength(500_001);
  expect(list.at(-1)).toBe(499_999);
});
