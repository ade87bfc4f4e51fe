import { expect, it } from 'vitest';
import { packTexts, textAt, TextWriter } from './text-column.ts';

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
