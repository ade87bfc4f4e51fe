import { expect, it } from 'vitest';
import { parseFilter } from '../../engine/events/filter/parse.ts';
import { filterWith } from './filter-with.ts';

it('a value narrows a filter down, whatever it is', () => {
  expect(filterWith('', 'payload', 'prev_tid', '12')).toBe('prev_tid=12');
  expect(filterWith('name=a or name=b', 'payload', 'ret', '-2')).toBe('(name=a or name=b) and ret=-2');
  expect(filterWith('name=a', 'common', 'tid', '7')).toBe('name=a and context.tid=7');
  expect(filterWith('cpu=1', 'payload', 'tid', '7')).toBe('cpu=1 and payload.tid=7');
  expect(filterWith(' ', 'payload', 'comm', '"a \\"b\\""')).toBe('comm="a \\"b\\""');
  expect(filterWith('', 'payload', 'comm', '"\\u202e<b>\\n"')).toBe('comm="\u202e<b>\n"');
});

it('what cannot be compared, or is no field of events, has none', () => {
  expect(filterWith('', 'payload', 'odd name', '1')).toBeUndefined();
  expect(filterWith('', 'payload', 'list', '[1,2]')).toBeUndefined();
  expect(filterWith('', 'payload', 'ratio', '0.5')).toBeUndefined();
  expect(filterWith('', 'payload', 'long', `"${'a'.repeat(65_536)}"`)).toBeUndefined();
  expect(filterWith('', 'packet', 'cpu_id', '1')).toBeUndefined();
});

it('is a filter', () => {
  for (const json of ['"a \\\\ \\"b"', '"and"', '-5', '18446744073709551615'])
    expect(parseFilter(filterWith('a=1 or b=2', 'payload', 'f', json) ?? '(').ok).toBe(true);
});
