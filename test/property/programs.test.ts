/** Event classes that share a program would have the same one if each had its own. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DecodeRequest } from '../../src/engine/ctf/decode/rows/rows.ts';
import { compileStream, EVERYTHING } from '../../src/engine/ctf/decode/program/stream-programs.ts';
import type { ArrayClass, EventClass, StructClass, TraceModel } from '../../src/engine/ctf/model.ts';
import { randomOf, type Random } from '../support/simulator/random.ts';
import { randomModel } from './random-classes.ts';
import { randomRequest } from './random-request.ts';
import { DEEP } from '../support/tier.ts';
import { forAll } from '../support/for-all.ts';

type Scalars = Record<string, unknown>;

/** Changes one thing somewhere in a field class, if there is one. */
function changeOne(random: Random, root: object): void {
  const changes: (() => void)[] = [];
  const collect = (object: Scalars): void => {
    for (const [key, value] of Object.entries(object)) {
      const change = (other: unknown): void => void changes.push(() => (object[key] = other));
      if (key === 'size') change(((value as number) % 64) + 1);
      else if (key === 'align') change(2 * (value as number));
      else if (key === 'length' && typeof value === 'number') change(value + 1);
      else if (key === 'byteOrder') change(value === 'le' ? 'be' : 'le');
      else if (key === 'encoding') change(value === 'utf-8' ? 'utf-16le' : 'utf-8');
      else if (key === 'name') change(`${value as string}x`);
      else if (key === 'to') change((value as bigint) + 1n);
      else if (typeof value === 'boolean') change(!value);
      else if (key === 'steps') change([...(value as number[]), 0]);
      else if (typeof value === 'object' && value !== null) collect(value as Scalars);
    }
  };
  collect(root as Scalars);
  if (changes.length > 0) random.pick(changes)();
}

/** The events, and behind them some that are almost the same. */
function withNearCopies(random: Random, events: readonly EventClass[]): EventClass[] {
  const copies = events.map((event, index) => {
    const copy = structuredClone({ ...event, id: BigInt(events.length + index) });
    if (random.chance(0.8)) changeOne(random, { context: copy.context, payload: copy.payload });
    return copy;
  });
  return [...events, ...copies];
}

/** Without bits, so that nothing of it is in a program; and no other is equal to it. */
function mark(index: number): ArrayClass {
  const element = { kind: 'bits', size: 1, byteOrder: 'le', align: 1 } as const;
  const unlike: ArrayClass & { readonly mark: number } = {
    kind: 'array',
    length: 0,
    element,
    align: 1,
    mark: index,
  };
  return unlike;
}

/** The same model with event classes none of which is like another. */
function unlike(model: TraceModel): TraceModel {
  const streams = model.streams.map((stream) => {
    const events = stream.events.map((event, index) => {
      const { align, members } = event.payload ?? { align: 1, members: [] };
      const payload: StructClass = {
        kind: 'struct',
        align,
        members: [...members, { name: '', type: mark(index) }],
      };
      return { ...event, payload };
    });
    return { ...stream, events };
  });
  return { ...model, streams };
}

it('gives every class its program', async () => {
  let shared = 0;
  await forAll(500, [fc.nat()], (seed) => {
    const random = randomOf(seed);
    const drawn = randomModel(random);
    const [stream] = drawn.streams;
    const events = withNearCopies(random, stream.events);
    const model = { ...drawn, streams: [{ ...stream, events }] };
    const request = randomRequest(random, stream);
    const found = compileStream(model, 0, request);
    expect(found).toEqual(compileStream(unlike(model), 0, request));
    if (new Set(found.body).size < events.length) shared++;
  });
  if (DEEP) expect(shared).toBeGreaterThan(100);
});

it('finds the kind of a name', () => {
  const request: DecodeRequest = {
    kinds: [
      { names: ['a_*', 'b'], fields: [], table: 'one' },
      { names: ['a_long_*', 'a_x', 'b'], fields: [], table: 'one' },
      { names: ['a_*', '*'], fields: [], table: 'one' },
    ],
  };
  const names = ['a_', 'a_1', 'a_long_1', 'a_x', 'b', 'c', 'a_*'];
  const events = names.map((name, id) => ({ id: BigInt(id), name }));
  const model: TraceModel = {
    version: '2.0',
    byteOrder: 'le',
    environment: [],
    clocks: [],
    streams: [{ id: 0n, events: [...events, { id: 99n }] }],
  };
  expect([...compileStream(model, 0, request).kind]).toEqual([0, 0, 1, 1, 0, 2, 0, 2]);
  // Only what takes every event takes those without a name.
  const named = { kinds: request.kinds.slice(0, 2) };
  expect([...compileStream(model, 0, named).kind]).toEqual([0, 0, 1, 1, 0, -1, 0, -1]);
  expect([...compileStream(model, 0, EVERYTHING).kind]).toEqual(Array(8).fill(0));
});
