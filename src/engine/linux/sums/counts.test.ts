import { expect, test } from 'vitest';
import { counts, type CountsChunk } from './counts.ts';

function leafOf(chunk: number, first: number, last: number): CountsChunk {
  const column = (value: number) => Float64Array.of(value);
  return [
    {
      rank: 0,
      host: 0,
      domain: 'kernel',
      classes: Int32Array.of(3),
      names: ['a'],
      events: column(2),
      bits: column(64),
      first: column(first),
      last: column(last),
      firstChunk: column(chunk),
      lastChunk: column(chunk),
    },
  ];
}

test('first and last are those of the stream, also where its times go back', () => {
  // 5, 9 | 2, 7: cut between 9 and 2.
  const [a, b] = [leafOf(0, 5, 9), leafOf(1, 2, 7)];
  const expected = { name: 'a', events: 4, bytes: 16, first: 5, last: 7 };
  expect(counts.finish(counts.merge([a, b])).events).toMatchObject([expected]);
  expect(counts.finish(counts.merge([b, a])).events).toMatchObject([expected]);
});
