/** What only tests and benches run is no part of the product. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { unusedExports } from './exports.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
/** Exported for tests, and used in their own file: the list may only shrink. */
const KNOWN = JSON.parse(
  readFileSync(new URL('exports-for-tests.json', import.meta.url), 'utf8'),
) as readonly string[];

test('no value of src is for tests and benches alone; few are exported for them', () => {
  const { forTests, dead } = unusedExports(ROOT);
  expect(dead).toEqual([]);
  expect(forTests).toEqual(KNOWN);
});
