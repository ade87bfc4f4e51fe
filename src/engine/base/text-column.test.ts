import { expect, it } from 'vitest';
import { textAt } from './text-column.ts';
import { packTexts, TextWriter } from './text-writer.ts';
import { textIndex } from './text-index.ts';

it('gives each text back, empty and odd ones too', () => {
  const texts = ['', 'a', 'é"\n', '', '\ud800', '🦆 duck', ''];
  const column = packTexts(texts);
  expect(texts.map((_, i) => textAt(column, i))).toEqual(texts);
  expect(packTexts([])).toEqual({ text: '', end: new Uint32Array(0) });
});

it('joins many texts in their order, also when more are added later', () => {
  const texts = Array.from({ length: 5000 }, (_, i) => (i % 7 === 0 ? '' : `text ${i}`));
  const writer = new TextWriter(texts.length);
  for (const text of texts.slice(0, 3000)) writer.add(text);
  const early = writer.column();
  for (const text of texts.slice(3000)) writer.add(text);
  const late = writer.column();
  expect(Array.from({ length: 3000 }, (_, i) => textAt(early, i))).toEqual(texts.slice(0, 3000));
  expect(texts.map((_, i) => textAt(late, i))).toEqual(texts);
});

it('finds the first row of a text, or of a part of one', () => {
  const texts = Array.from({ length: 3000 }, (_, i) => (i % 3 === 0 ? 'same' : `thread:0:${i}`));
  const index = textIndex(packTexts(['', ...texts, 'é🦆', '']));
  expect([...texts.keys()].every((i) => index.find(texts[i]) === 1 + texts.indexOf(texts[i]))).toBe(true);
  expect([index.find(''), index.find('é🦆'), index.find('thread:0:3'), index.find('é')]).toEqual([
    0, 3001, -1, -1,
  ]);
  expect(index.find('a thread:0:2999 b', 2, 15)).toBe(3000);
  expect([index.first[0], index.first[4], index.first[5], index.first[3002]]).toEqual([0, 1, 5, 0]);
  expect(textIndex(packTexts([])).find('')).toBe(-1);
});
