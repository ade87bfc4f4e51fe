import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Choices } from './choices.ts';
import { forAll } from '../../../test/support/for-all.ts';

const word = fc.stringMatching(/^[a-z0-9-]+$/);
const name = fc.tuple(word, fc.stringMatching(/^[a-z]+$/)).map((words) => words.join('.'));

it('come back from a link as they were, whatever else it says', () =>
  forAll(100, [fc.dictionary(name, fc.string())], (chosen) => {
    const [written, read] = [new Choices(), new Choices()];
    for (const [of, text] of Object.entries(chosen)) written.choose(of, text);
    read.choose('cpu-time.by', 'forgotten');
    const parts = new URLSearchParams({ trace: 'a.b', row: 'thread:0:1' });
    written.write(parts);
    read.show(new URLSearchParams(parts.toString()));
    const back = new URLSearchParams();
    read.write(back);
    expect(Object.fromEntries(back)).toEqual(chosen);
  }));

it('are forgotten one by one', () => {
  const choices = new Choices();
  choices.choose('cpu-time.by', 'cpu');
  choices.choose('cpu-time.filter', 'dd');
  choices.choose('cpu-time.filter', undefined);
  expect([choices.text('cpu-time.by'), choices.text('cpu-time.filter')]).toEqual(['cpu', undefined]);
});
