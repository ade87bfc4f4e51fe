import { expect, it } from 'vitest';
import { tidAbout, tidText, tidWords } from './tid.ts';

it('tells a tid that was used again from the first one, in words as well', () => {
  const again = { id: 'thread:0:3402#4', tid: 3402 };
  expect([tidText(again), tidAbout(again)]).toEqual(['3402#4', '4th thread with this id']);
  expect(tidWords(again)).toBe('3402#4, 4th thread with this id');
  const first = { id: 'thread:0:3402', tid: 3402 };
  expect([tidText(first), tidAbout(first), tidWords(first)]).toEqual(['3402', undefined, '3402']);
  const stream = { id: 'stream:0:chan_#2' };
  expect([tidText(stream), tidAbout(stream), tidWords(stream)]).toEqual([undefined, undefined, '']);
});
