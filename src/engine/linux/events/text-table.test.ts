import { expect, test, vi } from 'vitest';
import { collidingTexts } from '../../../../test/support/chosen-keys.ts';
import { TextTable } from './text-table.ts';

test('texts have indices in order of their first use', () => {
  const table = new TextTable();
  const texts = Array.from({ length: 1000 }, (_, i) => `text ${i}`);
  const indices = [...texts, ...texts].map((text) => table.ofText(text));
  expect(indices).toEqual([...texts.keys(), ...texts.keys()]);
  expect(table.texts).toEqual(texts);
});

test('texts chosen to collide are told apart without comparing many', () => {
  const texts = collidingTexts(10_000);
  const table = new TextTable();
  const compared = vi.spyOn(table, 'equals');
  texts.forEach((text, i) => expect(table.ofBytes(text, 0, text.length)).toBe(i));
  expect(compared.mock.calls.length).toBeLessThan(1000);
});
