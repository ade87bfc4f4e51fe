import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PlainEvent } from '../../../../test/support/batches.ts';
import { isSameHoweverCut, resultOf } from '../../../../test/support/merge-trees.ts';
import { scenario } from '../../../../test/support/scenario.ts';
import { counts, type CountsChunk } from './counts.ts';

const stories = fc
  .array(
    fc.record({ cpu: fc.nat(2), name: fc.constantFrom('a', 'b', 'c'), wait: fc.integer({ min: 1, max: 9 }) }),
    { maxLength: 40 },
  )
  .map((steps) => {
    let ts = 0;
    return steps.map(({ cpu, name, wait }): PlainEvent => ({ ts: (ts += wait), cpu, name, fields: {} }));
  });

function chunkResultOf(chunk: number, first: number, last: number): CountsChunk {
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
  const [a, b] = [chunkResultOf(0, 5, 9), chunkResultOf(1, 2, 7)];
  const expected = { name: 'a', events: 4, bytes: 16, first: 5, last: 7 };
  expect(counts.finish(counts.merge([a, b])).events).toMatchObject([expected]);
  expect(counts.finish(counts.merge([b, a])).events).toMatchObject([expected]);
});

test('events are counted by name', () => {
  const events = scenario().switch(10, 0, 0, 0, 8).switch(30, 1, 8, 1, 0).add(40, 0, 'x').events;
  expect(resultOf(counts, events)).toEqual({
    events: [
      { host: 0, domain: 'kernel', name: 'sched_switch', events: 2, bytes: 16, first: 10, last: 30 },
      { host: 0, domain: 'kernel', name: 'x', events: 1, bytes: 8, first: 40, last: 40 },
    ],
  });
});

test('counts do not depend on chunks, arrival or merge tree', () => isSameHoweverCut(counts, stories));
