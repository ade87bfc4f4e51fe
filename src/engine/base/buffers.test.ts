import { expect, it } from 'vitest';
import { buffersOf, freeBuffers } from './buffers.ts';

it('frees whole buffers, at any depth, and leaves what others may own', () => {
  const [time, key] = [new Float64Array(2), new Uint8Array(3)];
  const shared = new Uint8Array(new SharedArrayBuffer(4));
  const part = new Uint8Array(8).subarray(2);
  freeBuffers({ length: 2, time, texts: ['a'], packets: { key }, shared, part, none: undefined });
  expect([time, key, shared, part].map(({ length }) => length)).toEqual([0, 0, 4, 6]);
});

it('frees one thing after the other', async () => {
  for (const column of [new Uint8Array(5), new Int32Array(2)]) {
    freeBuffers(column);
    expect(column.length).toBe(0);
    await new Promise((resolve) => setTimeout(resolve));
  }
});

it('finds whole buffers, each once, wherever they are', () => {
  const shared = new Float64Array(4);
  const deep = new Map([['leaf', { columns: [new Uint8Array(3), shared] }]]);
  const part = new Uint8Array(10).subarray(2, 4);
  const others = { empty: new Uint8Array(0), text: 'x', none: undefined, nil: null };
  expect(
    buffersOf({ shared, deep, part, ...others })
      .map(({ byteLength }) => byteLength)
      .sort(),
  ).toEqual([3, 32]);
});
