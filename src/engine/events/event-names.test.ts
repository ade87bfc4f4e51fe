import { expect, it } from 'vitest';
import type { FieldClass, StructClass } from '../ctf/model.ts';
import { eventNames } from './event-names.ts';

const u8: FieldClass = { kind: 'integer', size: 8, signed: false, byteOrder: 'le', align: 8, base: 10 };
const way: FieldClass = {
  ...u8,
  labels: [
    { label: 'in', from: 0n, to: 0n },
    { label: 'out', from: 1n, to: 1n },
  ],
};
const text: FieldClass = { kind: 'string', encoding: 'utf-8', align: 8 };
const struct = (members: Readonly<Record<string, FieldClass>>): StructClass => ({
  kind: 'struct',
  align: 8,
  members: Object.entries(members).map(([name, type]) => ({ name, type })),
});
const stream = { eventContext: struct({ procname: text }) };
const event = (name: string, payload: StructClass) => ({ event: { id: 0n, name, payload }, stream });

it('has the fields that can be compared, with the events that have them', () => {
  const list: FieldClass = { kind: 'array', length: 2, element: u8, align: 8 };
  const names = eventNames([
    event('b', struct({ way, list, head: struct({ len: u8 }) })),
    event('a', struct({ way: u8, ratio: { kind: 'float', size: 64, byteOrder: 'le', align: 8 } })),
    event('a', struct({})),
  ]);
  expect(names).toEqual({
    events: ['a', 'b'],
    fields: [
      { name: 'head.len', type: 'u8', labels: [], events: [1] },
      { name: 'procname', type: 'text', labels: [], events: [] },
      { name: 'way', type: 'enum u8', labels: ['in', 'out'], events: [1, 0] },
    ],
  });
});

it('ends with any number of names, and any depth', () => {
  const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`f${i}`, u8]));
  expect(eventNames([event('a', struct(many))]).fields).toHaveLength(20_000);
  let deep: FieldClass = u8;
  for (let i = 0; i < 12; i++) deep = struct({ in: deep });
  expect(eventNames([event('a', struct({ deep }))]).fields).toHaveLength(1);
});
