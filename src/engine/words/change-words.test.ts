import { expect, test } from 'vitest';
import { changeLabel, changeWords, savingWords } from './change-words.ts';
import { name, said } from './sentence.ts';

test('a name that reads like words stays a name', () => {
  const hostile = name('sleeps of worker had', 'thread');
  expect(changeWords({ kind: 'thread', label: said`${hostile}` })).toEqual(['Work of ', hostile]);
  const label = said`waits for a CPU that ${hostile} had`;
  expect(changeWords({ kind: 'cpu-taken', label })).toEqual(['Waits for a CPU that ', hostile, ' had']);
  expect(changeLabel({ label })).toBe('waits for a CPU that sleeps of worker had had');
});

test('savings are ranges from the lower to the higher one', () => {
  expect(savingWords({ careful: 2e6, hopeful: 1e6 })).toBe('saves 1.000\u2009ms to 2.000\u2009ms');
  expect(savingWords({ careful: -2e6, hopeful: -2e6 })).toBe('costs 2.000\u2009ms');
});
