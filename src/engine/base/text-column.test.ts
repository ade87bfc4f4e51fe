import { expect, it } from 'vitest';
import { packTexts, textAt } from './text-column.ts';

it('gives each text back, empty and odd ones too', () => {
  const texts = ['', 'a', 'é"\n', '', '\ud800', '🦆 duck', ''];
  const column = packTexts(texts);
  expect(texts.map((_, i) => textAt(column, i))).toEqual(texts);
  expect(packTexts([])).toEqual({ text: '', end: new Uint32Array(0) });
});
