import { expect, it } from 'vitest';
import { descriptorsOf, numberField, withoutField } from './call-pairs.tsx';

it('reads the number of a field', () => {
  expect(numberField('{"ret":-11,"buf":0x7f}', 'ret')).toBe(-11);
  expect(numberField('{"next_tid":219,"next_prio":20}', 'next_prio')).toBe(20);
  expect(numberField('{"buf":0x7f}', 'buf')).toBeUndefined();
  expect(numberField('{"name":"{\\"fd\\":3}"}', 'fd')).toBeUndefined();
  expect(numberField('{}', 'fd')).toBeUndefined();
});

it('finds descriptors, each once', () => {
  expect(descriptorsOf('{"fd":3,"count":9}')).toEqual([3]);
  expect(descriptorsOf('{"out_fd":4,"in_fd":4,"count":9}')).toEqual([4]);
  expect(descriptorsOf('{"in_fd":5,"out_fd":4}')).toEqual([5, 4]);
  expect(descriptorsOf('{"dfd":-100,"filename":"/x"}')).toEqual([]);
  expect(descriptorsOf('{"fd":-1}')).toEqual([]);
});

it('leaves a field out', () => {
  expect(withoutField('{"ret":8,"buf":0x1}', 'ret')).toBe('{"buf":0x1}');
  expect(withoutField('{"a":1,"ret":8,"buf":2}', 'ret')).toBe('{"a":1,"buf":2}');
  expect(withoutField('{"a":1,"ret":8}', 'ret')).toBe('{"a":1}');
  expect(withoutField('{"ret":0}', 'ret')).toBe('{}');
});
