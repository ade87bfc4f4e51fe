import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KeptSymbols } from './kept-symbols.ts';
import { keptModules, keptText } from './kept-text.ts';
import { forAll } from '../../../test/support/for-all.ts';

const PLACES = Float64Array.of(16, 0x4260);
const SYMBOLS = [
  {
    ...{ function: 'parse', file: 'a.c', line: 3, begin: 8 },
    inlined: [{ function: 'next', file: undefined, line: undefined }],
  },
  { function: undefined, file: undefined, line: undefined, object: { name: 'm_hot', offset: 4 } },
];

it('symbols are the same as a text', async () => {
  const kept = new KeptSymbols();
  kept.note('id', { firstPage: 2n ** 63n, loads: [{ from: 0, to: 9, offset: 1 }] }, PLACES, SYMBOLS);
  const modules = keptModules(keptText(kept.list()));
  expect(modules).toMatchObject([
    { key: 'id', firstPage: 2n ** 63n, loads: [{ from: 0, to: 9, offset: 1 }] },
  ]);
  const read = new KeptSymbols(modules).module('id');
  expect(await read?.at(PLACES)).toMatchObject([
    { function: 'parse', line: 3 },
    { object: { name: 'm_hot' } },
  ]);
  expect(await read?.objectsAt(PLACES)).toEqual([undefined, { name: 'm_hot', offset: 4 }]);
});

it('a text of another form has none', async () => {
  const good = { key: 'k', firstPage: '0', loads: [], places: [1], symbols: [{ function: 'f' }] };
  const read = (part: object) => keptModules(JSON.stringify([{ ...good, ...part }]));
  expect(read({})).toHaveLength(1);
  for (const part of [
    { firstPage: '-1' },
    { firstPage: 0 },
    { places: [1, 2] },
    { places: ['1'] },
    { symbols: [{ function: 7 }] },
    { symbols: [{ object: { name: 'a' } }] },
    { symbols: [{ inlined: [{ line: 'x' }] }] },
    { loads: [{ from: 0 }] },
  ])
    expect(read(part)).toEqual([]);
  await forAll(100, [fc.json()], (text) => Array.isArray(keptModules(text)));
});
