import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freeBuffers } from './buffers.ts';

interface Freeing {
  transfer?: (this: ArrayBuffer, newLength: number) => ArrayBuffer;
}

describe('freeBuffers', () => {
  const prototype = ArrayBuffer.prototype as unknown as Freeing;
  const native = prototype.transfer;
  const freed: ArrayBuffer[] = [];

  beforeEach(() => {
    freed.length = 0;
    prototype.transfer = function (): ArrayBuffer {
      freed.push(this);
      return new ArrayBuffer(0);
    };
  });
  afterEach(() => {
    if (native === undefined) delete prototype.transfer;
    else prototype.transfer = native;
  });

  it('frees whole buffers, at any depth, and leaves what others may own', () => {
    const [time, key] = [new Float64Array(2), new Uint8Array(3)];
    const shared = new Uint8Array(new SharedArrayBuffer(4));
    const part = new Uint8Array(8).subarray(2);
    freeBuffers({ length: 2, time, texts: ['a'], packets: { key }, shared, part, none: undefined });
    expect(freed).toEqual([time.buffer, key.buffer]);
    freeBuffers(new Uint8Array(5));
    expect(freed[2].byteLength).toBe(5);
  });

  it('does nothing where the engine cannot', () => {
    delete prototype.transfer;
    freeBuffers({ time: new Float64Array(1) });
    expect(freed).toEqual([]);
  });
});
