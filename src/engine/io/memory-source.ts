/** Bytes that are in memory already: those of tests and benches. */
import { fail, ok } from '../base/result.ts';
import type { ByteSource } from './byte-source.ts';
import { beyondEnd } from './source-fault.ts';

export function memorySource(name: string, bytes: Uint8Array): ByteSource {
  return {
    name,
    size: bytes.byteLength,
    read(offset, length) {
      const end = offset + length;
      if (end > bytes.byteLength) return Promise.resolve(fail(beyondEnd(name, end, bytes.byteLength)));
      // Not `slice`: that of a Node Buffer copies nothing, and whoever reads may give the buffer away.
      return Promise.resolve(ok(new Uint8Array(bytes.subarray(offset, end))));
    },
  };
}
