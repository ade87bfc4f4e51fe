import { expect, test } from 'vitest';
import { counts, type CountsLeaf } from './counts.ts';

function leafOf(first: number, last: number): CountsLeaf {
  const column = (value: number) => Float64Array.of(value);
  return [
    {
      rank: 0,
      host: 0,
      trace: 0,
      domain: 'kernel',
      cpu: 0,
      classes: Int32Array.of(3),
      names: ['a'],
      events: column(2),
      bits: column(64),
      first: column(first),
      last: column(last),
    },
  ];
}

test('first and last are those of the stream, also where its times go back', () => {
  // 5, 9 | 2, 7: cut between 9 and 2, or not at all.
  const merged = counts.finish(counts.merge(leafOf(5, 9), leafOf(2, 7)));
  expect(merged).toEqual(
    counts.finish([{ ...leafOf(5, 7)[0], events: Float64Array.of(4), bits: Float64Array.of(128) }]),
  );
});
