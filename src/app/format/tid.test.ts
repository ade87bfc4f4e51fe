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

it('tells the number that a container has for a thread', () => {
  const inside = { id: 'thread:0:4711#2', tid: 4711, vtid: 7, ns: 4026532500 };
  expect(tidText(inside)).toBe('4711#2 (7)');
  expect(tidWords(inside)).toBe('4711#2, 2nd thread with this id, 7 in its container');
  expect(tidText({ ...inside, vtid: 4711 })).toBe('4711#2');
  const unmapped = { id: 'thread:0:1.7.4026532500', tid: 7, ns: 4026532500 };
  expect(tidWords(unmapped)).toBe('7, its number in pid namespace 4026532500');
});
