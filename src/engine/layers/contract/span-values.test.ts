import { expect, it } from 'vitest';
import {
  CAUSE_SPAN,
  colourOf,
  hasEnd,
  isWait,
  levelOf,
  SPAN_COLOURS,
  SPAN_LEVELS,
  spanScheme,
  spanValue,
  textOf,
  toneOf,
  waitValue,
  withoutEnd,
} from './span-values.ts';

const TEXT = 3_000_000;

it('a value has all parts of its span', () => {
  for (let colour = 0; colour < SPAN_COLOURS; colour++)
    for (let level = 0; level <= SPAN_LEVELS; level++)
      for (const tone of [0, 1]) {
        const value = spanValue(colour, tone, TEXT, level);
        for (const each of [value, withoutEnd(value)]) {
          expect([colourOf(each), toneOf(each), levelOf(each)]).toEqual([colour, tone, level]);
          expect([textOf(each), isWait(each), hasEnd(each)]).toEqual([TEXT, false, each === value]);
        }
      }
});

it('a wait has the colour of what it is for, and is drawn as a wait where it is one of many', () => {
  const value = waitValue(5, TEXT);
  expect([isWait(value), colourOf(value), textOf(value), hasEnd(value)]).toEqual([true, 5, TEXT, true]);
  const cause = spanScheme.causeOf(value) - CAUSE_SPAN;
  expect([isWait(cause), colourOf(cause)]).toEqual([true, 5]);
  expect(isWait(spanScheme.causeOf(spanValue(5, 1, TEXT)) - CAUSE_SPAN)).toBe(false);
});
